"""Which integer, which option and which cell is best: a bar of probability for each, from draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from spearmint_int.analysis.optimum import (
    NONE_KNOWN,
    best_cells,
    certificate,
    discrete_groups,
    optimum_draws,
    probability_of_best,
)
from spearmint_int.analysis.slices import Grid, grids
from spearmint_int.plots.axes import (
    MOST_TICKS,
    TITLE_LENGTH,
    layout,
    log_axis,
    pieces,
    positions,
    shortened,
    whole_ticks,
)
from spearmint_int.plots.panels import places, side_by_side
from spearmint_int.plots.style import BLUE, GREEN, empty, faded, finished, plain
from spearmint_int.snapshot import Snapshot
from spearmint_int.variables import Params

TITLE = "Which value is best: the probability of each"
PANEL_HEIGHT = 190
# How many of a lattice's likeliest cells are listed, and the heights of the list and a line.
MOST_CELLS, CELLS_HEAD, CELL_HEIGHT = 10, 60, 22


def figure(
    panels: Sequence[tuple[Grid, dict[Any, float]]], sentence: str,
    *, cells: Sequence[tuple[Params, float]] = (), theme: str = "light",
) -> go.Figure:  # fmt: skip
    """A panel for each integer and each choice, and one for the likeliest cells of a lattice;
    `sentence` is what is known of the regret."""
    along = [grid for grid, _ in panels]
    below = CELLS_HEAD + CELL_HEIGHT * len(cells) if cells else 0
    drawn = side_by_side(along, height=PANEL_HEIGHT, below=below)
    for (grid, chances), place in zip(panels, places(along), strict=True):
        drawn.add_trace(_bars(grid, chances), **place)
        drawn.update_xaxes(_axis(grid, list(chances)), **place)
        drawn.update_yaxes(range=[0, 1], tickformat=".0%", **place)
    if cells:
        _add_cells(drawn, cells, row=places(along)[-1]["row"] + 1)
    drawn.update_layout(showlegend=False)
    return finished(drawn, title=TITLE, note=sentence, theme=theme, height=drawn.layout.height)


def _add_cells(drawn: go.Figure, cells: Sequence[tuple[Params, float]], *, row: int) -> None:
    labels, values = [plain(_label(params)) for params, _ in cells], [c for _, c in cells]
    marker = {"color": _colours(values), "line": {"width": 0}}
    drawn.add_trace(go.Bar(x=values, y=labels, orientation="h", marker=marker), row=row, col=1)
    drawn.update_xaxes(title="all together", tickformat=".0%", rangemode="tozero", row=row)
    drawn.update_yaxes(autorange="reversed", type="category", row=row)


def _bars(grid: Grid, chances: Mapping[Any, float]) -> go.Bar:
    """A bar for each value at its place; a wide integer has those that may be the best."""
    at, values = np.array(positions(grid, list(chances))), list(chances.values())
    spans = np.array(pieces(grid)) if not grid.has_gaps else at[:, np.newaxis] + [-0.4, 0.4]
    colours = _colours(values)
    outline = {"width": 1 if grid.has_gaps else 0, "color": colours}  # one of 1000 is seen too
    return go.Bar(
        x=at, y=values, offset=spans[:, 0] - at, width=np.ptp(spans, axis=1),
        marker={"color": colours, "line": outline},
        text=[plain(value) for value in chances], textposition="none",
        hovertemplate="%{text}: %{y:.1%}<extra></extra>",
    )  # fmt: skip


def _colours(values: Sequence[float]) -> list[str]:
    """The colours of the bars: the likeliest value has another one."""
    colours = [faded(BLUE, 0.6)] * len(values)
    colours[int(np.argmax(values))] = GREEN
    return colours


def _axis(grid: Grid, listed: Sequence[Any]) -> dict[str, Any]:
    """The axis of the grid; for a wide integer only the part where the best may be."""
    if not grid.has_gaps:
        return layout(grid)
    few = max(listed) - min(listed) <= MOST_TICKS
    named = {"title": {"text": plain(shortened(grid.name, TITLE_LENGTH))}}
    many = log_axis(listed) if grid.log else whole_ticks(grid)
    return named | ({"dtick": 1, "tickformat": "d"} if few else many)


def _label(params: Params) -> str:
    return ", ".join(f"{name}={value}" for name, value in params.items())


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    model, space = snapshot.model, snapshot.problem.space
    groups = discrete_groups(space)
    if model is None or not groups:
        needed = "two results are needed for a model" if groups else "there is no integer to choose"
        return empty(needed, title=TITLE, theme=theme)
    if model.has_no_best:
        return empty(NONE_KNOWN, title=TITLE, theme=theme)
    draws = optimum_draws(model, np.random.default_rng(0))
    along = grids(space)
    panels = [(along[group], probability_of_best(draws, group)) for group in groups]
    cells = best_cells(draws)[:MOST_CELLS] if len(groups) > 1 else []
    return figure(panels, f"the model is {certificate(draws)}", cells=cells, theme=theme)
