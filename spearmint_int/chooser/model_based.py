"""The default chooser: a GP with its hyperparameters sampled, and EI averaged over the samples."""

from __future__ import annotations

import math
import time

import numpy as np

from spearmint_int.acquisition import Found, NegativeBound, acquisition_named, maximize
from spearmint_int.arrays import FloatArray, point_key
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser.answer import Acquired, Answer, Recommendation, RunnerUp, Suggestion
from spearmint_int.chooser.design import (
    check_not_exhausted,
    excluded_keys,
    search_space,
    stored_point,
)
from spearmint_int.chooser.fitted import FittedModel, Prediction, fit
from spearmint_int.chooser.plain import (
    design_suggestion,
    one_by_one,
    provenance,
    random_suggestion,
    with_provenance,
)
from spearmint_int.chooser.problem import Problem, clean_values
from spearmint_int.errors import SpaceExhausted
from spearmint_int.sampling import ChainState

# Without noise the best evaluation is certain. A point that nobody has tried is recommended in its
# place only where the model is surer than this many standard deviations that it is better.
SURELY = 2.0


def suggest(problem: Problem, count: int = 1) -> Answer:
    """The points with the largest acquisition, averaged over hyperparameters and fantasies."""
    if problem.finite < max(problem.options.initial_points, 1) or not problem.space.groups:
        return one_by_one(design_suggestion, problem, count)
    made: list[Suggestion] = []
    with one_blas_thread():
        for _ in range(count):
            try:
                suggestion, chain = _next(problem)
            except SpaceExhausted:
                if made:  # the last points of the space: they must not be lost
                    break
                raise
            made.append(suggestion)
            problem = problem.after(suggestion.point, chain)
    return Answer(tuple(made), problem.chain)


def recommend(problem: Problem) -> Recommendation | None:
    """The minimum of the posterior mean; None until there is a finite result.

    Under noise it is the model's minimum, and not the luckiest value; without noise it is never a
    place that the model thinks may be worse than the best evaluation. Pending points don't count.
    """
    if problem.finite == 0:
        return None
    problem = problem.without_pending()
    rng = problem.rng()
    kappa = SURELY if problem.options.noiseless else 0.0
    with one_blas_thread():
        try:
            model = fit(problem, rng)
            found = maximize(
                NegativeBound(model.ensemble, kappa),
                search_space(problem),
                problem.options.search,
                rng=rng,
                anchors=model.anchors,
            )
            point = stored_point(problem, model.anchors[0] if found is None else found.point)
            expected = model.predict(point[np.newaxis, :])
        except np.linalg.LinAlgError:
            return _best_observed(problem)
    mean, sd = float(expected.mean[0]), float(expected.sd[0])
    return Recommendation(problem.space.decode(point), point, mean, sd)


def predict(problem: Problem, points: FloatArray) -> Prediction:
    """What the model expects of the objective at points [m, D] of the unit cube."""
    with one_blas_thread():
        problem = problem.without_pending()
        return fit(problem, problem.rng()).predict(points)


def _next(problem: Problem) -> tuple[Suggestion, ChainState | None]:
    """One point, and where the chain stands after it; a random one where the model fails."""
    began, rng = time.perf_counter(), problem.rng()
    check_not_exhausted(problem)
    try:
        model = fit(problem, rng)
        found = _search(model, rng)
    except np.linalg.LinAlgError as error:
        reason = f"the model could not be fitted: {error}"
        return random_suggestion(problem, reason=reason), problem.chain
    if found is None:
        return random_suggestion(problem, reason="no candidate had a value"), problem.chain
    return _suggestion(model, found, time.perf_counter() - began), model.draws.state


def _search(model: FittedModel, rng: np.random.Generator) -> Found | None:
    problem, ensemble = model.problem, model.ensemble
    if len(problem.pending):
        ensemble = ensemble.with_fantasies(problem.pending, problem.options.fantasies, rng)
    names = [problem.options.acquisition_in_use]
    if names == ["nei"]:  # where every cell was evaluated no new one can improve, but a repeat may
        names.append("ei")
    for name in names:
        found = maximize(
            acquisition_named(name)(ensemble, rng),
            search_space(problem),
            problem.options.search,
            rng=rng,
            anchors=model.anchors,
            excluded=excluded_keys(problem),
        )
        if found is not None:
            return found
    return None


def _suggestion(model: FittedModel, found: Found, seconds: float) -> Suggestion:
    problem = model.problem
    point = stored_point(problem, found.point)
    key = point_key(problem.space.snap(point))
    acquired = Acquired(
        acquisition=problem.options.acquisition_in_use,
        value=_in_units(found.value, model),
        runner_up=_runner_up(found, model),
        repeat=key in problem.evaluated_keys | problem.pending_keys,
        hyperparameters=tuple(p.theta for p in model.draws.posteriors),
        chain=model.draws.health,
        start=problem.chain,
        seconds=seconds,
    )
    return with_provenance(problem, point, provenance(problem, found.source, acquired=acquired))


def _runner_up(found: Found, model: FittedModel) -> RunnerUp | None:
    if found.runner_up is None:
        return None
    params = model.problem.space.decode(found.runner_up)
    return RunnerUp(params, _in_units(found.runner_up_value, model))


def _in_units(value: float, model: FittedModel) -> float | None:
    """EI in the objective's units; other acquisitions as they are."""
    if model.problem.options.acquisition_in_use in ("ei", "nei"):
        value = math.exp(min(value, 700.0)) * model.scale.unit
    return value if math.isfinite(value) else None


def _best_observed(problem: Problem) -> Recommendation:
    values = clean_values(problem.values)
    point = problem.observations.points[int(np.argmin(values))]
    return Recommendation(problem.space.decode(point), point, float(np.min(values)), 0.0)
