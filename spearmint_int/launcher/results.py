"""From what an objective gave back to numbers or a failure; pure functions."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, TypeAlias

from spearmint_int.jobs import Failure, FailureKind, Values

if TYPE_CHECKING:
    from collections.abc import Sequence

Outcome: TypeAlias = "Values | Failure"
EXPECTED = "print the result as the last line: a number, or a JSON object of numbers"


def outcome_of_report(report: dict[str, Any], tasks: Sequence[str]) -> Outcome:
    """What a Python objective's process reported (see objective.py)."""
    if "kind" in report:
        return Failure(kind=FailureKind(report["kind"]), message=report["message"])
    if "values" in report:
        return named_values(report["values"], tasks, who="main()")
    return single_value(report["number"], tasks, who="main()")


def outcome_of_output(stdout: str, tasks: Sequence[str]) -> Outcome:
    """What a SHELL objective printed last."""
    lines = [line.strip() for line in stdout.splitlines() if line.strip()]
    if not lines:
        return _bad(f"the objective printed nothing on stdout; it must {EXPECTED}")
    result = _parsed(lines[-1])
    if isinstance(result, dict):
        return named_values(result, tasks, who="the objective")
    if result is None:
        return _bad(f"the last line is {_short(lines[-1])}; {EXPECTED}")
    return single_value(result, tasks, who="the objective")


def single_value(number: float, tasks: Sequence[str], *, who: str) -> Outcome:
    """A number alone belongs to the only task."""
    if len(tasks) != 1:
        return _bad(f"{who} returned one number, but there are the tasks {', '.join(tasks)}")
    return _checked({tasks[0]: number}, who)


def named_values(values: dict[str, Any], tasks: Sequence[str], *, who: str) -> Outcome:
    """A number for each task, no more and no fewer."""
    missing = [task for task in tasks if task not in values]
    unknown = [task for task in values if task not in tasks]
    if missing or unknown:
        found = ", ".join(map(repr, values)) or "nothing"
        return _bad(f"{who} returned values for {found}; the tasks are {', '.join(tasks)}")
    wrong = next((t for t in tasks if not isinstance(values[t], int | float)), None)
    if wrong is not None:
        return _bad(f"{who} returned {_short(values[wrong])} for {wrong}, not a number")
    return _checked({task: values[task] for task in tasks}, who)


def _checked(values: dict[str, float], who: str) -> Outcome:
    numbers = {task: _float(value) for task, value in values.items()}
    for task, number in numbers.items():
        if not math.isfinite(number):
            where = "" if len(numbers) == 1 else f" for {task}"
            message = f"{who} returned {number}{where}: it failed at this point"
            return Failure(kind=FailureKind.NOT_A_NUMBER, message=message)
    return numbers


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the floats
        return math.inf if value > 0 else -math.inf


def _parsed(line: str) -> dict[str, Any] | float | None:
    """The last line as an object or a number, else None."""
    try:
        return float(line)
    except ValueError:
        pass
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _bad(message: str) -> Failure:
    return Failure(kind=FailureKind.BAD_RESULT, message=message)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
