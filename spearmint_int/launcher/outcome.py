"""The outcome of an objective: numbers or a failure, from what it returned or how it ended."""

from __future__ import annotations

import errno
import json
import math
import signal
from typing import TYPE_CHECKING, Any, TypeAlias

from spearmint_int.errors import ObjectiveError
from spearmint_int.jobs import Failure, FailureKind, Values, as_constraint, as_float
from spearmint_int.launcher.script import first_line_fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spearmint_int.launcher.order import Launch
    from spearmint_int.launcher.process import ProcessEnd

Outcome: TypeAlias = "Values | Failure"
EXPECTED = "print the result as the last line: a number, or a JSON object of numbers"


def outcome_of_report(report: dict[str, Any], tasks: Sequence[str]) -> Outcome:
    """The outcome of what a Python objective's process reported (see objective.py)."""
    if "kind" in report:
        return Failure(kind=FailureKind(report["kind"]), message=report["message"])
    if "values" in report:
        return named_values(report["values"], tasks, who="main()")
    return single_value(report["number"], tasks, who="main()")


def outcome_of_output(stdout: str, tasks: Sequence[str], *, is_cut: bool = False) -> Outcome:
    """The outcome of what a SHELL objective printed last; `is_cut` when only the end of its output
    was kept."""
    lines = [line.strip() for line in stdout.splitlines() if line.strip()]
    if not lines:
        return _bad(f"the objective printed nothing on stdout; it must {EXPECTED}")
    if is_cut and len(lines) == 1:
        return _bad(f"the last line is longer than {len(stdout)} characters; {EXPECTED}")
    result = _parsed(lines[-1])
    if isinstance(result, dict):
        return named_values(result, tasks, who="the objective")
    if result is None:
        return _bad(f"the last line is {_short(lines[-1])}; {EXPECTED}")
    return single_value(result, tasks, who="the objective")


def single_value(number: float, tasks: Sequence[str], *, who: str) -> Outcome:
    """The outcome of a number alone: it belongs to the only task; NaN says that all tasks failed
    here."""
    if len(tasks) != 1 and not math.isnan(number):
        wanted = _wanted(tasks)
        return _bad(f"{who} returned one number, but there are several tasks; return {wanted}")
    return {tasks[0]: as_float(number)}


def named_values(values: dict[str, Any], tasks: Sequence[str], *, who: str) -> Outcome:
    """The outcome of named numbers, one for each task. Constraints may be missing; other numbers
    are metrics, which are kept too."""
    if tasks[0] not in values:
        found = ", ".join(map(repr, values)) or "nothing"
        return _bad(f"{who} returned values for {found}; return {_wanted(tasks)}")
    there = [task for task in tasks if task in values]
    metrics = [name for name in values if name not in tasks]
    ordered = {name: values[name] for name in (*there, *metrics)}
    wrong = next((n for n, v in ordered.items() if not isinstance(v, int | float)), None)
    if wrong is not None:
        return _bad(f"{who} returned {_short(ordered[wrong])} for {wrong}, not a number")
    constraints = tasks[1:]
    return {n: (as_constraint if n in constraints else as_float)(v) for n, v in ordered.items()}


def _wanted(tasks: Sequence[str]) -> str:
    named = ", ".join(f'"{task}": …' for task in tasks)
    return f"{{{named}}}" if len(tasks) > 1 else f"a number, or {{{named}}}"


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


# --- ends without a result ---


def outcome_without_result(end: ProcessEnd, launch: Launch) -> Failure | None:
    """The failure of a process that ended without a result; None where we ended it on request."""
    if end.cancelled:
        return None
    kind, message = _kind_and_message(end, launch)
    return Failure(kind, message, exit_status=end.returncode, stderr_tail=end.stderr_tail)


def _kind_and_message(end: ProcessEnd, launch: Launch) -> tuple[FailureKind, str]:
    if end.timed_out:
        return FailureKind.TIME_LIMIT, f"ended after the time limit of {launch.time_limit:g} s"
    if end.returncode >= 0:
        said = f": {last}" if (last := _last_line(end.stderr_tail)) else _unsaid(end, launch)
        return FailureKind.EXIT, f"the process ended with exit status {end.returncode}{said}"
    if -end.returncode == signal.SIGKILL and end.oom_kills != 0:
        known = "by the kernel because memory ran out" if end.oom_kills else "by SIGKILL"
        message = f"killed {known}; give the job more memory, or run fewer jobs at the same time"
        return FailureKind.OUT_OF_MEMORY, message
    return FailureKind.SIGNAL, f"killed by signal {_signal_name(-end.returncode)}"


def _unsaid(end: ProcessEnd, launch: Launch) -> str:
    """The end of the message where stderr has no reason: a script's result counts only with exit
    status 0."""
    is_script = launch.language == "SHELL"
    if is_script and not isinstance(outcome_of_output(end.stdout_tail, launch.tasks), Failure):
        return f"; it must be 0 for the result, {_last_line(end.stdout_tail)}, to count"
    return " without a result"


def not_started(launch: Launch, error: Exception) -> Failure:
    """The failure of an objective that could not even be started."""
    kind = FailureKind.START if _may_pass(launch, error) else FailureKind.LAUNCH
    return Failure(kind=kind, message=_reason(launch, error))


def _may_pass(launch: Launch, error: Exception) -> bool:
    """Whether the cause may pass by itself: a network drive comes back, other processes end."""
    if isinstance(error, PermissionError) or getattr(error, "errno", None) == errno.ENOEXEC:
        return False
    if isinstance(error, FileNotFoundError):
        return not launch.main_path.exists()
    return isinstance(error, OSError)


def _reason(launch: Launch, error: Exception) -> str:
    name = launch.main_file
    if isinstance(error, ObjectiveError):
        return str(error)
    if isinstance(error, PermissionError):
        return f"{name} is not executable; run 'chmod +x {launch.main_path}'"
    if isinstance(error, FileNotFoundError) and launch.main_path.exists():
        fault = first_line_fault(launch.main_path) or "its interpreter does not exist"
        return f"{name} can't be started: {fault}"
    if isinstance(error, FileNotFoundError):
        return f"there is no {name} in {launch.directory}"
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        return f"{name} can't be started: its first line must be one like #!/bin/sh"
    return f"{name} can't be started: {error}"


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip()[:300] if lines else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
