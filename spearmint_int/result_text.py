"""What a job has answered, as people read it: values, and whether the constraints hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spearmint_int import value_text
from spearmint_int.jobs import FAILED_HERE, unfulfilled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def result(x: float | None) -> str:
    """What an objective has answered: of a NaN, what it means."""
    return FAILED_HERE if x is not None and math.isnan(x) else value_text.number(x)


def results(
    values: Mapping[str, float] | None, *, objective: str, constraints: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """The objective's value, the constraints, and the metrics beside it, by name."""
    values = values or {}
    missed = unfulfilled(values, constraints)
    for name, value in values.items():
        text = (result if name == objective else value_text.number)(value)
        word = "not fulfilled" if name in missed else "fulfilled"
        yield name, f"{text} ({word})" if name in constraints else text
    if values:
        yield from ((n, "missing (not fulfilled)") for n in constraints if n not in values)
