"""Where the next point is and why: the acquisition along each variable, through that point.

Bars for integers and options: the place between two of them can't be chosen.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spearmint_int.analysis.choice import Choice, next_choice
from spearmint_int.analysis.slices import Grid
from spearmint_int.arrays import FloatArray
from spearmint_int.plots.axes import layout, positions, values_at
from spearmint_int.plots.style import BLUE, GREEN, empty, faded, finished
from spearmint_int.registry import ACQUISITIONS
from spearmint_int.snapshot import Snapshot
from spearmint_int.space import Space

TITLE = "Where the next point is, and what its neighbours promise"
COLUMNS = 3
PANEL_HEIGHT = 250
BAR = 0.8  # of the way to the next one


def figure(choice: Choice, space: Space, *, title: str = TITLE, theme: str = "light") -> go.Figure:
    """A panel for each variable, with the others as at the chosen point."""
    columns = min(COLUMNS, len(choice.grids))
    rows = -(-len(choice.grids) // columns)
    drawn = make_subplots(rows=rows, cols=columns, shared_yaxes=True, horizontal_spacing=0.04,
                          vertical_spacing=0.35 / rows)  # fmt: skip
    for i, (grid, values) in enumerate(zip(choice.grids, choice.slices, strict=True)):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        (here,) = positions(grid, values_at(space, i, choice.point[np.newaxis, :]))
        for trace in _traces(grid, values, here, choice.value, first=i == 0):
            drawn.add_trace(trace, **place)
        drawn.update_xaxes(layout(grid), **place)
    about = ACQUISITIONS.about(choice.acquisition) or choice.acquisition
    drawn.update_yaxes(title={"text": about, "font": {"size": 11}}, col=1)
    drawn.update_yaxes(rangemode="tozero")
    height = 130 + PANEL_HEIGHT * rows
    return finished(drawn, title=title, theme=theme, height=height)


def _traces(
    grid: Grid, values: FloatArray, here: float, value: float, *, first: bool
) -> list[go.Scatter | go.Bar]:
    at, values = _with_chosen(positions(grid, grid.values), values, here, value)
    chosen = go.Scatter(
        x=[here], y=[value], mode="markers", name="chosen", legendgroup="chosen", showlegend=first,
        marker={"color": GREEN, "symbol": "diamond", "size": 11},
    )  # fmt: skip
    if grid.is_real:
        shade = {"fill": "tozeroy", "fillcolor": faded(BLUE, 0.2), "line": {"color": BLUE}}
        return [go.Scatter(x=at, y=values, mode="lines", showlegend=False, **shade), chosen]
    colours = [GREEN if place == here else faded(BLUE, 0.5) for place in at]
    marker = {"color": colours, "line": {"width": 0}}
    width = None if grid.log else BAR * float(np.min(np.diff(positions(grid, grid.values))))
    return [go.Bar(x=at, y=values, width=width, marker=marker, showlegend=False), chosen]


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
