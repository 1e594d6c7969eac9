"""When jobs ran, side by side, and which of them failed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

import plotly.graph_objects as go

from spearmint_int import value_text
from spearmint_int.plots.style import BLUE, GREY, ORANGE, VERMILION, empty, finished, plain
from spearmint_int.snapshot import Snapshot, Trial

TITLE = "Jobs over time"
# Failures are hatched too: a difference in colour alone is lost in print.
COLOURS = {"complete": BLUE, "failed": VERMILION, "running": ORANGE, "new": GREY}
HATCHED = "failed"


def figure(
    trials: Sequence[Trial], *, now: float, zone: tzinfo | None = None, theme: str = "light"
) -> go.Figure:
    """A bar from each job's start to its end, or to now, in as few lanes as ran at once.

    One zone for all, the local one of now: bars on both sides of a change of the clocks keep their
    distance.
    """
    ran = sorted((t for t in trials if t.started is not None), key=lambda t: t.started or 0.0)
    if not ran:
        return empty("no job has run here", title=TITLE, theme=theme)
    here = zone or datetime.fromtimestamp(now).astimezone().tzinfo
    lanes = lanes_of([(t.started or 0.0, _end(t, now)) for t in ran])
    drawn = go.Figure()
    for what in COLOURS:
        rows = [(t, lane) for t, lane in zip(ran, lanes, strict=True) if _outcome(t) == what]
        if rows:
            drawn.add_trace(_bars(rows, what, now, here))
    drawn.update_yaxes(title="lane", dtick=1, autorange="reversed")
    name = plain(datetime.fromtimestamp(now, here).strftime("%Z"))
    drawn.update_xaxes(type="date", title=f"time ({name})")
    height = 200 + min(26 * (max(lanes) + 1), 500)
    drawn.update_layout(barmode="overlay", bargap=0.2, showlegend=True)
    return finished(drawn, title=TITLE, theme=theme, height=height)


def _outcome(trial: Trial) -> str:
    if trial.failed:
        return "failed"
    return "running" if trial.status == "pending" else trial.status


def _end(trial: Trial, now: float) -> float:
    return now if trial.ended is None else trial.ended


def _bars(rows: Sequence[tuple[Trial, int]], what: str, now: float, zone: tzinfo | None) -> go.Bar:
    starts = [t.started or 0.0 for t, _ in rows]
    lengths = [
        1000 * max(_end(t, now) - start, 0.0) for (t, _), start in zip(rows, starts, strict=True)
    ]
    return go.Bar(
        base=[datetime.fromtimestamp(s, zone).replace(tzinfo=None).isoformat() for s in starts],
        x=lengths, y=[lane + 1 for _, lane in rows], orientation="h", name=what,
        marker={"color": COLOURS[what], "line": {"color": "white", "width": 0.5},
                "pattern": {"shape": "/" if what == HATCHED else ""}},
        text=[_label(t, now) for t, _ in rows], textposition="none",
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def _label(trial: Trial, now: float) -> str:
    took = f"{_end(trial, now) - (trial.started or 0.0):.3g} s"
    if trial.ended is None:
        return plain(f"job {trial.id}: running for {took}")
    what = trial.failure or (value_text.number(trial.value) if trial.worked else "no number")
    return plain(f"job {trial.id}: {what}, {took}")


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
    return figure(snapshot.trials, now=_now(snapshot), theme=theme)


def _now(snapshot: Snapshot) -> float:
    """When the store was read; no earlier than the last event, whose machine's clock may be
    ahead."""
    times = [t for trial in snapshot.trials for t in (trial.started, trial.ended) if t is not None]
    return max([*times, snapshot.taken or 0.0])
