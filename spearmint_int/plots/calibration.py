"""Predicted against observed, each result left out of its own prediction; and the calibration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spearmint_int.analysis.crossvalidation import CrossValidation, cross_validated
from spearmint_int.plots.style import BLUE, GREY, ORANGE, empty, faded, finished
from spearmint_int.snapshot import Snapshot

TITLE = "Predicted against observed, and whether the error bars are right"
LEVELS = np.linspace(0.05, 0.95, 19)


def figure(found: CrossValidation, *, theme: str = "light") -> go.Figure:
    drawn = make_subplots(rows=1, cols=2, column_widths=[0.58, 0.42], horizontal_spacing=0.06)
    for trace in _against(found):
        drawn.add_trace(trace, row=1, col=1)
    for trace in _coverage(found):
        drawn.add_trace(trace, row=1, col=2)
    drawn.update_xaxes(title="observed", row=1, col=1)
    drawn.update_yaxes(title="predicted without it ± sd", row=1, col=1)
    share = {"range": [-0.03, 1.03], "tickformat": ".0%"}  # two 0 % in one corner would touch
    drawn.update_xaxes(title="interval", **share, row=1, col=2)
    drawn.update_yaxes(title="results inside", side="right", **share, row=1, col=2)
    return finished(drawn, title=TITLE, theme=theme, height=440, showlegend=False)


def _against(found: CrossValidation) -> list[go.Scatter]:
    ends = [float(f(np.concatenate([found.observed, found.mean]))) for f in (np.min, np.max)]
    return [
        go.Scatter(x=ends, y=ends, mode="lines", line={"color": GREY, "dash": "dash"}),
        go.Scatter(
            x=found.observed, y=found.mean, mode="markers", marker={"color": BLUE, "size": 7},
            error_y={"array": found.sd, "color": faded(BLUE, 0.5), "thickness": 1.2},
            hovertemplate="observed %{x:.5g}<br>predicted %{y:.5g}<extra></extra>",
        ),
    ]  # fmt: skip


def _coverage(found: CrossValidation) -> list[go.Scatter]:
    """The share inside of each interval, with the spread that so few results leave by chance."""
    chance = 2.0 * np.sqrt(LEVELS * (1 - LEVELS) / len(found.observed))
    high, low = np.clip(LEVELS + chance, 0, 1), np.clip(LEVELS - chance, 0, 1)
    return [
        go.Scatter(
            x=[*LEVELS, *LEVELS[::-1]], y=[*high, *low[::-1]], fill="toself",
            fillcolor=faded(GREY, 0.2), line={"width": 0}, hoverinfo="skip",
        ),
        go.Scatter(x=[0, 1], y=[0, 1], mode="lines", line={"color": GREY, "dash": "dash"}),
        go.Scatter(
            x=LEVELS, y=[found.coverage(level) for level in LEVELS], mode="lines+markers",
            line={"color": ORANGE, "width": 2}, marker={"size": 6},
        ),
    ]  # fmt: skip


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    try:
        found = cross_validated(snapshot.problem)
    except np.linalg.LinAlgError:
        found = None
    if found is None:
        return empty("a few more results are needed", title=TITLE, theme=theme)
    sign = snapshot.sign
    signed = replace(found, observed=sign * found.observed, mean=sign * found.mean)
    return figure(signed, theme=theme)
