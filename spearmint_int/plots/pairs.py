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
from spearmint_int.plots.axes import layout, positions, values_at
from spearmint_int.plots.style import LOW_TO_HIGH, VERMILION, empty, finished
from spearmint_int.snapshot import Snapshot

TITLE = "Pairs of variables, the others as at the model's optimum"
MOST_ELEMENTS = 4
GRID = 31
PANEL = 230


@dataclass(frozen=True)
class Pair:
    """The mean [ky, kx] over two grids, with the data and the optimum on it."""

    x: Grid
    y: Grid
    mean: FloatArray
    data: tuple[tuple[Any, ...], tuple[Any, ...]]
    optimum: tuple[Any, Any]


def figure(pairs: Sequence[Pair], *, theme: str = "light") -> go.Figure:
    """A triangle of panels: each column an x, each row a y."""
    across = list(dict.fromkeys(pair.x.name for pair in pairs))
    down = list(dict.fromkeys(pair.y.name for pair in pairs))
    drawn = make_subplots(rows=len(down), cols=len(across), shared_xaxes=True, shared_yaxes=True,
                          horizontal_spacing=0.03, vertical_spacing=0.03)  # fmt: skip
    for pair in pairs:
        row, column = down.index(pair.y.name) + 1, across.index(pair.x.name) + 1
        for trace in _traces(pair):
            drawn.add_trace(trace, row=row, col=column)
        drawn.update_xaxes(_untitled(pair.x, row == len(down)), row=row, col=column)
        drawn.update_yaxes(_untitled(pair.y, column == 1), row=row, col=column)
    bar = {"title": {"text": "mean"}, "thickness": 14, "outlinewidth": 0}
    drawn.update_layout(coloraxis={"colorscale": LOW_TO_HIGH, "colorbar": bar})
    height = 150 + PANEL * len(down)
    return finished(drawn, title=TITLE, theme=theme, height=height, showlegend=False)


def _untitled(grid: Grid, titled: bool) -> dict[str, Any]:
    return {k: v for k, v in layout(grid).items() if titled or k != "title"}


def _traces(pair: Pair) -> list[go.Heatmap | go.Scatter]:
    x, y = (positions(grid, grid.values) for grid in (pair.x, pair.y))
    data = [positions(g, v) for g, v in zip((pair.x, pair.y), pair.data, strict=True)]
    here = [positions(g, [v])[0] for g, v in zip((pair.x, pair.y), pair.optimum, strict=True)]
    white = {"color": "white", "size": 4, "line": {"color": "black", "width": 0.6}}
    star = {
        "symbol": "star",
        "size": 13,
        "color": VERMILION,
        "line": {"color": "white", "width": 1},
    }
    return [
        go.Heatmap(x=x, y=y, z=pair.mean, coloraxis="coloraxis"),
        go.Scatter(x=data[0], y=data[1], mode="markers", marker=white, hoverinfo="skip"),
        go.Scatter(x=here[:1], y=here[1:], mode="markers", marker=star, name="model's optimum"),
    ]


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    pairs = pairs_of(snapshot)
    if not pairs:
        sentence = "a model and two variables are needed"
        return empty(sentence, title=TITLE, theme=theme)
    return figure(pairs, theme=theme)


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
    space, points = model.problem.space, model.problem.observations.points
    centre = snapshot.centre
    mean = snapshot.signed(model.predict(y.through(x.through(centre)))).mean
    data = [tuple(values_at(space, group, points)) for group in both]
    here = [values_at(space, group, centre[np.newaxis, :])[0] for group in both]
    shape = (len(y.values), len(x.values))
    return Pair(x, y, mean.reshape(shape), (data[0], data[1]), (here[0], here[1]))
