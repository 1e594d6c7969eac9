"""Two variables at a time: the model's mean over each pair of those that matter most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spearmint_int.analysis.slices import Grid, grids, slice_through
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import FittedModel
from spearmint_int.plots.axes import (
    edges,
    layout,
    names,
    outside_note,
    placed,
    positions,
    values_at,
)
from spearmint_int.plots.panels import named_once
from spearmint_int.plots.style import RESULT, UNFULFILLED, VERMILION, empty, finished
from spearmint_int.snapshot import Snapshot

TITLE = "Pairs of variables, the others as at the model's optimum"
MOST_ELEMENTS = 4
GRID = 31
PANEL = 230


Marks = tuple[tuple[Any, ...], tuple[Any, ...]]
OPTIMUM = "model's optimum"
MARKERS: dict[str, dict[str, Any]] = {
    RESULT: {"color": "white", "size": 5, "line": {"color": "black", "width": 0.8}},
    UNFULFILLED: {"color": VERMILION, "symbol": "circle-open", "size": 6, "line": {"width": 1.5}},
    "failed": {"color": VERMILION, "symbol": "x", "size": 7,
               "line": {"color": "white", "width": 0.8}},
    OPTIMUM: {"color": VERMILION, "symbol": "star", "size": 13,
              "line": {"color": "white", "width": 1}},
}  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """The mean [ky, kx] over two grids; on it marks of each sort, by their values on x and on y."""

    x: Grid
    y: Grid
    mean: FloatArray
    marks: dict[str, Marks]


def figure(pairs: Sequence[Pair], *, note: str = "", theme: str = "light") -> go.Figure:
    """A triangle of panels: each column an x, each row a y."""
    across = list(dict.fromkeys(pair.x.name for pair in pairs))
    down = list(dict.fromkeys(pair.y.name for pair in pairs))
    there = {(pair.y.name, pair.x.name) for pair in pairs}
    # an empty panel would have an axis too, and share its scale with those of its row
    specs: list[list[dict[str, Any] | None]] = [
        [{} if (y, x) in there else None for x in across] for y in down
    ]
    drawn = make_subplots(rows=len(down), cols=len(across), shared_xaxes=True, shared_yaxes=True,
                          specs=specs, horizontal_spacing=0.03, vertical_spacing=0.03)  # fmt: skip
    for pair in pairs:
        row, column = down.index(pair.y.name) + 1, across.index(pair.x.name) + 1
        for trace in _traces(pair):
            drawn.add_trace(trace, row=row, col=column)
        drawn.update_xaxes(_untitled(pair.x, row == len(down)), row=row, col=column)
        drawn.update_yaxes(_untitled(pair.y, column == 1), row=row, col=column)
    named_once(drawn)
    drawn.update_layout(coloraxis={"colorbar": {"title": {"text": "mean"}}})
    height = 150 + PANEL * len(down)
    return finished(drawn, title=TITLE, note=note, theme=theme, height=height)


def _untitled(grid: Grid, titled: bool) -> dict[str, Any]:
    return {k: v for k, v in layout(grid).items() if titled or k != "title"}


def _traces(pair: Pair) -> list[go.Heatmap | go.Scatter]:
    labels = [[f"{x}, {y}" for x in names(pair.x)] for y in names(pair.y)]
    return [
        go.Heatmap(
            x=edges(pair.x), y=edges(pair.y), z=pair.mean, coloraxis="coloraxis", text=labels,
            showlegend=False, hovertemplate="%{text}: %{z:.5g}<extra></extra>",
        ),
        *(_marks(pair, name) for name in MARKERS if pair.marks[name][0]),
    ]  # fmt: skip


def _marks(pair: Pair, name: str) -> go.Scatter:
    both = zip((pair.x, pair.y), pair.marks[name], strict=True)
    x, y = (positions(grid, values) for grid, values in both)
    return go.Scatter(
        x=x, y=y, mode="markers", marker=MARKERS[name], name=name, legendgroup=name,
        hoverinfo="name",
    )  # fmt: skip


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    pairs = pairs_of(snapshot)
    if not pairs:
        sentence = "a model and two variables are needed"
        return empty(sentence, title=TITLE, theme=theme)
    return figure(pairs, note=outside_note(snapshot), theme=theme)


def pairs_of(snapshot: Snapshot) -> list[Pair]:
    model, space = snapshot.model, snapshot.problem.space
    if model is None or len(space.groups) < 2:
        return []
    coarse = grids(space, reals=GRID)
    spread = [np.ptp(slice_through(model, grid, snapshot.centre).mean) for grid in coarse]
    chosen = sorted(np.argsort(spread)[::-1][:MOST_ELEMENTS].tolist())
    return [
        _pair(model, snapshot, coarse, (a, b))
        for i, a in enumerate(chosen)
        for b in chosen[i + 1 :]
    ]


def _pair(
    model: FittedModel, snapshot: Snapshot, coarse: Sequence[Grid], both: tuple[int, int]
) -> Pair:
    x, y = (coarse[group] for group in both)
    centre, shown = snapshot.centre, placed(snapshot)
    mean = snapshot.signed(model.predict(y.through(x.through(centre)))).mean
    worked, fulfils = np.isfinite(snapshot.values), snapshot.problem.fulfilled
    points = snapshot.problem.observations.points
    sorts = (worked & fulfils, worked & ~fulfils, ~worked)
    rows = [*(points[shown & sort] for sort in sorts), centre[np.newaxis, :]]
    marks = [_marked(snapshot, part, both) for part in rows]
    shape = (len(y.values), len(x.values))
    return Pair(x, y, mean.reshape(shape), dict(zip(MARKERS, marks, strict=True)))


def _marked(snapshot: Snapshot, points: FloatArray, both: tuple[int, int]) -> Marks:
    a, b = (tuple(values_at(snapshot.problem.space, group, points)) for group in both)
    return a, b
