"""The length scales that the sampler believes in now, and their way from job to job."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spearmint_int.arrays import FloatArray
from spearmint_int.plots.style import COLOURS, empty, faded, finished, plain
from spearmint_int.snapshot import Snapshot

TITLE = "Length scales: short ones matter (1 is the whole range)"


def figure(
    names: Sequence[str], now: FloatArray, trace: Sequence[tuple[int, FloatArray]],
    *, theme: str = "light",
) -> go.Figure:  # fmt: skip
    """`now` [S, groups] are the samples; `trace` has those that each job was chosen with."""
    widths = [0.4, 0.6] if trace else [1.0]
    drawn = make_subplots(rows=1, cols=len(widths), column_widths=widths, shared_yaxes=True,
                          horizontal_spacing=0.05)  # fmt: skip
    for i, name in enumerate(names):
        colour, label = COLOURS[i % len(COLOURS)], plain(name)
        points = {"boxpoints": "all", "jitter": 0.4, "pointpos": 0, "marker": {"size": 4}}
        box = go.Box(y=now[:, i], name=label, line={"color": colour}, showlegend=False, **points)
        drawn.add_trace(box, row=1, col=1)
        if trace:
            for part in _way(trace, i, label, colour):
                drawn.add_trace(part, row=1, col=2)
    if trace:
        drawn.update_xaxes(title="job", row=1, col=2)
    drawn.update_yaxes(type="log", dtick=1)
    drawn.update_yaxes(title="length scale", col=1)
    return finished(drawn, title=TITLE, theme=theme)


def _way(
    trace: Sequence[tuple[int, FloatArray]], i: int, label: str, colour: str
) -> list[go.Scatter]:
    """The median from job to job, inside of the 10 and 90 % quantiles."""
    jobs = [job for job, _ in trace]
    low, middle, high = np.array([np.quantile(s[:, i], [0.1, 0.5, 0.9]) for _, s in trace]).T
    return [
        go.Scatter(
            x=jobs + jobs[::-1], y=[*high, *low[::-1]], fill="toself", hoverinfo="skip",
            fillcolor=faded(colour, 0.15), line={"width": 0}, legendgroup=label, showlegend=False,
        ),
        go.Scatter(x=jobs, y=middle, name=label, line={"color": colour}, legendgroup=label),
    ]  # fmt: skip


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    if snapshot.model is None:
        return empty("two results are needed for a model", title=TITLE, theme=theme)
    names = snapshot.problem.space.group_names
    now = np.array([p.theta.length_scales for p in snapshot.model.draws.posteriors])
    return figure(names, now, _trace(snapshot, len(names)), theme=theme)


def _trace(snapshot: Snapshot, groups: int) -> list[tuple[int, FloatArray]]:
    """The samples of every job that a model has chosen, as its provenance keeps them."""
    rows = []
    for trial in snapshot.trials:
        stored = trial.provenance.get("hyperparameters") or []
        lengths = np.array([theta.get("length_scales", ()) for theta in stored], dtype=np.float64)
        if lengths.ndim == 2 and lengths.shape[1] == groups:
            rows.append((trial.id, lengths))
    return rows
