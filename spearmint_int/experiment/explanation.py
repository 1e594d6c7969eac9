"""Why a job was chosen: what the model expected there, and what would have changed its mind.

The model is the very one that chose: fitted again from the problem as it was (see `replay`).
Expected improvement over the best known, b, has two parts when f(x) is normal with μ and σ:

    EI = (b − μ) Φ(z) + σ φ(z),   z = (b − μ) / σ
the first is what the mean promises (exploitation), the second what uncertainty may bring
(exploration).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from spearmint_int.analysis.crossvalidation import taken
from spearmint_int.analysis.importance import one_by_one
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser import FittedModel, Problem, fit_for_search
from spearmint_int.experiment.replay import (
    PastExperiment,
    other_settings,
    past_experiment,
    with_settings_of_then,
)
from spearmint_int.jobs import FAILED_HERE, Job, JobPoint
from spearmint_int.variables import Params

if TYPE_CHECKING:
    from spearmint_int.arrays import FloatArray
    from spearmint_int.experiment.experiment import StoredExperiment

# Results that are left out in turn: the best ones, and those closest to the point.
BEST_LEFT_OUT, NEAREST_LEFT_OUT = 4, 4
ELSEWHERE = 0.1  # of the range of a real: from here on another choice is another place


@dataclass(frozen=True)
class Expected:
    """Mean and sd of the objective at a point, in its own sign and units."""

    mean: float
    sd: float


@dataclass(frozen=True)
class RunnerUp:
    """The best point elsewhere: what was expected there, and what it was worth."""

    params: Params
    expected: Expected
    value: float | None


@dataclass(frozen=True)
class Explanation:
    """What was weighed when a model chose a job."""

    expected: Expected
    best_known: Expected
    exploitation: float  # shares of the expected improvement
    exploration: float
    works: float | None  # the probability that an evaluation works here; None before any failed
    constraints: Mapping[str, float]  # the probability that each holds here
    seeks_feasible: bool  # no place was known where all of them hold: the likeliest one was sought
    runner_up: RunnerUp | None
    decisive_jobs: tuple[int, ...]  # without whose result the choice would have been elsewhere
    declared_anew: bool  # the variables, since then: all of this is among those of then
    settings_of_then: Mapping[str, Any]  # that are others now: all of this is by those of then
    same_problem: bool  # False where data or settings of then are lost: it may not be what decided
    evaluation: Expected  # of one evaluation here, its noise included
    observed: float | None
    failure: str | None  # what came of it in place of a number
    surprise: float | None  # (observed − mean) / sd of an evaluation; None without a result

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def explain(
    experiment: StoredExperiment, points: Sequence[JobPoint], job: Job
) -> Explanation | None:
    """None for a job that no model chose; `points` are those of all jobs."""
    if job.provenance.get("hyperparameters") is None:
        return None
    past = with_settings_of_then(past_experiment(experiment, points, job), job)
    problem = past.problem()
    sign = -1.0 if past.maximize else 1.0
    here, observed = np.array([job.point]), _observed(job, experiment.objective)
    with one_blas_thread():
        model = fit_for_search(problem, problem.rng())
        expected, best = _expected(model, here), _best_known(model)
        exploitation, exploration = _parts(model, here, best.mean)
        evaluation = _signed(_of_evaluation(model, here), sign)
        return Explanation(
            expected=_signed(expected, sign),
            best_known=_signed(best, sign),
            exploitation=exploitation,
            exploration=exploration,
            works=_works(model, here),
            constraints=model.probabilities(here[0]),
            seeks_feasible=model.seeks_feasible,
            runner_up=_runner_up(model, job, sign),
            decisive_jobs=_decisive(past, problem, job),
            declared_anew=past.space != experiment.space,
            settings_of_then=other_settings(past, experiment),
            same_problem=past.is_before(job),
            evaluation=evaluation,
            observed=observed,
            failure=_failure(job, past.objective),
            surprise=_surprise(observed, evaluation),
        )


def parts_of_improvement(gain: float, sd: float) -> tuple[float, float]:
    """The shares of exploitation and exploration in EI, which add up to 1."""
    if sd <= 0.0:
        return 1.0, 0.0
    z = gain / sd
    promised = max(gain * float(ndtr(z)), 0.0)  # a mean that is worse than the best promises none
    hoped = sd * float(np.exp(-0.5 * z * z)) / np.sqrt(2.0 * np.pi)
    total = promised + hoped
    return (promised / total, hoped / total) if total > 0.0 else (0.0, 1.0)


def _parts(model: FittedModel, here: FloatArray, best: float) -> tuple[float, float]:
    """The mean of both shares over the hyperparameter samples, as EI itself is."""
    each = [_expected(one, here) for one in one_by_one(model)]
    shares = [parts_of_improvement(best - expected.mean, expected.sd) for expected in each]
    promised = float(np.mean([share[0] for share in shares]))
    return promised, 1.0 - promised


def _works(model: FittedModel, here: FloatArray) -> float | None:
    if model.feasibility is None:
        return None
    return float(np.exp(model.feasibility.log_probability(here)[0]))


def _expected(model: FittedModel, points: FloatArray) -> Expected:
    found = model.predict(points)
    return Expected(float(found.mean[0]), float(found.sd[0]))


def _signed(expected: Expected, sign: float) -> Expected:
    return Expected(sign * expected.mean, expected.sd)


def _best_known(model: FittedModel) -> Expected:
    """The best of the evaluated points as the model sees them: the best value may be luck.

    Of those within the bounds that fulfil every constraint, as for the search; of all where none is
    or does.
    """
    problem = model.problem
    found = model.predict(problem.observations.points)
    usable = np.isfinite(problem.values)
    if np.any(usable & problem.reachable):
        usable &= problem.reachable
    feasible = usable & model.is_feasible(problem.observations.points)
    if model.constraints and np.any(feasible):
        usable = feasible
    row = int(np.argmin(np.where(usable, found.mean, np.inf)))
    return Expected(float(found.mean[row]), float(found.sd[row]))


def _runner_up(model: FittedModel, job: Job, sign: float) -> RunnerUp | None:
    stored = job.provenance.get("runner_up")
    if not stored:
        return None
    point = model.problem.space.encode(stored["params"])[np.newaxis, :]
    return RunnerUp(stored["params"], _signed(_expected(model, point), sign), stored.get("value"))


def _observed(job: Job, task: str) -> float | None:
    value = (job.values or {}).get(task, float("nan"))
    return value if np.isfinite(value) else None


def _failure(job: Job, task: str) -> str | None:
    """None for a job with a number, and for one that has not ended."""
    if not job.is_finished or _observed(job, task) is not None:
        return None
    if job.values is not None:
        return FAILED_HERE
    return job.failures[-1].message if job.failures else str(job.status)


def _of_evaluation(model: FittedModel, here: FloatArray) -> Expected:
    found = model.predict_evaluation(here)
    return Expected(float(found.mean[0]), float(found.sd[0]))


def _surprise(observed: float | None, evaluation: Expected) -> float | None:
    if observed is None or evaluation.sd <= 0.0:
        return None
    return (observed - evaluation.mean) / evaluation.sd


def _decisive(past: PastExperiment, problem: Problem, job: Job) -> tuple[int, ...]:
    """The jobs, of the best and the nearest, without whose result it would have gone elsewhere."""
    ids = [e.id for e in past.history.known]
    moved = []
    for row in looked_at(problem, np.array(job.point)):
        rest = np.delete(np.arange(len(ids)), row)
        without = replace(problem, observations=taken(problem.observations, rest))
        chosen = past.chooser(without, 1).suggestions[0].point
        if is_elsewhere(problem, chosen, np.array(job.point)):
            moved.append(ids[row])
    return tuple(sorted(moved))


def looked_at(problem: Problem, here: FloatArray) -> list[int]:
    """The rows of the best results that fulfil every constraint, and of those nearest to here."""
    values = np.where(np.isfinite(problem.values) & problem.fulfilled, problem.values, np.inf)
    best = np.argsort(values, kind="stable")[:BEST_LEFT_OUT]
    distance = np.linalg.norm(problem.observations.points - here, axis=1)
    nearest = np.argsort(distance, kind="stable")[:NEAREST_LEFT_OUT]
    return list(dict.fromkeys([*best.tolist(), *nearest.tolist()]))


def is_elsewhere(problem: Problem, a: FloatArray, b: FloatArray) -> bool:
    """Whether an integer or an option differs, or a real by more than a tenth of its range."""
    both = problem.space.snap(np.array([a, b]))
    reals = problem.space.real_columns
    others = np.setdiff1d(np.arange(problem.space.dimensions), reals)
    moved = bool(np.any(both[0, others] != both[1, others]))
    return moved or bool(np.any(np.abs(both[0, reals] - both[1, reals]) > ELSEWHERE))
