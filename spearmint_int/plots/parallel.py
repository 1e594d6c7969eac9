"""Every trial as a line across all variables to its value: what the good ones have in common."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from spearmint_int.analysis.slices import Grid, grids
from spearmint_int.arrays import BoolArray, FloatArray, in_units
from spearmint_int.chooser import Problem
from spearmint_int.plots.axes import (
    MOST_TICKS,
    TITLE_LENGTH,
    integer_ticks,
    outside_note,
    placed,
    positions,
    shortened,
    values_at,
)
from spearmint_int.plots.files import WIDTH
from spearmint_int.plots.style import GREY, HEIGHT, empty, finished, number, plain, power_of_ten
from spearmint_int.snapshot import Snapshot

TITLE = "Every result across all variables"
SHOWN_SHARE = 0.9  # the worst tenth has one colour: one bad result must not wash out the rest
MARGIN = {"l": 90, "r": 40, "t": 70, "b": 80}
LETTER, LINE = 7, 15  # pixels that a letter takes in width, and a line in height
BAR_WIDTH = 110  # of the colour bar with its numbers
FEW_DECADES = 3
MOST_LINES = 50  # options that each have a name; of more every n-th has one


@dataclass(frozen=True)
class Column:
    """One axis: numbers between two ends, and texts at some of them."""

    name: str
    at: list[float]
    ends: tuple[float, float]
    ticks: list[float]
    texts: list[str]


def figure(
    columns: Sequence[tuple[Grid, tuple[Any, ...]]], values: FloatArray, *,
    maximize: bool = False, note: str = "", theme: str = "light",
) -> go.Figure:  # fmt: skip
    """`columns` has a grid and the trials' values on it for each element of the space."""
    axes = [*(_column(grid, data) for grid, data in columns), _objective(values)]
    shares = [1.0 - SHOWN_SHARE, 1.0] if maximize else [0.0, SHOWN_SHARE]
    scaled, unit = in_units(values)
    low, high = np.ldexp(np.quantile(scaled, shares), unit).tolist()
    room = (WIDTH - MARGIN["l"] - MARGIN["r"] - BAR_WIDTH) // max(len(axes) - 1, 1) // LETTER - 1
    drawn = go.Figure(
        go.Parcoords(
            dimensions=[_dimension(axis, room) for axis in axes],
            line={"color": values, "cmin": low, "cmax": high, "reversescale": maximize,
                  "showscale": True, "colorbar": {"title": {"text": "objective"}}},
            labelangle=-20, labelside="bottom",
        )
    )  # fmt: skip
    _draw_axes(drawn, len(axes))
    height = max(HEIGHT, MARGIN["t"] + MARGIN["b"] + LINE * max(len(axis.texts) for axis in axes))
    return finished(drawn, title=TITLE, note=note, theme=theme, height=height, margin=MARGIN)


def _draw_axes(drawn: go.Figure, count: int) -> None:
    """Draw lines where the axes are: plotly's own are black on any paper."""
    for i in range(count):
        x = i / max(count - 1, 1)
        line = {"color": GREY, "width": 1}
        drawn.add_shape(type="line", xref="paper", yref="paper", x0=x, x1=x, y0=0, y1=1, line=line)


def _dimension(axis: Column, room: int) -> dict[str, Any]:
    """The axis for plotly, with texts of our own: without them it writes the ends over the names.
    It shows these texts as they are, but takes the name for markup, half of which lies left of its
    axis."""
    return {
        "label": plain(shortened(axis.name, min(2 * room, TITLE_LENGTH))),
        "values": axis.at, "range": axis.ends,
        "tickvals": axis.ticks, "ticktext": [shortened(text, room) for text in axis.texts],
    }  # fmt: skip


def _column(grid: Grid, data: tuple[Any, ...]) -> Column:
    """The axis of a grid; a log scale by its logarithms, since plotly has none here."""
    at, places = positions(grid, data), positions(grid, grid.values)
    if grid.log:
        at, places = np.log10(at).tolist(), np.log10(places).tolist()
    ends = min(places), max(places)
    if len(grid.columns) > 1:
        step = -(-len(places) // MOST_LINES)
        return Column(grid.name, at, ends, places[::step], [str(v) for v in grid.values[::step]])
    if own := integer_ticks(grid):
        ticks = np.log10(own).tolist() if grid.log else positions(grid, own)
        return Column(grid.name, at, ends, ticks, [str(value) for value in own])
    texts = _powers(*ends) if grid.log else round_numbers(*ends)
    return Column(grid.name, at, ends, list(texts), list(texts.values()))


def _objective(values: FloatArray) -> Column:
    low, high = float(np.min(values)), float(np.max(values))
    if low == high:
        margin = (abs(low) or 1.0) / 2  # one beyond the largest number is cut off there
        low, high = np.nan_to_num([low - margin, high + margin]).tolist()
    texts = round_numbers(low, high)
    return Column("objective", values.tolist(), (low, high), list(texts), list(texts.values()))


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    shown = np.isfinite(snapshot.values) & placed(snapshot)
    note = outside_note(snapshot)
    if not np.any(shown):
        return empty(note or "no result yet", title=TITLE, theme=theme)
    values, maximize = snapshot.values[shown], snapshot.maximize
    columns = _columns(snapshot.problem, shown)
    return figure(columns, values, maximize=maximize, note=note, theme=theme)


def _columns(problem: Problem, shown: BoolArray) -> list[tuple[Grid, tuple[Any, ...]]]:
    points = problem.observations.points[shown]
    return [
        (grid, tuple(values_at(problem.space, group, points)))
        for group, grid in enumerate(grids(problem.space))
    ]


# --- ticks, which plotly leaves to us here --------------------------------------------------------


def round_numbers(low: float, high: float) -> dict[float, str]:
    """Multiples of 1, 2 or 5 · 10^k between two ends, at most MOST_TICKS, and their texts."""
    # divided first: the difference of two numbers near the largest overflows
    least = max(high / (MOST_TICKS - 1) - low / (MOST_TICKS - 1), sys.float_info.min)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= least * (1 - 1e-9))
    digits = 1 + max(math.ceil(math.log10(max(abs(low), abs(high)) / step)), 0)
    counts = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return {k * step: number(k * step, digits=max(digits, 6)) for k in counts}


def _powers(low: float, high: float) -> dict[float, str]:
    """The powers of ten between two logarithms, and 2 and 5 times them where these are few."""
    decades = range(math.floor(low), math.ceil(high) + 1)
    if high - low < FEW_DECADES:
        found = {math.log10(m) + d: number(m * 10.0**d) for d in decades for m in (1, 2, 5)}
    else:
        found = {float(d): power_of_ten(d) for d in decades[:: -(-len(decades) // MOST_TICKS)]}
    return {tick: text for tick, text in found.items() if low - 1e-9 <= tick <= high + 1e-9}
