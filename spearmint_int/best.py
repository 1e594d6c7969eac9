"""The best result: the one rule for the run, the command line, the pages and the library."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, TypeVar

from spearmint_int.jobs import unfulfilled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

T = TypeVar("T")


def fulfils(value: float, numbers: Mapping[str, float], constraints: Iterable[str]) -> bool:
    """Whether a result may be the best: it has a finite value, and its numbers violate none of the
    constraints."""
    return math.isfinite(value) and not unfulfilled(numbers, constraints)


def best_of(
    results: Sequence[T],
    *,
    value: Callable[[T], float],
    maximize: bool,
    within: Sequence[bool] | None = None,
) -> T | None:
    """The best of results that fulfil every constraint, the first of equals; None without any.

    `within` says which of them lie within the present bounds: the others only count where none
    does.
    """
    inside = results if within is None else list(itertools.compress(results, within))
    extreme = max if maximize else min  # each takes the first of equals
    return extreme(inside or results, key=value, default=None)
