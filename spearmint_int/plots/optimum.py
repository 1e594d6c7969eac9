"""Which integer, which option and which cell is best: a bar of probability for each, from draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spearmint_int.analysis.optimum import (
    best_cells,
    certificate,
    discrete_groups,
    optimum_draws,
    probability_of_best,
)
from spearmint_int.plots.style import BLUE, GREEN, empty, faded, finished, plain
from spearmint_int.snapshot import Snapshot
from spearmint_int.variables import Params

TITLE = "Which value is best: the probability of each"
COLUMNS = 3
PANEL_HEIGHT, GAP = 250, 80
# The likeliest cells of a lattice: so many of them, a line each.
MOST_CELLS, CELLS_HEAD, CELL_HEIGHT = 10, 60, 22


def figure(
    panels: Sequence[tuple[str, dict[Any, float]]], sentence: str,
    *, cells: Sequence[tuple[Params, float]] = (), theme: str = "light",
) -> go.Figure:  # fmt: skip
    """A panel for each integer and each choice, and one for the likeliest cells of a lattice;
    `sentence` is what is known of the regret."""
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    drawn = _panels(rows, columns, cells=len(cells))
    for i, (name, chances) in enumerate(panels):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        drawn.add_trace(_bars([plain(value) for value in chances], chances.values()), **place)
        drawn.update_xaxes(title=plain(name), type="category", **place)
        drawn.update_yaxes(range=[0, 1], tickformat=".0%", **place)
    if cells:
        labels = [plain(_label(params)) for params, _ in cells]
        bars = _bars(labels, [chance for _, chance in cells], orientation="h")
        drawn.add_trace(bars, row=rows + 1, col=1)
        drawn.update_xaxes(title="all together", tickformat=".0%", rangemode="tozero", row=rows + 1)
        drawn.update_yaxes(autorange="reversed", type="category", row=rows + 1)
    title = f"{TITLE}<br><sup>{plain(sentence)}</sup>"
    height = 130 + PANEL_HEIGHT * rows + (CELLS_HEAD + CELL_HEIGHT * len(cells) if cells else 0)
    styled = finished(drawn, title="", theme=theme, height=height, showlegend=False)
    return styled.update_layout(title={"text": title})


def _panels(rows: int, columns: int, *, cells: int) -> go.Figure:
    """The variables' panels, and below them one of the whole width where there are cells."""
    heights = [PANEL_HEIGHT] * rows
    specs: list[list[Any]] = [[{}] * columns for _ in heights]
    if cells:
        heights.append(CELLS_HEAD + CELL_HEIGHT * cells)
        specs.append([{"colspan": columns}, *[None] * (columns - 1)])
    gap = GAP / (sum(heights) + GAP)
    return make_subplots(rows=len(heights), cols=columns, shared_yaxes=True, specs=specs,
                         row_heights=heights, horizontal_spacing=0.04,
                         vertical_spacing=gap)  # fmt: skip


def _bars(labels: Sequence[str], chances: Iterable[float], *, orientation: str = "v") -> go.Bar:
    """A bar each, the likeliest in another colour."""
    values = list(chances)
    colours = [faded(BLUE, 0.6)] * len(values)
    colours[int(np.argmax(values))] = GREEN
    x, y = (labels, values) if orientation == "v" else (values, labels)
    marker = {"color": colours, "line": {"width": 0}}
    return go.Bar(x=x, y=y, orientation=orientation, marker=marker)


def _label(params: Params) -> str:
    return ", ".join(f"{name}={value}" for name, value in params.items())


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    model, space = snapshot.model, snapshot.problem.space
    groups = discrete_groups(space)
    if model is None or not groups:
        needed = "two results are needed for a model" if groups else "there is no integer to choose"
        return empty(needed, title=TITLE, theme=theme)
    draws = optimum_draws(model, np.random.default_rng(0))
    panels = [(space.group_names[group], probability_of_best(draws, group)) for group in groups]
    cells = best_cells(draws)[:MOST_CELLS] if len(groups) > 1 else []
    return figure(panels, f"the model is {certificate(draws)}", cells=cells, theme=theme)
