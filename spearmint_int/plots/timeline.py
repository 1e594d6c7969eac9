"""When jobs ran, side by side, and which of them failed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

import plotly.graph_objects as go

from spearmint_int.plots.style import STATUS_COLOURS, empty, finished, plain
from spearmint_int.snapshot import Snapshot, Trial

TITLE = "Jobs over time"


def figure(trials: Sequence[Trial], *, now: float, theme: str = "light") -> go.Figure:
    """A bar from each job's start to its end, in as few lanes as ran at once."""
    ran = sorted((t for t in trials if t.started is not None), key=lambda t: t.started or 0.0)
    if not ran:
        return empty("no job has run here", title=TITLE, theme=theme)
    lanes = lanes_of([(t.started or 0.0, now if t.ended is None else t.ended) for t in ran])
    drawn = go.Figure()
    for status, colour in STATUS_COLOURS.items():
        rows = [(t, lane) for t, lane in zip(ran, lanes, strict=True) if t.status == status]
        if rows:
            drawn.add_trace(_bars(rows, status, colour, now))
    drawn.update_yaxes(title="lane", dtick=1, autorange="reversed")
    drawn.update_xaxes(type="date")
    height = 180 + min(26 * (max(lanes) + 1), 500)
    return finished(drawn, title=TITLE, theme=theme, height=height, barmode="overlay", bargap=0.2)


def _bars(rows: Sequence[tuple[Trial, int]], status: str, colour: str, now: float) -> go.Bar:
    starts = [t.started or 0.0 for t, _ in rows]
    lengths = [
        1000 * max((now if t.ended is None else t.ended) - start, 0.0)
        for (t, _), start in zip(rows, starts, strict=True)
    ]
    return go.Bar(
        base=[datetime.fromtimestamp(start, timezone.utc).isoformat() for start in starts],
        x=lengths, y=[lane + 1 for _, lane in rows], orientation="h", name=status,
        marker={"color": colour, "line": {"color": "white", "width": 0.5},
                "pattern": {"shape": "/" if status == "broken" else ""}},
        text=[_label(t) for t, _ in rows], textposition="none",
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def _label(trial: Trial) -> str:
    what = trial.failure or ("running" if trial.ended is None else f"{trial.value:.6g}")
    took = "" if trial.seconds is None else f", {trial.seconds:.3g} s"
    return plain(f"job {trial.id}: {what}{took}")


def lanes_of(spans: Sequence[tuple[float, float]]) -> list[int]:
    """The first free lane of each span; spans come by their starts."""
    free_from: list[float] = []
    lanes = []
    for start, end in spans:
        lane = next((i for i, free in enumerate(free_from) if free <= start), len(free_from))
        if lane == len(free_from):
            free_from.append(end)
        free_from[lane] = end
        lanes.append(lane)
    return lanes


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    times = [t for trial in snapshot.trials for t in (trial.started, trial.ended) if t is not None]
    return figure(snapshot.trials, now=max(times, default=0.0), theme=theme)
