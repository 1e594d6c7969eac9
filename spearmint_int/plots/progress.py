"""Results by the order in which they came, the best so far, and the model's minimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go

from spearmint_int.analysis.crossvalidation import taken
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import Problem, Recommendation, recommend
from spearmint_int.plots.style import BLUE, GREEN, GREY, VERMILION, empty, faded, finished
from spearmint_int.snapshot import Snapshot, Trial

TITLE = "Best so far"
MOST_MARKS = 2000
CHECKPOINTS = 10  # moments at which the model is asked again for its minimum


@dataclass(frozen=True)
class Moment:
    """The model's minimum when so many results were known."""

    results: int
    mean: float
    sd: float


def figure(
    trials: Sequence[Trial], moments: Sequence[Moment], *, maximize: bool = False,
    theme: str = "light",
) -> go.Figure:  # fmt: skip
    """Each result, the best so far, and the model's optimum ± sd at some moments."""
    done = [trial for trial in trials if trial.worked]
    if not done:
        return empty("no result yet", title=TITLE, theme=theme)
    drawn = go.Figure()
    ids, values = [t.id for t in done], np.array([t.value for t in done])
    _add_results(drawn, ids, values)
    _add_failures(drawn, [t.id for t in trials if t.status == "broken" or _is_failed(t)])
    best = (np.maximum if maximize else np.minimum).accumulate(values)
    steps = _steps(best)
    drawn.add_scatter(
        x=[ids[i] for i in steps], y=best[steps], mode="lines", name="best so far",
        line={"color": BLUE, "width": 2.5, "shape": "hv"},
    )  # fmt: skip
    _add_moments(drawn, ids, moments)
    drawn.update_xaxes(title="job")
    drawn.update_yaxes(title="objective")
    return finished(drawn, title=TITLE, theme=theme)


def _is_failed(trial: Trial) -> bool:
    return trial.status == "complete" and not trial.worked


def _steps(best: FloatArray) -> list[int]:
    """Where the best so far changes, and its ends: the line between is flat."""
    changes = np.flatnonzero(np.diff(best)) + 1
    return sorted({0, *changes.tolist(), len(best) - 1})


def _thinned(count: int) -> tuple[slice, str]:
    """Which of many to draw, and a word on it: a browser takes seconds for 10 000 marks."""
    step = -(-count // MOST_MARKS)
    return slice(None, None, step), f" (1 in {step})" if step > 1 else ""


def _add_results(drawn: go.Figure, ids: list[int], values: FloatArray) -> None:
    part, word = _thinned(len(ids))
    drawn.add_scatter(
        x=ids[part], y=values[part], mode="markers", name=f"result{word}",
        marker={"color": GREY, "size": 6, "opacity": 0.6},
    )  # fmt: skip


def _add_failures(drawn: go.Figure, ids: list[int]) -> None:
    """Crosses at the foot: a failure has no value."""
    if ids:
        part, word = _thinned(len(ids))
        drawn.add_scatter(
            x=ids[part], y=[0.0] * len(ids[part]), yaxis="y2", mode="markers", name=f"failed{word}",
            marker={"color": VERMILION, "symbol": "x", "size": 8},
        )  # fmt: skip
        hidden = {"visible": False, "range": [-0.03, 1], "fixedrange": True}
        drawn.update_layout(yaxis2={"overlaying": "y", **hidden})


def _add_moments(drawn: go.Figure, ids: list[int], moments: Sequence[Moment]) -> None:
    if moments:
        drawn.add_scatter(
            x=[ids[m.results - 1] for m in moments],
            y=[m.mean for m in moments],
            error_y={"array": [m.sd for m in moments], "color": faded(GREEN, 0.7)},
            mode="markers+lines", name="model's optimum ± sd",
            line={"color": GREEN, "dash": "dot"}, marker={"symbol": "diamond", "size": 8},
        )  # fmt: skip


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    sign = snapshot.sign
    moments = [Moment(m.results, sign * m.mean, m.sd) for m in moments_of(snapshot.problem)]
    return figure(snapshot.finished, moments, maximize=snapshot.maximize, theme=theme)


def moments_of(problem: Problem) -> list[Moment]:
    """The model's minimum as it was, at some moments of the run, in the problem's sign."""
    finite = np.flatnonzero(np.isfinite(problem.values))
    first = max(problem.options.initial_points, 2)
    if len(finite) < first:
        return []
    counts = np.unique(np.linspace(first, len(finite), CHECKPOINTS).round().astype(int))
    found = [(int(n), _minimum(problem, finite[n - 1] + 1)) for n in counts]
    return [Moment(n, then.mean, then.sd) for n, then in found if then is not None]


def _minimum(problem: Problem, results: int) -> Recommendation | None:
    known = taken(problem.observations, np.arange(results))
    return recommend(replace(problem, observations=known, pending=problem.pending[:0]))
