"""Every trial as a line across all variables to its value: what the good ones have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from spearmint_int.analysis.slices import Grid, grids
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import Problem
from spearmint_int.plots.axes import positions, values_at
from spearmint_int.plots.style import LOW_TO_HIGH, empty, finished, plain
from spearmint_int.snapshot import Snapshot

TITLE = "Every result across all variables"
MOST_TICKS = 12
SHOWN_SHARE = 0.9  # the worst tenth has one colour: one bad result must not wash out the rest


def figure(
    columns: list[tuple[Grid, tuple[Any, ...]]], values: FloatArray, *, maximize: bool = False,
    theme: str = "light",
) -> go.Figure:  # fmt: skip
    """`columns` has a grid and the trials' values on it for each element of the space."""
    shares = [1.0 - SHOWN_SHARE, 1.0] if maximize else [0.0, SHOWN_SHARE]
    low, high = np.quantile(values, shares).tolist()
    drawn = go.Figure(
        go.Parcoords(
            dimensions=[*(_dimension(grid, data) for grid, data in columns),
                        {"label": "objective", "values": values}],
            line={"color": values, "colorscale": LOW_TO_HIGH, "cmin": low, "cmax": high,
                  "reversescale": maximize, "showscale": True,
                  "colorbar": {"title": {"text": "objective"}, "thickness": 14}},
            labelangle=-20, labelside="bottom",
        )
    )  # fmt: skip
    margin = {"l": 70, "r": 40, "t": 70, "b": 70}
    return finished(drawn, title=TITLE, theme=theme, height=440, margin=margin)


def _dimension(grid: Grid, data: tuple[Any, ...]) -> dict[str, Any]:
    """One axis; a log scale is drawn by its logarithms, since plotly has no other here."""
    at, ticks = positions(grid, data), positions(grid, grid.values)
    if grid.log:
        decades = np.arange(np.ceil(np.log10(ticks[0])), np.floor(np.log10(ticks[-1])) + 1)
        shown = {"tickvals": decades, "ticktext": [f"{10.0**d:g}" for d in decades]}
        ends = [float(np.log10(ticks[0])), float(np.log10(ticks[-1]))]
        at = list(np.log10(at))
    else:
        few = not grid.is_real and len(ticks) <= MOST_TICKS
        labels = [str(value) for value in grid.values]  # plotly shows these as they are
        shown = {"tickvals": ticks, "ticktext": labels} if few else {}
        ends = [min(ticks), max(ticks)]
    return {"label": plain(grid.name), "values": at, "range": ends, **shown}


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    problem = snapshot.problem
    if problem.finite == 0:
        return empty("no result yet", title=TITLE, theme=theme)
    finite = np.isfinite(problem.values)
    values, maximize = snapshot.values[finite], snapshot.maximize
    return figure(_columns(problem, finite), values, maximize=maximize, theme=theme)


def _columns(problem: Problem, finite: Any) -> list[tuple[Grid, tuple[Any, ...]]]:
    points = problem.observations.points[finite]
    return [
        (grid, tuple(values_at(problem.space, group, points)))
        for group, grid in enumerate(grids(problem.space))
    ]
