"""Results by the order in which they came, the best so far, and the model's minimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go

from spearmint_int.analysis.crossvalidation import taken
from spearmint_int.arrays import BoolArray, FloatArray, IntArray
from spearmint_int.chooser import Problem, Recommendation, recommend
from spearmint_int.plots.axes import job_axis
from spearmint_int.plots.style import (
    BLUE,
    GREEN,
    GREY,
    RESULT,
    UNFULFILLED,
    VERMILION,
    Drawing,
    empty,
    faded,
    finished,
    styled,
)
from spearmint_int.snapshot import Snapshot, Trial

TITLE = "Best so far"
MOST_MARKS = 2000
CHECKPOINTS = 10  # moments at which the model is asked again for its minimum
# Failures have a strip above the values: a cross among those would be taken for one.
STRIP = {
    "domain": [0.93, 1.0], "range": [-1, 1], "fixedrange": True, "tickvals": [0],
    "ticktext": ["failed"], "showgrid": False,
}  # fmt: skip
BELOW_STRIP = {"domain": [0.0, 0.89]}
NO_RESULT = {"text": "no result yet", "x": 0.5, "y": 0.8, "xref": "paper", "yref": "paper",
             "showarrow": False}  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """The model's minimum when a number of results were known."""

    results: int
    mean: float
    sd: float


def figure(
    trials: Sequence[Trial], moments: Sequence[Moment], *, maximize: bool = False,
    theme: str = "light",
) -> go.Figure:  # fmt: skip
    """Each result, the best so far, and the model's optimum ± sd at some moments."""
    if not _is_drawn(trials):
        return empty("no result yet", title=TITLE, theme=theme)
    drawn = go.Figure(_parts(trials, moments, maximize=maximize))
    return finished(drawn, title=TITLE, theme=theme)


def drawing(trials: Sequence[Trial], *, maximize: bool = False, theme: str = "light") -> Drawing:
    """The same without the model, as plain data: a page that shows it anew every second can't wait
    for plotly to check it, which takes ten times as long."""
    if not _is_drawn(trials):
        return dict(empty("no result yet", title=TITLE, theme=theme).to_plotly_json())
    return styled(_parts(trials, (), maximize=maximize), title=TITLE, theme=theme)


def _is_drawn(trials: Sequence[Trial]) -> bool:
    return any(trial.worked or trial.failed for trial in trials)


def _parts(trials: Sequence[Trial], moments: Sequence[Moment], *, maximize: bool) -> Drawing:
    done, failed = [t for t in trials if t.worked], [t.id for t in trials if t.failed]
    ids, values = [t.id for t in done], np.array([t.value for t in done])
    fulfils = np.array([t.fulfils for t in done], dtype=np.bool_)
    counted = np.where(fulfils, values, -np.inf if maximize else np.inf)
    best = (np.maximum if maximize else np.minimum).accumulate(counted)
    data = [*_results(ids, values, fulfils), *_best(ids, best), *_moments(ids, moments)]
    return {"data": [*data, *_failures(failed)], "layout": _layout(ids, failed)}


def _layout(ids: list[int], failed: list[int]) -> Drawing:
    jobs, objective = job_axis([*ids, *failed]), {"title": {"text": "objective"}}
    if not failed:
        return {"xaxis": jobs, "yaxis": objective}
    if not ids:
        return {"xaxis": jobs, "yaxis2": STRIP | {"domain": [0, 1]}, "annotations": [NO_RESULT]}
    return {"xaxis": jobs, "yaxis": objective | BELOW_STRIP, "yaxis2": STRIP}


def _thinned(count: int) -> tuple[slice, str]:
    """Which of many results to draw, and a note on it: a browser takes seconds for 10 000 marks."""
    step = -(-count // MOST_MARKS)
    return slice(None, None, step), f" (1 in {step})" if step > 1 else ""


def _results(ids: list[int], values: FloatArray, fulfils: BoolArray) -> list[Drawing]:
    """The marks of results; those that don't fulfil every constraint are hollow."""
    kinds = ((RESULT, fulfils, "circle"), (UNFULFILLED, ~fulfils, "circle-open"))
    return [
        _marks(name, np.array(ids)[chosen], values[chosen], symbol)
        for name, chosen, symbol in kinds
        if np.any(chosen)
    ]


def _marks(name: str, ids: IntArray, values: FloatArray, symbol: str) -> Drawing:
    part, word = _thinned(len(ids))
    return {
        "type": "scatter", "x": ids[part].tolist(), "y": values[part].tolist(), "mode": "markers",
        "name": f"{name}{word}",
        "marker": {"color": GREY, "size": 6, "opacity": 0.6, "symbol": symbol},
    }  # fmt: skip


def _failures(ids: list[int]) -> list[Drawing]:
    """Crosses in their strip: a failure has no value."""
    if not ids:
        return []
    part, word = _thinned(len(ids))
    mark = {"color": VERMILION, "symbol": "x", "size": 8}
    return [{
        "type": "scatter", "x": ids[part], "y": [0.0] * len(ids[part]), "yaxis": "y2",
        "mode": "markers", "name": f"failed{word}", "marker": mark,
    }]  # fmt: skip


def _best(ids: list[int], best: FloatArray) -> list[Drawing]:
    """The line of the best so far, by its ends and the places where it changes. It begins with the
    first result that fulfils every constraint."""
    known = np.flatnonzero(np.isfinite(best))
    if len(known) == 0:
        return []
    ids, best = ids[known[0] :], best[known[0] :]
    changes = np.flatnonzero(np.diff(best)) + 1
    steps = sorted({0, *changes.tolist(), len(best) - 1})
    return [{
        "type": "scatter", "x": [ids[i] for i in steps], "y": best[steps].tolist(), "mode": "lines",
        "name": "best so far", "line": {"color": BLUE, "width": 2.5, "shape": "hv"},
    }]  # fmt: skip


def _moments(ids: list[int], moments: Sequence[Moment]) -> list[Drawing]:
    if not moments:
        return []
    return [{
        "type": "scatter",
        "x": [ids[m.results - 1] for m in moments],
        "y": [m.mean for m in moments],
        "error_y": {"array": [m.sd for m in moments], "color": faded(GREEN, 0.7)},
        "mode": "markers+lines", "name": "model's optimum ± sd",
        "line": {"color": GREEN, "dash": "dot"}, "marker": {"symbol": "diamond", "size": 8},
    }]  # fmt: skip


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    moments = moments_of(snapshot)
    return figure(snapshot.finished, moments, maximize=snapshot.maximize, theme=theme)


def moments_of(snapshot: Snapshot) -> list[Moment]:
    """The model's optimum as it was at some moments of the run, the last of which is now."""
    problem = snapshot.problem
    finite = np.flatnonzero(np.isfinite(problem.values))
    first = max(problem.options.initial_points, 2)
    if len(finite) < first:
        return []
    counts = np.unique(np.linspace(first, len(finite), CHECKPOINTS).round().astype(int))
    found = [(n, _minimum(problem, finite[n - 1] + 1)) for n in counts[:-1].tolist()]
    then = [Moment(n, snapshot.sign * it.mean, it.sd) for n, it in found if it is not None]
    now = snapshot.recommendation
    return [*then, *([] if now is None else [Moment(len(finite), now.mean, now.sd)])]


def _minimum(problem: Problem, results: int) -> Recommendation | None:
    known = taken(problem.observations, np.arange(results))
    return recommend(replace(problem, observations=known, pending=problem.pending[:0]))
