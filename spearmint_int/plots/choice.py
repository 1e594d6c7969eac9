"""Where the next point is and why: the acquisition along each variable, through that point.

Integers and options have bars, since a place between two of them can't be chosen. An integer with
more values than are looked at has a line, as a real, and its axis says so.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from spearmint_int.analysis.choice import Choice, next_choice
from spearmint_int.analysis.slices import Grid
from spearmint_int.arrays import FloatArray
from spearmint_int.plots.axes import layout, names, pieces, positions, values_at
from spearmint_int.plots.panels import named_once, places, side_by_side
from spearmint_int.plots.style import BLUE, GREEN, empty, faded, finished
from spearmint_int.registry import ACQUISITIONS
from spearmint_int.snapshot import Snapshot
from spearmint_int.space import Space

TITLE = "Where the next point is, and what its neighbours promise"
PANEL_HEIGHT = 190


def figure(choice: Choice, space: Space, *, title: str = TITLE, theme: str = "light") -> go.Figure:
    """A panel for each variable, with the others as at the chosen point."""
    drawn = side_by_side(choice.grids, height=PANEL_HEIGHT)
    panels = zip(choice.grids, choice.slices, places(choice.grids), strict=True)
    for i, (grid, values, place) in enumerate(panels):
        (here,) = positions(grid, values_at(space, i, choice.point[np.newaxis, :]))
        for trace in _traces(grid, values, here, choice.value):
            drawn.add_trace(trace, **place)
        drawn.update_xaxes(layout(grid), **place)
    named_once(drawn)
    about = ACQUISITIONS.about(choice.acquisition) or choice.acquisition
    drawn.update_yaxes(title={"text": about, "font": {"size": 11}}, col=1)
    drawn.update_yaxes(rangemode="tozero")
    return finished(drawn, title=title, theme=theme, height=drawn.layout.height)


def _traces(grid: Grid, values: FloatArray, here: float, value: float) -> list[go.Scatter | go.Bar]:
    marker = {"color": GREEN, "symbol": "diamond", "size": 11}
    chosen = go.Scatter(
        x=[here], y=[value], mode="markers", name="chosen", marker=marker, cliponaxis=False
    )
    if grid.has_gaps:
        at, along = _with_chosen(positions(grid, grid.values), values, here, value)
        shade = {"fill": "tozeroy", "fillcolor": faded(BLUE, 0.2), "line": {"color": BLUE}}
        return [go.Scatter(x=at, y=along, mode="lines", showlegend=False, **shade), chosen]
    return [_bars(grid, values, here), chosen]


def _bars(grid: Grid, values: FloatArray, here: float) -> go.Bar:
    at, spans = np.array(positions(grid, grid.values)), np.array(pieces(grid))
    colours = [GREEN if place == here else faded(BLUE, 0.5) for place in at]
    return go.Bar(
        x=at, y=values, offset=spans[:, 0] - at, width=np.ptp(spans, axis=1), showlegend=False,
        marker={"color": colours, "line": {"width": 0}}, text=names(grid), textposition="none",
        hovertemplate="%{text}: %{y:.4g}<extra></extra>",
    )  # fmt: skip


def _with_chosen(
    at: list[float], values: FloatArray, here: float, value: float
) -> tuple[list[float], FloatArray]:
    """The grid with the chosen place, which may lie between two of its values."""
    if here in at:
        return at, values
    places, both = [*at, here], np.append(values, value)
    order = np.argsort(places)
    return [places[i] for i in order], both[order]


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    choice = next_choice(snapshot.problem) if snapshot.model is not None else None
    if choice is None:
        return empty("no model chooses the next point", title=TITLE, theme=theme)
    return figure(choice, snapshot.problem.space, theme=theme)
