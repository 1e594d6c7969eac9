"""Which variables matter: a bar for each of Sobol's indices, with its spread over the samples."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from spearmint_int.analysis.importance import Importance, importance_of
from spearmint_int.arrays import FloatArray
from spearmint_int.plots.axes import TITLE_LENGTH, named_ticks
from spearmint_int.plots.style import BLUE, GREY, ORANGE, empty, finished, plain
from spearmint_int.snapshot import Snapshot

TITLE = "Which variables matter (Sobol's indices of the model's mean)"


def figure(importance: Importance, *, theme: str = "light") -> go.Figure:
    """Bars, the most important on top; error bars from the 10 to the 90 % quantile."""
    order = np.argsort(np.median(importance.total, axis=0))
    names = [importance.names[i] for i in order]
    drawn = go.Figure()
    kinds = (("with interactions", importance.total, ORANGE), ("alone", importance.first, BLUE))
    for name, rows, colour in kinds:
        drawn.add_trace(_bar(name, rows[:, order], [plain(name) for name in names], colour))
    drawn.update_yaxes(named_ticks(names, TITLE_LENGTH))
    drawn.update_xaxes(title="share of the variance", rangemode="tozero", tickformat=".0%")
    drawn.update_layout(barmode="group", legend={"traceorder": "reversed"})
    return finished(drawn, title=TITLE, theme=theme, height=140 + 56 * max(len(names), 2))


def _bar(name: str, rows: FloatArray, names: list[str], colour: str) -> go.Bar:
    middle = np.clip(np.median(rows, axis=0), 0.0, None)
    low, high = np.quantile(rows, [0.1, 0.9], axis=0)
    return go.Bar(
        x=middle, y=names, orientation="h", name=name, marker={"color": colour},
        error_x={
            "type": "data", "symmetric": False, "color": GREY, "thickness": 1.5,
            "array": np.maximum(high - middle, 0.0),
            "arrayminus": np.maximum(middle - np.clip(low, 0.0, None), 0.0),
        },
    )  # fmt: skip


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    if snapshot.model is None:
        return empty("two results are needed for a model", title=TITLE, theme=theme)
    return figure(importance_of(snapshot.model), theme=theme)
