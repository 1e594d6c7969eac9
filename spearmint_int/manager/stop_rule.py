"""A chooser that first asks whether to go on: `stop-when` of the config."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spearmint_int.analysis.optimum import certificate, optimum_draws
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser import fit
from spearmint_int.errors import GoalReached
from spearmint_int.goal import Goal
from spearmint_int.sampling.priors import lognormal

if TYPE_CHECKING:
    from collections.abc import Callable

    from spearmint_int.chooser import Answer, Chooser, Problem
    from spearmint_int.config.stop_rule import StopRule

# With fewer results than this and one more for each variable, a model may be sure by accident.
LEAST_RESULTS = 6
# Whether to stop is asked again and again, and one answer ends the run: it must not be sure by
# chance. So more hyperparameters are sampled than for a suggestion, and a function is thought to be
# rough rather than smooth. (Measured on 150 functions that a GP drew, with "regret below 0.05 with
# 95 %": the promise was kept in 83 % of runs with the chooser's own samples, 88 % with 40 of them,
# 98 % with this prior too, for 3 evaluations more.)
SAMPLES, THINNING = 40, 1
ROUGH = {"length_scale": lognormal(-1.0, 1.0)}


def stopping_chooser(
    chooser: Chooser, rule: StopRule, *, tell: Callable[[Goal], object]
) -> Chooser:
    """The chooser, which raises GoalReached as soon as the rule holds, and tells how far it is."""

    def choose(problem: Problem, count: int = 1) -> Answer:
        sentence = goal_reached(problem, rule, tell=tell)
        if sentence is not None:
            raise GoalReached(sentence)
        return chooser(problem, count)

    return choose


def goal_reached(
    problem: Problem, rule: StopRule, *, tell: Callable[[Goal], object] = lambda _: None
) -> str | None:
    """The certificate in one sentence, or None while the rule does not hold."""
    if problem.finite < LEAST_RESULTS + len(problem.space.groups):
        return None
    rng = np.random.default_rng([problem.seed, problem.index, 1])  # not the chooser's own
    with one_blas_thread():
        try:
            model = fit(_doubting(problem), rng)
            if model.has_no_best:
                return None
            draws = optimum_draws(model, rng)
        except np.linalg.LinAlgError:
            return None
    found = certificate(draws, confidence=rule.confidence)
    goal = Goal(problem.finite, found.bound, rule.confidence, rule.regret)
    tell(goal)
    return f"the model is {found}" if goal.is_reached else None


def _doubting(problem: Problem) -> Problem:
    """What is known, for a model that is not sure too soon; priors of the config stay."""
    options = replace(
        problem.options,
        samples=max(problem.options.samples, SAMPLES),
        thinning=max(problem.options.thinning, THINNING),
        priors={**ROUGH, **problem.options.priors},
    )
    return replace(problem.without_pending(), options=options)
