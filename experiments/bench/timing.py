"""CPU seconds, because the machines are shared, and medians, because some runs are disturbed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

LEAST_SECONDS = 0.02  # a run shorter than this is repeated inside of the clock


def seconds(work: Callable[[], object], *, repeats: int = 7) -> float:
    """The median CPU time of one call, of work that is the same each time."""
    began = time.process_time()
    work()
    inner = max(1, int(LEAST_SECONDS / max(time.process_time() - began, 1e-7)))
    return statistics.median(_timed(work, inner) for _ in range(repeats))


def median_seconds(work: Callable[[], object], *, repeats: int) -> float:
    """The median CPU time of one call, for work that differs from call to call."""
    return statistics.median(_timed(work, 1) for _ in range(repeats))


def _timed(work: Callable[[], object], inner: int) -> float:
    began = time.process_time()
    for _ in range(inner):
        work()
    return (time.process_time() - began) / inner
