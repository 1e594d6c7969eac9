"""How the values of one element of the space lie on an axis: reals, integers, options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spearmint_int.analysis.slices import Grid
from spearmint_int.arrays import FloatArray
from spearmint_int.plots.style import plain
from spearmint_int.space import Space

MOST_TICKS = 12  # integers with fewer values have a tick each

MANY_DECADES = 1e3


def positions(grid: Grid, values: Sequence[Any]) -> list[float]:
    """Where values stand on the grid's axis: numbers at themselves, options by their order."""
    if _is_numeric(grid):
        return [float(value) for value in values]
    order = {_key(value): float(place) for place, value in enumerate(grid.values)}
    return [order[_key(value)] for value in values]


def _is_numeric(grid: Grid) -> bool:
    return len(grid.columns) == 1


def _key(value: Any) -> tuple[str, Any]:
    return type(value).__name__, value  # 1, True and "1" are three options


def layout(grid: Grid) -> dict[str, Any]:
    """The axis of the grid, for update_xaxes and update_yaxes."""
    named = {"title": {"text": plain(grid.name)}}
    if not _is_numeric(grid):
        places = list(range(len(grid.values)))
        shown = {"tickvals": places, "ticktext": [plain(value) for value in grid.values]}
        return named | shown | {"range": [-0.5, len(places) - 0.5]}
    if grid.log:
        return named | {"type": "log"}
    if grid.is_real:
        return named
    ends = {"range": [grid.values[0] - 0.5, grid.values[-1] + 0.5]}
    few = {"tickvals": list(grid.values), "tickformat": "d"}
    return named | ends | (few if len(grid.values) <= MOST_TICKS else {})


def job_axis(ids: Sequence[int]) -> dict[str, Any]:
    """The axis of job numbers: there is nothing at job 1.5."""
    few = bool(ids) and max(ids) - min(ids) <= MOST_TICKS
    return {"title": {"text": "job"}} | ({"dtick": 1} if few else {})


def log_axis(values: Sequence[float]) -> dict[str, Any]:
    """A log scale whose ticks are apart: 1, 2 and 5 of each decade where there are few."""
    positive = [value for value in values if value > 0.0]
    few = bool(positive) and max(positive) < MANY_DECADES * min(positive)
    return {"type": "log"} | ({"dtick": "D2"} if few else {})


def values_at(space: Space, group: int, points: FloatArray) -> list[Any]:
    """The values of one element at points [m, D] of the unit cube."""
    variable, columns = space.group_variables[group], list(space.groups[group])
    return [variable.decode(row[columns]) for row in points]
