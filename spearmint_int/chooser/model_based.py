"""The default chooser: a GP with its hyperparameters sampled, and EI averaged over the samples."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from spearmint_int.acquisition import (
    LOG_HALF,
    PULL,
    FeasibleOnly,
    Found,
    JointFeasibility,
    NegativeBound,
    NegativeViolation,
    SupportsPending,
    Surface,
    acquisition_named,
    is_logarithmic,
    maximize,
    weighted,
)
from spearmint_int.arrays import FloatArray, point_key
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser.answer import (
    Acquired,
    Answer,
    Provenance,
    Recommendation,
    RunnerUp,
    Suggestion,
)
from spearmint_int.chooser.fitted import FittedModel, Prediction, fit, fit_for_search
from spearmint_int.chooser.model_free import (
    design_suggestion,
    one_by_one,
    random_suggestion,
    suggestion_at,
)
from spearmint_int.chooser.problem import Problem
from spearmint_int.chooser.treatment import (
    check_not_exhausted,
    excluded_keys,
    search_space,
    stored_point,
)
from spearmint_int.errors import SpaceExhausted
from spearmint_int.model import Ensemble

# Without noise the best evaluation is certain. A point that was not tried yet is recommended in its
# place only where its mean plus so many standard deviations is still better.
SURELY = 2.0
# The acquisition's name until a point is known at which every constraint holds.
FEASIBILITY = "feasibility"
NOWHERE_SURE = (
    "nowhere is the model sure enough of every constraint: this is where they are likeliest to hold"
)
NOWHERE_LIKELY = (
    "nowhere are all constraints likely to hold: this is where they are missed by least"
)
# If the joint probability of all constraints is nowhere above this, their violation is minimised.
HOPELESS = math.log(1e-6)


def suggest(problem: Problem, count: int = 1) -> Answer:
    """The points with the largest acquisition, averaged over hyperparameters and fantasies."""
    if problem.finite < max(problem.options.initial_points, 1) or not problem.space.groups:
        return one_by_one(design_suggestion, problem, count)
    with one_blas_thread():
        return _batch(problem, count)


def _batch(problem: Problem, count: int) -> Answer:
    """The points of one suggestion: the hyperparameters are sampled once for all of them, and each
    point is pending for those after it."""
    began, rng = time.perf_counter(), problem.rng()
    check_not_exhausted(problem)
    try:
        model = fit_for_search(problem, rng)
        turn = _Turn.first(model, rng)
        made = [turn.suggestion(rng, began)]
    except np.linalg.LinAlgError as error:
        reason = f"the model could not be fitted: {error}"
        return one_by_one(lambda p: random_suggestion(p, reason=reason), problem, count)
    while len(made) < count:
        began = time.perf_counter()
        try:
            turn = turn.after(made[-1].point, rng)
            made.append(turn.suggestion(rng, began))
        except SpaceExhausted:  # these were the last points of the space
            break
        except np.linalg.LinAlgError as error:  # the points so far are good; the rest is random
            with suppress(SpaceExhausted):
                made += _filled_up(problem, made, count - len(made), error)
            break
    return Answer(tuple(made), model.draws.state)


def _filled_up(
    problem: Problem, made: list[Suggestion], count: int, error: Exception
) -> tuple[Suggestion, ...]:
    """`count` random points for the rest of a batch that the model can't go on with."""
    reason = f"the model could not take the points before it as under way: {error}"
    before = len(problem.pending)
    for suggestion in made:
        problem = problem.after(suggestion.point, problem.chain)

    def at_random(p: Problem) -> Suggestion:
        return random_suggestion(p, reason=reason, batch=len(p.pending) - before)

    return one_by_one(at_random, problem, count).suggestions


@dataclass(frozen=True)
class _Turn:
    """The choice of one point of a batch.

    `problem` has the points before it, `number` of them, as pending ones; `ensemble` is that of the
    first point; `surface` is of the `acquisition`, with the points before it pending.
    """

    model: FittedModel
    problem: Problem
    ensemble: Ensemble
    acquisition: str
    surface: Surface
    number: int = 0

    @classmethod
    def first(cls, model: FittedModel, rng: np.random.Generator) -> _Turn:
        problem, ensemble = model.problem, model.ensemble
        if model.seeks_feasible:
            return cls(model, problem, ensemble, FEASIBILITY, _joint_feasibility(model, problem))
        if len(problem.pending):
            ensemble = ensemble.with_fantasies(problem.pending, problem.options.fantasies, rng)
        name = problem.options.acquisition_in_use
        return cls(model, problem, ensemble, name, acquisition_named(name)(ensemble, rng))

    def after(self, point: FloatArray, rng: np.random.Generator) -> _Turn:
        """The choice of the next point, with this one pending. Only a surface that can't take a
        pending point is made anew."""
        problem = self.problem.after(point, self.problem.chain)
        turn = replace(self, problem=problem, number=self.number + 1)
        if isinstance(self.surface, SupportsPending):
            return replace(turn, surface=self.surface.with_pending(point[np.newaxis, :]))
        return turn.by(self.problem.options.acquisition_in_use, rng)

    def by(self, acquisition: str, rng: np.random.Generator) -> _Turn:
        """The same choice by another acquisition."""
        if acquisition == FEASIBILITY:
            surface: Surface = _joint_feasibility(self.model, self.problem)
            return replace(self, acquisition=acquisition, surface=surface)
        ensemble = self.ensemble
        if self.number:
            ensemble = ensemble.with_expected(self.problem.pending[-self.number :])
        surface = acquisition_named(acquisition)(ensemble, rng)
        return replace(self, acquisition=acquisition, surface=surface)

    def suggestion(self, rng: np.random.Generator, began: float) -> Suggestion:
        """The best point of the surface; a random one where it has none."""
        check_not_exhausted(self.problem)
        turn, found = self, self._search(rng)
        if self.acquisition == "nei" and (found is None or self._goes_back(found)):
            # noisy EI sees no gain in an evaluated point; plain EI does, in a repeat
            turn = self.by("ei", rng)
            found = turn._search(rng)
        if found is None and self.model.constraints:
            # the cut of an acquisition that is no logarithm has left no point
            turn = self.by(FEASIBILITY, rng)
            found = turn._search(rng)
        if found is None:
            reason = "no candidate had a value"
            return random_suggestion(self.problem, reason=reason, batch=self.number)
        return turn._suggestion(found, seconds=time.perf_counter() - began)

    def _goes_back(self, found: Found) -> bool:
        """Whether it is an evaluated point that violates a constraint. To noisy EI the value there
        is known, and a sure improvement on the feasible points, however unlikely it is that the
        constraint holds after all."""
        if not self.model.constraints or not self.problem.options.rounds:
            return False
        return point_key(self.problem.space.snap(found.point)) in self.problem.evaluated_keys

    def _search(self, rng: np.random.Generator) -> Found | None:
        """The best point among those that are likelier to work than to fail, or, where there is no
        such point, among all."""
        found = self._maximized(self.weighted(), rng)
        if found is None and self.model.feasibility is not None:
            found = self._maximized(self.weighted(least=-math.inf), rng)
        return found

    def weighted(self, *, least: float = LOG_HALF) -> Surface:
        """The surface times the probabilities that constraints hold and that evaluations work; −∞
        where the logarithm of the latter is below `least`."""
        surface, constraints = self.surface, self.model.constraints.values()
        least_of_constraint = -math.inf if is_logarithmic(surface) else LOG_HALF
        for constraint in () if self.acquisition == FEASIBILITY else constraints:
            surface = weighted(surface, constraint, least=least_of_constraint)
        return weighted(surface, self.model.feasibility, least=least)

    def _maximized(self, surface: Surface, rng: np.random.Generator) -> Found | None:
        whole = self.problem.options.search
        if self.model.constraints:
            whole = whole.closer
        return maximize(
            surface,
            search_space(self.problem),
            whole if self.number == 0 else whole.lighter,
            rng=rng,
            anchors=self.model.anchors,
            excluded=excluded_keys(self.problem),
        )

    def _suggestion(self, found: Found, *, seconds: float) -> Suggestion:
        model, problem = self.model, self.problem
        point = stored_point(problem, found.point)
        key = point_key(problem.space.snap(point))
        acquired = Acquired(
            acquisition=self.acquisition,
            value=self._in_units(found.value),
            runner_up=self._runner_up(found),
            repeat=key in problem.evaluated_keys | problem.pending_keys,
            hyperparameters=tuple(p.theta for p in model.draws.posteriors),
            chain=model.draws.health,
            seconds=seconds,
        )
        why = Provenance.of(problem, found.source, batch=self.number, acquired=acquired)
        return suggestion_at(problem, point, why)

    def _runner_up(self, found: Found) -> RunnerUp | None:
        if found.runner_up is None:
            return None
        params = self.problem.space.decode(found.runner_up)
        return RunnerUp(params, self._in_units(found.runner_up_value))

    def _in_units(self, value: float) -> float | None:
        """EI in the objective's units, and the feasibility as a probability; others unchanged."""
        if self.acquisition in ("ei", "nei"):
            value = math.exp(min(value, 700.0)) * self.model.scale.unit
        elif self.acquisition == FEASIBILITY:
            value = math.exp(value)
        return value if math.isfinite(value) else None


def searched(problem: Problem, acquisition: str) -> tuple[FittedModel, Surface]:
    """The model and the surface that `suggest` takes the next point from, number for number.

    `acquisition` is the one that chose it, which the provenance has: not always the options'.
    """
    rng = problem.rng()
    with one_blas_thread():
        model = fit_for_search(problem, rng)
        turn = _Turn.first(model, rng)
        if acquisition != turn.acquisition:
            turn = turn.by(acquisition, rng)
        return model, turn.weighted()


def _joint_feasibility(model: FittedModel, problem: Problem) -> JointFeasibility:
    """The probability that all constraints hold, with the problem's pending points."""
    return JointFeasibility(tuple(model.constraints.values())).with_pending(problem.pending)


def recommend(problem: Problem) -> Recommendation | None:
    """The minimum of the posterior mean; None until there are two finite results.

    Under noise it is the model's minimum, which need not be the luckiest value. Without noise it is
    the best evaluation, or a point that is better by more than SURELY standard deviations.

    Every constraint holds there with its `min_confidence`. If there is no such point, it is the one
    where all constraints are likeliest to hold, and if that is hopeless, where they are violated
    least; the recommendation's note says so. Pending points don't count.
    """
    if not problem.has_model:
        return None
    problem = problem.without_pending()
    rng = problem.rng()
    kappa = SURELY if problem.options.noiseless else 0.0
    with one_blas_thread():
        try:
            model = fit(problem, rng)
            found = _best_place(model, _recommendable(model, kappa), rng)
            note = ""
            if found is None and model.constraints:
                found, note = _next_best_place(model, rng)
            point = stored_point(problem, model.anchors[0] if found is None else found.point)
            expected = model.predict(point[np.newaxis, :])
            hold = model.probabilities(point)
        except np.linalg.LinAlgError:
            return _best_observed(problem)
    mean, sd = float(expected.mean[0]), float(expected.sd[0])
    return Recommendation(problem.space.decode(point), point, mean, sd, hold, note)


def _best_place(model: FittedModel, surface: Surface, rng: np.random.Generator) -> Found | None:
    problem = model.problem
    space = search_space(problem)
    if model.constraints and problem.options.treatment == "naive":
        space = problem.space  # rounded afterwards, it might violate a constraint
    return maximize(surface, space, problem.options.search, rng=rng, anchors=model.anchors)


def _next_best_place(model: FittedModel, rng: np.random.Generator) -> tuple[Found | None, str]:
    """Where the constraints are likeliest to hold, or violated least; and the note on which."""
    joint = _joint_feasibility(model, model.problem)
    likeliest = weighted(joint, model.feasibility, least=-math.inf)
    found = _best_place(model, likeliest, rng)
    if found is not None and found.value >= HOPELESS:
        return found, NOWHERE_SURE
    violation = NegativeViolation(tuple(model.constraints.values()))
    least_violated = weighted(violation, model.feasibility)
    return _best_place(model, least_violated, rng), NOWHERE_LIKELY


def _recommendable(model: FittedModel, kappa: float) -> Surface:
    """−(μ + κ σ) where an evaluation likely works and every constraint surely holds, else −∞."""
    surface: NegativeBound | FeasibleOnly = NegativeBound(model.ensemble, kappa)
    if model.feasibility is not None:
        surface = FeasibleOnly(surface, model.feasibility)
    for constraint in model.problem.constraints:
        learned = model.constraints.get(constraint.task)
        if learned is not None:
            least = math.log(constraint.min_confidence)
            surface = FeasibleOnly(surface, learned, least, pull=PULL)
    return surface


def predict(problem: Problem, points: FloatArray) -> Prediction:
    """What the model expects of the objective at points [m, D] of the unit cube."""
    with one_blas_thread():
        problem = problem.without_pending()
        return fit(problem, problem.rng()).predict(points)


def _best_observed(problem: Problem) -> Recommendation | None:
    """The best evaluation, for when no model can be fitted; None where every result is from beyond
    the bounds, or violates a constraint."""
    usable = problem.reachable & np.isfinite(problem.values) & problem.fulfilled
    if not np.any(usable):
        return None
    values = np.where(usable, problem.values, np.inf)
    point = problem.observations.points[int(np.argmin(values))]
    return Recommendation(problem.space.decode(point), point, float(np.min(values)), 0.0)
