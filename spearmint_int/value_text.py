"""Numbers, times and parameters as people read them; a number has one length everywhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

DIGITS = 6
MOST_DECIMALS = 7
MOST_DIGITS = 10
REPR_DIGITS = 17  # a float has no more
ROUNDING = 1e-12  # of a mean: where there is no noise, the model's arithmetic leaves as much
MOST_NUMBERS = 10  # of damaged jobs


def number(x: float | None) -> str:
    """A number in a few digits, and in all that stand before its point; integers whole."""
    if x is None:
        return "–"
    if isinstance(x, int):
        return str(x)
    if math.isnan(x):
        return "NaN"
    is_long = abs(x) >= 10.0**MOST_DIGITS
    return f"{x:.{DIGITS if is_long else max(DIGITS, len(str(round(abs(x)))))}g}"


def number_unlike(x: float, other: float | None) -> str:
    """A number in the digits that tell it from another, and in a few at least."""
    if other is None or x == other or not (x and math.isfinite(x) and math.isfinite(other)):
        return number(x)
    shared = math.floor(math.log10(abs(x))) - math.floor(math.log10(abs(x - other)))
    digits = min(shared + 2, REPR_DIGITS)
    return f"{x:#.{digits}g}".rstrip(".") if digits > DIGITS else number(x)


def constraints(probabilities: Mapping[str, float], note: str = "") -> Iterator[tuple[str, str]]:
    """(name, text) of how likely each holds, and what else there is to say; nothing of none."""
    listed = ", ".join(f"{name} {chance(p)}" for name, p in probabilities.items())
    if listed:
        yield "constraints", f"hold with a probability of: {listed}"
    if note:
        yield "note", note


def chance(probability: float) -> str:
    """`0.3 %`, `99.97 %`: never 100 % of what is less."""
    percent = 100.0 * probability
    digits = max(0, min(6, -math.floor(math.log10(max(100.0 - percent, 1e-12))) + 1))
    if not 99.0 < percent < 100.0:
        return f"{percent:.3g} %"
    return f"{min(percent, 100.0 - 10.0**-digits):.{digits}f} %"


def estimate(mean: float, sd: float) -> str:
    """`0.412 ± 0.013`: the mean to the decimals that its sd makes sense of; an sd that is rounding
    is none."""
    if not (math.isfinite(sd) and sd > abs(mean) * ROUNDING):
        return number(mean)
    decimals = 1 - math.floor(math.log10(sd))
    if not -MOST_DECIMALS <= decimals <= MOST_DECIMALS:
        digits = math.floor(math.log10(abs(mean) or sd)) + decimals + 1
        return f"{mean:.{min(max(digits, 2), MOST_DIGITS)}g} ± {sd:.2g}"
    decimals = max(decimals, 0)
    return f"{mean:.{decimals}f} ± {sd:.{decimals}f}"


def params(values: Mapping[str, Any]) -> str:
    """`x=0.31 depth=2 weights=[0.1, 0.5]`."""
    return " ".join(f"{name}={param(value)}" for name, value in values.items())


def param(value: Any) -> str:
    """One parameter's value."""
    if isinstance(value, list):
        return f"[{', '.join(param(v) for v in value)}]"
    return number(value) if isinstance(value, int | float) else str(value)


def duration(seconds: float | None) -> str:
    """`0.12 s`, `48 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{seconds:.2g} s" if seconds >= 0.01 else f"{seconds * 1000:.2g} ms"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole < 600 else f"{round(whole / 60)} min"
    if whole < 48 * 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def out_of(n: int, budget: int | None, noun: str = "") -> str:
    """`22 of 40 jobs`, or `15 jobs, beyond the budget of 2`, which was larger once."""
    if budget is None:
        return f"{n}{noun}"
    return f"{n} of {budget}{noun}" if n <= budget else f"{n}{noun}, beyond the budget of {budget}"


def with_outside(counts: str, outside: int) -> str:
    """`7 complete; 2 outside of the budget`: results that were brought don't count against it."""
    return f"{counts}; {outside} outside of the budget" if outside > 0 else counts


def counted(n: int, noun: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def damaged(ids: Sequence[int]) -> str:
    """The sentence that names the jobs that can't be read."""
    shown = ", ".join(map(str, ids[:MOST_NUMBERS]))
    more = f" and {len(ids) - MOST_NUMBERS} more" if len(ids) > MOST_NUMBERS else ""
    noun, them = ("job", "it") if len(ids) == 1 else ("jobs", "them")
    return f"{noun} {shown}{more} can't be read; 'spearmint-int repair' shows and mends {them}"
