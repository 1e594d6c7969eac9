"""A panel for each variable: a step for every integer and option, a band for a real.

Steps, because between two integers there is nothing: a line through them would show a function
that does not exist. A step is as high as the model is unsure, with its mean as a line: a bar from
the panel's foot would be a length without a meaning. An integer with more values than are looked
at has a band too, and its axis says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from spearmint_int.analysis.slices import Grid, grids, marginal, slice_through
from spearmint_int.arrays import BoolArray, FloatArray
from spearmint_int.chooser import Prediction
from spearmint_int.plots.axes import (
    layout,
    names,
    outside_note,
    pieces,
    placed,
    positions,
    values_at,
)
from spearmint_int.plots.panels import named_once, places, side_by_side
from spearmint_int.plots.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RESULT,
    UNFULFILLED,
    empty,
    faded,
    finished,
)
from spearmint_int.snapshot import Snapshot

TITLE = "What the model expects along each variable"
SLICE, MARGINAL = "at the optimum ± sd", "mean over the others ± sd"
BEST = "best value"
PANEL_HEIGHT = 230
FEW_STEPS = 20  # more have error bars without caps, which would run into each other
SHOWN_SHARE = 0.9  # of the results; the worst ones may lie beyond the panels' top


@dataclass(frozen=True)
class Panel:
    """One variable: the slice through the model's optimum, the mean over the others, the data."""

    grid: Grid
    slice: Prediction
    marginal: Prediction
    data: tuple[Any, ...]
    values: FloatArray
    fulfils: BoolArray  # of the data: every constraint
    optimum: Any = None  # its value there, where constraints may forbid the lowest of the slice


def figure(
    panels: Sequence[Panel], *, maximize: bool = False, note: str = "", theme: str = "light"
) -> go.Figure:
    along = [panel.grid for panel in panels]
    drawn = side_by_side(along, height=PANEL_HEIGHT)
    for panel, place in zip(panels, places(along), strict=True):
        for trace in _traces(panel, maximize=maximize):
            drawn.add_trace(trace, **place)
        drawn.update_xaxes(layout(panel.grid), **place)
    named_once(drawn)
    drawn.update_yaxes(range=_range(panels, -1.0 if maximize else 1.0))
    drawn.update_yaxes(title="objective", col=1)
    drawn.update_layout(barmode="overlay")
    return finished(drawn, title=TITLE, note=note, theme=theme, height=drawn.layout.height)


def _range(panels: Sequence[Panel], sign: float) -> tuple[float, float]:
    """The range of the values' axis, for all that the model expects and most of the results: the
    worst ones may lie beyond."""
    means = sign * np.concatenate([p.slice.mean for p in panels])
    sds = np.concatenate([p.slice.sd for p in panels])
    average = sign * np.concatenate([p.marginal.mean for p in panels])
    values = sign * panels[0].values[np.isfinite(panels[0].values)]
    low = float(np.min([*(means - sds), *values]))
    tops = [*average, np.quantile(means + sds, 0.95)]
    high = float(np.max([*tops, *np.quantile(values, [SHOWN_SHARE] if len(values) else [])]))
    margin = 0.05 * (high - low or 1.0)
    bottom, top = sorted((sign * (low - margin), sign * (high + margin)))
    return bottom, top


def _traces(panel: Panel, *, maximize: bool) -> list[go.Scatter | go.Bar]:
    if panel.grid.has_gaps:
        return [*_band(panel), *_results(panel)]
    return [*_steps(panel, _best(panel, maximize=maximize)), _average(panel), *_results(panel)]


def _results(panel: Panel) -> list[go.Scatter]:
    at = np.array(positions(panel.grid, panel.data))
    worked, fulfils = np.isfinite(panel.values), panel.fulfils
    kinds = ((RESULT, worked & fulfils, "circle"), (UNFULFILLED, worked & ~fulfils, "circle-open"))
    return [
        go.Scatter(
            x=at[shown], y=panel.values[shown], mode="markers", name=name, legendgroup=name,
            marker={"color": GREY, "size": 5, "opacity": 0.55, "symbol": symbol},
        )
        for name, shown, symbol in kinds
        if np.any(shown)
    ]  # fmt: skip


def _best(panel: Panel, *, maximize: bool) -> int:
    if panel.optimum in panel.grid.values:
        return list(panel.grid.values).index(panel.optimum)
    return int(np.argmax(panel.slice.mean) if maximize else np.argmin(panel.slice.mean))


def _band(panel: Panel) -> list[go.Scatter]:
    at = positions(panel.grid, panel.grid.values)
    mean, sd = panel.slice.mean, panel.slice.sd
    around = [*(mean + sd), *(mean - sd)[::-1]]
    return [
        go.Scatter(
            x=at + at[::-1], y=around, fill="toself", fillcolor=faded(BLUE, 0.22),
            line={"width": 0}, hoverinfo="skip", legendgroup="slice", showlegend=False,
        ),
        go.Scatter(
            x=at, y=mean, mode="lines", name=SLICE, legendgroup="slice",
            line={"color": BLUE, "width": 2},
        ),
        *(
            go.Scatter(
                x=at, y=panel.marginal.mean + side * panel.marginal.sd, mode="lines",
                line={"color": ORANGE, "width": 2 if side == 0 else 0.8,
                      "dash": "dash" if side == 0 else "dot"},
                legendgroup="marginal", showlegend=side == 0,
                name=MARGINAL, hoverinfo="skip" if side else "all",
            )
            for side in (0, -1, 1)
        ),
    ]  # fmt: skip


def _steps(panel: Panel, best: int) -> list[go.Scatter | go.Bar]:
    """The steps, from mean − sd to mean + sd; the best one in another colour."""
    mean, sd, spans = panel.slice.mean, panel.slice.sd, np.array(pieces(panel.grid))
    at, colours = np.array(positions(panel.grid, panel.grid.values)), [faded(BLUE, 0.3)] * len(mean)
    colours[best] = faded(GREEN, 0.4)
    boxes = go.Bar(
        x=at, base=mean - sd, y=2.0 * sd, offset=spans[:, 0] - at, width=np.ptp(spans, axis=1),
        marker={"color": colours, "line": {"width": 0}}, legendgroup="slice", showlegend=False,
        customdata=mean, text=names(panel.grid), textposition="none",
        hovertemplate="%{text}: %{customdata:.5g}<extra></extra>",
    )  # fmt: skip
    others = [i for i in range(len(mean)) if i != best]
    return [
        boxes,
        _flat(spans[others], mean[others], BLUE, SLICE, group="slice"),
        _flat(spans[[best]], mean[[best]], GREEN, BEST, group="best"),
    ]


def _flat(
    spans: FloatArray, heights: FloatArray, colour: str, name: str, *, group: str
) -> go.Scatter:
    """A line across each span, with gaps between them."""
    return go.Scatter(
        x=[x for left, right in spans for x in (left, right, None)],
        y=[y for height in heights for y in (height, height, None)],
        mode="lines", line={"color": colour, "width": 2.5}, hoverinfo="skip",
        name=name, legendgroup=group,
    )  # fmt: skip


def _average(panel: Panel) -> go.Scatter:
    many = len(panel.marginal.mean) > FEW_STEPS
    return go.Scatter(
        x=positions(panel.grid, panel.grid.values), y=panel.marginal.mean, mode="markers",
        error_y={"array": panel.marginal.sd, "color": ORANGE, "thickness": 1.2,
                 **({"width": 0} if many else {})},
        marker={"color": ORANGE, "symbol": "diamond", "size": 4 if many else 8},
        text=names(panel.grid), hovertemplate="%{text}: %{y:.5g}<extra></extra>",
        name=MARGINAL, legendgroup="marginal",
    )  # fmt: skip


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    panels = panels_of(snapshot)
    if not panels:
        return empty("two results are needed for a model", title=TITLE, theme=theme)
    note = outside_note(snapshot)
    return figure(panels, maximize=snapshot.maximize, note=note, theme=theme)


def panels_of(snapshot: Snapshot) -> list[Panel]:
    """A panel for each element of the space; none while there is no model."""
    model, problem = snapshot.model, snapshot.problem
    if model is None:
        return []
    shown = placed(snapshot)
    points, centre = problem.observations.points[shown], snapshot.centre[np.newaxis, :]
    return [
        Panel(
            grid,
            snapshot.signed(slice_through(model, grid, snapshot.centre)),
            snapshot.signed(marginal(model, grid)),
            tuple(values_at(problem.space, group, points)),
            snapshot.values[shown],
            problem.fulfilled[shown],
            values_at(problem.space, group, centre)[0] if problem.constraints else None,
        )
        for group, grid in enumerate(grids(problem.space))
    ]
