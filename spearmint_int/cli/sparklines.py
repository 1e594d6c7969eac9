"""Figures of one line, for a terminal: a bar of eight heights for each value."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from spearmint_int import value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spearmint_int.snapshot import Snapshot

LEVELS = "▁▂▃▄▅▆▇█"
FAILED = "×"
WIDTH = 60


def sparkline(values: Sequence[float], *, width: int = WIDTH, maximize: bool = False) -> str:
    """The values as bars of eight heights. A failure is a cross; many values are split into parts,
    with a bar for the best of each."""
    parts = _parts(values, width, -1.0 if maximize else 1.0)
    finite = [value for value in parts if math.isfinite(value)]
    if not finite:
        return FAILED * len(parts)
    low, high = min(finite), max(finite)
    span = (high / 8 - low / 8) or 1.0  # the difference of two numbers near the largest overflows
    return "".join(
        LEVELS[min(int((value / 8 - low / 8) / span * 8), 7)] if math.isfinite(value) else FAILED
        for value in parts
    )


def _parts(values: Sequence[float], width: int, sign: float) -> list[float]:
    if len(values) <= width:
        return list(values)
    edges = [round(i * len(values) / width) for i in range(width + 1)]
    return [
        min(values[a:b], key=lambda v: (not math.isfinite(v), sign * v))
        for a, b in itertools.pairwise(edges)
    ]


def figures(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """(name, line): the results, the best so far, and what the model expects of each variable."""
    values = [trial.value for trial in snapshot.finished]
    if not values:
        return
    maximize = snapshot.maximize
    yield "results", sparkline(values, maximize=maximize)
    counted = [t.value if t.fulfils else math.nan for t in snapshot.finished]
    so_far = _running_best(counted, max if maximize else min)
    yield "best so far", sparkline(so_far, maximize=maximize)
    if snapshot.model is None:
        return
    import numpy as np  # noqa: PLC0415

    from spearmint_int.analysis.slices import grids, slice_through  # noqa: PLC0415 (numpy)

    for grid in grids(snapshot.problem.space, reals=WIDTH // 2):
        along = slice_through(snapshot.model, grid, snapshot.centre)
        ends = " … ".join(value_text.param(grid.values[i]) for i in (0, -1))
        feasible = snapshot.model.is_feasible(grid.through(snapshot.centre))
        means = along.mean if not feasible.any() else np.where(feasible, along.mean, np.inf)
        best = value_text.param(grid.values[int(means.argmin())])
        near = "near" if grid.has_gaps else "at"
        line = sparkline(snapshot.signed(along).mean.tolist())
        yield grid.name, f"{line}  {ends}, the model's best {near} {best}"


def _running_best(values: Sequence[float], best_of: Callable[..., float]) -> list[float]:
    finite: list[float] = []
    line = []
    for value in values:
        finite = [best_of([*finite, value])] if math.isfinite(value) else finite
        line += finite or [value]
    return line
