"""What each suggestion promised when it was chosen, beside its runner-up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from spearmint_int.chooser import FEASIBILITY
from spearmint_int.plots.axes import job_axis, log_axis
from spearmint_int.plots.style import BLUE, GREY, empty, finished
from spearmint_int.registry import ACQUISITIONS
from spearmint_int.snapshot import Snapshot, Trial

TITLE = "What each suggestion promised"
POSITIVE = ("ei", "nei")  # these are drawn on a log scale
# The least share of the largest value that is shown: lower ones would take most of the axis.
LEAST_SHARE, LEAST_SHARE_TEXT = 1e-12, "10⁻¹²"


def figure(trials: Sequence[Trial], *, theme: str = "light") -> go.Figure:
    """The acquisition of every job that a model chose, by its id."""
    chosen = [t for t in trials if isinstance(t.provenance.get("value"), float)]
    improving = [t for t in chosen if t.provenance.get("acquisition") != FEASIBILITY]
    chosen = improving or chosen  # a probability of constraints has no place beside improvements
    if not chosen:
        return empty("no job was chosen by a model yet", title=TITLE, theme=theme)
    ids, values = [t.id for t in chosen], [float(t.provenance["value"]) for t in chosen]
    drawn = go.Figure()
    drawn.add_scatter(
        x=ids, y=[_runner_up(t.provenance) for t in chosen], mode="markers",
        name="runner-up", marker={"color": GREY, "symbol": "line-ew-open", "size": 9},
    )  # fmt: skip
    drawn.add_scatter(
        x=ids, y=values, mode="lines+markers", name="chosen", line={"color": BLUE},
        marker={"size": 6},
    )  # fmt: skip
    acquisition = str(chosen[-1].provenance.get("acquisition", ""))
    is_log = acquisition in POSITIVE
    drawn.update_xaxes(job_axis(ids))
    drawn.update_yaxes(title=ACQUISITIONS.about(acquisition) or acquisition)
    drawn.update_yaxes(_log_axis(values) if is_log else {})
    return finished(drawn, title=TITLE, note=_note(values) if is_log else "", theme=theme)


def _log_axis(values: Sequence[float]) -> dict[str, Any]:
    """A log scale, cut off at the lower end where almost nothing was promised."""
    shown = [v for v in values if v > 0.0 and v >= _floor(values)]
    if not shown or len(shown) == len(values):
        return log_axis(shown)
    low, high = math.log10(min(shown)), math.log10(max(shown))
    margin = 0.1 + 0.05 * (high - low)
    return log_axis(shown) | {"range": [low - margin, high + margin]}


def _note(values: Sequence[float]) -> str:
    below = sum(v < _floor(values) for v in values)
    lie = "lies" if below == 1 else "lie"
    words = f"{below} promised less than {LEAST_SHARE_TEXT} of the most, and {lie} below the axis"
    return words if below else ""


def _floor(values: Sequence[float]) -> float:
    return LEAST_SHARE * max(values)


def _runner_up(provenance: Any) -> float | None:
    return (provenance.get("runner_up") or {}).get("value")


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    return figure(snapshot.trials, theme=theme)
