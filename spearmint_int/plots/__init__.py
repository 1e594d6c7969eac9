"""Figures of an experiment: pure functions of data to plotly figures, in one house style.

    from spearmint_int.plots import plot
    plot(snapshot, "variables").show()

Each module has a `figure(data…)` and an `of(snapshot)` that finds its data. A kind of your own is
a function `(snapshot, theme) -> Figure`, by an entry point in the group `spearmint_int.plots`.
"""

from __future__ import annotations

from spearmint_int.blas import one_blas_thread
from spearmint_int.plots.files import ENDINGS, page, write, write_page
from spearmint_int.plots.style import THEMES, template
from spearmint_int.registry import PLOTS
from spearmint_int.snapshot import Snapshot

import plotly.graph_objects as go  # isort: skip

__all__ = [
    "ENDINGS",
    "PLOTS",
    "THEMES",
    "Snapshot",
    "page",
    "plot",
    "template",
    "write",
    "write_page",
]


def plot(snapshot: Snapshot, kind: str = "progress", *, theme: str = "light") -> go.Figure:
    """The figure of that kind; an unknown kind is an error that lists those there are."""
    with one_blas_thread():
        return PLOTS[kind](snapshot, theme)
