"""Which integer and which option is best: a bar of probability for each, from joint draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spearmint_int.analysis.optimum import (
    certificate,
    discrete_groups,
    optimum_draws,
    probability_of_best,
)
from spearmint_int.plots.style import BLUE, GREEN, empty, faded, finished, plain
from spearmint_int.snapshot import Snapshot

TITLE = "Which value is best: the probability of each"
COLUMNS = 3
PANEL_HEIGHT = 250


def figure(
    panels: Sequence[tuple[str, dict[Any, float]]], sentence: str, *, theme: str = "light"
) -> go.Figure:
    """A panel for each integer and each choice; `sentence` is what is known of the regret."""
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    drawn = make_subplots(rows=rows, cols=columns, shared_yaxes=True, horizontal_spacing=0.04,
                          vertical_spacing=0.35 / rows)  # fmt: skip
    for i, (name, chances) in enumerate(panels):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        labels, values = [plain(value) for value in chances], list(chances.values())
        colours = [faded(BLUE, 0.6)] * len(values)
        colours[int(np.argmax(values))] = GREEN
        bar = go.Bar(x=labels, y=values, marker={"color": colours, "line": {"width": 0}})
        drawn.add_trace(bar, **place)
        drawn.update_xaxes(title=plain(name), type="category", **place)
    drawn.update_yaxes(range=[0, 1], tickformat=".0%")
    title = f"{TITLE}<br><sup>{plain(sentence)}</sup>"
    height = 130 + PANEL_HEIGHT * rows
    styled = finished(drawn, title="", theme=theme, height=height, showlegend=False)
    return styled.update_layout(title={"text": title})


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    model, space = snapshot.model, snapshot.problem.space
    groups = discrete_groups(space)
    if model is None or not groups:
        needed = "two results are needed for a model" if groups else "there is no integer to choose"
        return empty(needed, title=TITLE, theme=theme)
    draws = optimum_draws(model, np.random.default_rng(0))
    panels = [(space.group_names[group], probability_of_best(draws, group)) for group in groups]
    return figure(panels, f"the model is {certificate(draws)}", theme=theme)
