"""A panel for each variable: a bar for every integer and option, a band for a real.

Bars, because between two integers there is nothing: a line through them would show a function
that does not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spearmint_int.analysis.slices import Grid, grids, marginal, slice_through
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import Prediction
from spearmint_int.plots.axes import layout, positions, values_at
from spearmint_int.plots.style import BLUE, GREEN, GREY, ORANGE, empty, faded, finished
from spearmint_int.snapshot import Snapshot

TITLE = "What the model expects along each variable"
COLUMNS = 3
PANEL_HEIGHT = 290
FEW_BARS = 20  # more have error bars without caps, which would run into each other
SHOWN_SHARE = 0.9  # of the results; the worst ones may lie beyond the panels' top


@dataclass(frozen=True)
class Panel:
    """One variable: the slice through the model's optimum, the mean over the others, the data."""

    grid: Grid
    slice: Prediction
    marginal: Prediction
    data: tuple[Any, ...]
    values: FloatArray


def figure(panels: Sequence[Panel], *, maximize: bool = False, theme: str = "light") -> go.Figure:
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    drawn = make_subplots(
        rows=rows, cols=columns, shared_yaxes=True, horizontal_spacing=0.04,
        vertical_spacing=0.3 / rows,
    )  # fmt: skip
    low, high = _range(panels, -1.0 if maximize else 1.0)
    for i, panel in enumerate(panels):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        for trace in _traces(panel, low, maximize=maximize, first=i == 0):
            drawn.add_trace(trace, **place)
        drawn.update_xaxes(layout(panel.grid), **place)
    drawn.update_yaxes(range=[low, high])
    drawn.update_yaxes(title="objective", col=1)
    height = 110 + PANEL_HEIGHT * rows
    return finished(drawn, title=TITLE, theme=theme, height=height, barmode="overlay")


def _range(panels: Sequence[Panel], sign: float) -> tuple[float, float]:
    """All that the model expects, and most of the results: the worst ones may lie beyond."""
    means = sign * np.concatenate([p.slice.mean for p in panels])
    sds = np.concatenate([p.slice.sd for p in panels])
    average = sign * np.concatenate([p.marginal.mean for p in panels])
    values = sign * panels[0].values[np.isfinite(panels[0].values)]
    low = float(min(np.min(means - sds), np.min(values)))
    tops = (np.max(average), np.quantile(values, SHOWN_SHARE), np.quantile(means + sds, 0.95))
    high = float(max(tops))
    margin = 0.05 * (high - low or 1.0)
    bottom, top = sorted((sign * (low - margin), sign * (high + margin)))
    return bottom, top


def _traces(panel: Panel, low: float, *, maximize: bool, first: bool) -> list[go.Scatter | go.Bar]:
    at = positions(panel.grid, panel.grid.values)
    shown = {"showlegend": first}
    data = go.Scatter(
        x=positions(panel.grid, panel.data), y=panel.values, mode="markers", name="result",
        marker={"color": GREY, "size": 5, "opacity": 0.55}, legendgroup="data", **shown,
    )  # fmt: skip
    if panel.grid.is_real:
        return [*_band(panel, at, first), data]
    best = int(np.argmax(panel.slice.mean) if maximize else np.argmin(panel.slice.mean))
    return [*_bars(panel, at, low, best, first), data]


def _band(panel: Panel, at: list[float], first: bool) -> list[go.Scatter]:
    mean, sd = panel.slice.mean, panel.slice.sd
    around = [*(mean + sd), *(mean - sd)[::-1]]
    return [
        go.Scatter(
            x=at + at[::-1], y=around, fill="toself", fillcolor=faded(BLUE, 0.22),
            line={"width": 0}, hoverinfo="skip", legendgroup="slice", showlegend=False,
        ),
        go.Scatter(
            x=at, y=mean, mode="lines", name="at the optimum ± sd", legendgroup="slice",
            line={"color": BLUE, "width": 2}, showlegend=first,
        ),
        *(
            go.Scatter(
                x=at, y=panel.marginal.mean + side * panel.marginal.sd, mode="lines",
                line={"color": ORANGE, "width": 2 if side == 0 else 0.8,
                      "dash": "dash" if side == 0 else "dot"},
                legendgroup="marginal", showlegend=first and side == 0,
                name="mean over the others ± sd", hoverinfo="skip" if side else "all",
            )
            for side in (0, -1, 1)
        ),
    ]  # fmt: skip


def _bars(
    panel: Panel, at: list[float], low: float, best: int, first: bool
) -> list[go.Scatter | go.Bar]:
    mean = panel.slice.mean
    caps = {} if len(mean) <= FEW_BARS else {"width": 0}
    colours = [faded(BLUE, 0.5)] * len(mean)
    colours[best] = GREEN
    return [
        go.Bar(
            x=at, y=mean - low, base=low, name="at the optimum ± sd", legendgroup="slice",
            marker={"color": colours, "line": {"width": 0}}, customdata=mean, showlegend=first,
            error_y={"array": panel.slice.sd, "color": BLUE, "thickness": 1.5, **caps},
            hovertemplate="%{x}: %{customdata:.5g}<extra></extra>",
        ),
        go.Scatter(
            x=at, y=panel.marginal.mean, mode="markers", name="mean over the others ± sd",
            error_y={"array": panel.marginal.sd, "color": ORANGE, "thickness": 1.2, **caps},
            marker={"color": ORANGE, "symbol": "diamond", "size": 4 if caps else 8},
            legendgroup="marginal", showlegend=first,
        ),
    ]  # fmt: skip


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    panels = panels_of(snapshot)
    if not panels:
        return empty("two results are needed for a model", title=TITLE, theme=theme)
    return figure(panels, maximize=snapshot.maximize, theme=theme)


def panels_of(snapshot: Snapshot) -> list[Panel]:
    """A panel for each element of the space; none while there is no model."""
    model, problem = snapshot.model, snapshot.problem
    if model is None:
        return []
    points = problem.observations.points
    return [
        Panel(
            grid,
            snapshot.signed(slice_through(model, grid, snapshot.centre)),
            snapshot.signed(marginal(model, grid)),
            tuple(values_at(problem.space, group, points)),
            snapshot.values,
        )
        for group, grid in enumerate(grids(problem.space))
    ]
