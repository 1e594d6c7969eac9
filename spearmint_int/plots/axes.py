"""Axes for the values of one element of the space: reals, integers, options."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from spearmint_int import value_text
from spearmint_int.analysis.slices import Grid
from spearmint_int.arrays import BoolArray, FloatArray
from spearmint_int.plots.style import plain
from spearmint_int.snapshot import Snapshot
from spearmint_int.space import Space

MOST_TICKS = 12  # of integers or options; of more some have no tick
NAME_LENGTH = 13  # of an option at its tick; hovering shows all of it
TITLE_LENGTH = 28  # as many letters as fit under a panel
# The ranges of a log scale up to which 2 and 5 have a tick too, and every decade has one.
FEW_DECADES, MANY_DECADES = 1e3, 1e10
REAL_MARGIN = 0.03
FAR = 10  # times the length of an axis: its distance from 0 beyond which numbers are written out
PIECE = 0.8  # of the way to the next value: the width of an integer or option on its axis


def positions(grid: Grid, values: Sequence[Any]) -> list[float]:
    """The places of values on the grid's axis: numbers at themselves, options by their order."""
    if _is_numeric(grid):
        return [float(value) for value in values]
    order = {_key(value): float(place) for place, value in enumerate(grid.values)}
    return [order[_key(value)] for value in values]


def _is_numeric(grid: Grid) -> bool:
    return len(grid.columns) == 1


def _key(value: Any) -> tuple[str, Any]:
    return type(value).__name__, value  # 1, True and "1" are three options


def edges(grid: Grid) -> FloatArray:
    """The edges of the grid's values [k + 1], half-way between them; a real ends at its bounds, an
    integer or an option reaches as far outwards as inwards."""
    at = np.array(positions(grid, grid.values))
    at = np.log(at) if grid.log else at
    steps = np.diff(at) if len(at) > 1 else np.ones(1)
    between, beyond = (at[:-1] + at[1:]) / 2, 0.0 if grid.is_real else 0.5
    found = np.array([at[0] - beyond * steps[0], *between, at[-1] + beyond * steps[-1]])
    return np.exp(found) if grid.log else found


def pieces(grid: Grid) -> list[tuple[float, float]]:
    """The interval of each of the grid's values on its axis, with gaps between them."""
    at, cuts = positions(grid, grid.values), edges(grid)
    return [
        (x - PIECE * (x - left), x + PIECE * (right - x))
        for x, (left, right) in zip(at, pairwise(cuts.tolist()), strict=True)
    ]


def names(grid: Grid) -> list[str]:
    """Each value as text, for hovering."""
    return [plain(value_text.param(value)) for value in grid.values]


def layout(grid: Grid) -> dict[str, Any]:
    """The axis of the grid, for update_xaxes and update_yaxes."""
    share = _share(grid)
    named = {"title": {"text": plain(shortened(grid.name, TITLE_LENGTH - len(share)) + share)}}
    if not _is_numeric(grid):
        return named | _options(grid)
    scale = (log_axis(grid.values) if grid.log else whole_ticks(grid)) | {"range": _range(grid)}
    own = integer_ticks(grid)
    return named | scale | ({"tickvals": own, "tickformat": "d"} if own else {})


def integer_ticks(grid: Grid) -> list[int]:
    """The values that have a tick each: all of a few integers, some of many powers, since there is
    nothing at 1000 between 512 and 1024; none where round numbers do."""
    if grid.is_real or not (len(grid.values) <= MOST_TICKS or _are_powers(grid)):
        return []
    return list(grid.values[:: -(-len(grid.values) // MOST_TICKS)])


def _are_powers(grid: Grid) -> bool:
    triples = zip(grid.values, grid.values[1:], grid.values[2:], strict=False)
    return grid.log and not grid.has_gaps and all(a * c == b * b for a, b, c in triples)


def whole_ticks(grid: Grid) -> dict[str, Any]:
    """Ticks in whole digits for integers close together and far from 0: 1000005 is shorter than
    1.000005×10⁶."""
    if grid.is_real:
        return {}
    low, high = min(grid.values), max(grid.values)
    return {"tickformat": "d"} if FAR * (high - low) < max(abs(low), abs(high)) else {}


def _range(grid: Grid) -> list[float]:
    """The range of the axis for plotly: of logarithms on a log scale. It is set, since panels that
    share a log scale find none by themselves; results at the bounds of a real are not cut."""
    cuts = edges(grid)[[0, -1]]
    low, high = (np.log10(cuts) if grid.log else cuts).tolist()
    margin = REAL_MARGIN * (high - low) if grid.is_real else 0.0
    return [low - margin, high + margin]


def _share(grid: Grid) -> str:
    shown = len(grid.values)
    return f" ({shown} of {grid.total})" if shown < grid.total else ""


def _options(grid: Grid) -> dict[str, Any]:
    """Ticks with the names of the options, or of every n-th of many."""
    places = range(0, len(grid.values), -(-len(grid.values) // MOST_TICKS))
    texts = [plain(shortened(str(grid.values[i]), NAME_LENGTH)) for i in places]
    ends = [-0.5, len(grid.values) - 0.5]
    return {"tickvals": list(places), "ticktext": texts, "range": ends}


def shortened(text: str, most: int) -> str:
    """The text, without its middle where it is long: options often differ only at their end."""
    if len(text) <= most:
        return text
    tail = most // 2
    return f"{text[: most - tail - 1]}…{text[len(text) - tail :]}"


def named_ticks(names: Sequence[str], most: int) -> dict[str, Any]:
    """The axis of traces with these names: long ones are cut at the ticks only, so that two that
    are alike when cut are still two traces, and hovering shows all of the name."""
    texts = [plain(shortened(name, most)) for name in names]
    return {"tickvals": [plain(name) for name in names], "ticktext": texts}


def job_axis(ids: Sequence[int]) -> dict[str, Any]:
    """The axis of job numbers: there is nothing at job 1.5."""
    few = bool(ids) and max(ids) - min(ids) <= MOST_TICKS
    return {"title": {"text": "job"}} | ({"dtick": 1} if few else {})


def log_axis(values: Sequence[float]) -> dict[str, Any]:
    """A log scale with at least two ticks, which don't run into each other."""
    positive = [value for value in values if value > 0.0]
    ratio = max(positive) / min(positive) if positive else np.inf
    ticks = "D2" if ratio < FEW_DECADES else 1
    return {"type": "log"} | ({"dtick": ticks} if ratio < MANY_DECADES else {})


# --- results on their axes ------------------------------------------------------------------------


def values_at(space: Space, group: int, points: FloatArray) -> list[Any]:
    """The values of one element at points [m, D] of the unit cube."""
    variable, columns = space.group_variables[group], list(space.groups[group])
    return [variable.decode(row[columns]) for row in points]


def placed(snapshot: Snapshot) -> BoolArray:
    """Which observations [n] have a place on the axes: earlier bounds may have been wider."""
    return snapshot.problem.reachable


def outside_note(snapshot: Snapshot) -> str:
    """A sentence on how many results have no place on the axes; empty where all have.

    Results with an option that is gone are among the trials, but not among the observations.
    """
    finite = np.isfinite(snapshot.problem.values)
    gone = sum(trial.worked for trial in snapshot.trials) - int(np.sum(finite))
    count = int(np.sum(finite & ~placed(snapshot))) + max(gone, 0)
    what = "1 result" if count == 1 else f"{count} results"
    verb = "is" if count == 1 else "are"
    return f"{what} outside of the present bounds and options {verb} not shown" if count else ""
