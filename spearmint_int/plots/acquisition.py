"""What each suggestion promised when it was chosen, beside its runner-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from spearmint_int.plots.style import BLUE, GREY, empty, finished
from spearmint_int.registry import ACQUISITIONS
from spearmint_int.snapshot import Snapshot, Trial

TITLE = "What each suggestion promised"
POSITIVE = ("ei", "nei")  # these are drawn on a log scale


def figure(trials: Sequence[Trial], *, theme: str = "light") -> go.Figure:
    """The acquisition of every job that a model chose, by its id."""
    chosen = [t for t in trials if isinstance(t.provenance.get("value"), float)]
    if not chosen:
        return empty("no job was chosen by a model yet", title=TITLE, theme=theme)
    drawn = go.Figure()
    drawn.add_scatter(
        x=[t.id for t in chosen], y=[_runner_up(t.provenance) for t in chosen], mode="markers",
        name="runner-up", marker={"color": GREY, "symbol": "line-ew-open", "size": 9},
    )  # fmt: skip
    drawn.add_scatter(
        x=[t.id for t in chosen], y=[t.provenance["value"] for t in chosen],
        mode="lines+markers", name="chosen", line={"color": BLUE}, marker={"size": 6},
    )  # fmt: skip
    acquisition = str(chosen[-1].provenance.get("acquisition", ""))
    drawn.update_xaxes(title="job")
    about = ACQUISITIONS.about(acquisition) or acquisition
    scale = {"type": "log", "dtick": 1} if acquisition in POSITIVE else {}
    drawn.update_yaxes(title=about, **scale)
    return finished(drawn, title=TITLE, theme=theme)


def _runner_up(provenance: Any) -> float | None:
    return (provenance.get("runner_up") or {}).get("value")


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    return figure(snapshot.trials, theme=theme)
