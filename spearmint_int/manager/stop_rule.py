"""A chooser that first asks whether to go on: `stop-when` of the config."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spearmint_int.analysis.optimum import certificate, optimum_draws, probability_of_better
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser import fit
from spearmint_int.errors import GoalReached

if TYPE_CHECKING:
    from spearmint_int.chooser import Answer, Chooser, Problem
    from spearmint_int.config.stop_rule import StopRule

# With fewer results than this and one more for each variable, a model may be sure by accident.
LEAST_RESULTS = 4


def stopping_chooser(chooser: Chooser, rule: StopRule) -> Chooser:
    """The chooser, which raises GoalReached as soon as the rule holds."""

    def choose(problem: Problem, count: int = 1) -> Answer:
        sentence = goal_reached(problem, rule)
        if sentence is not None:
            raise GoalReached(sentence)
        return chooser(problem, count)

    return choose


def goal_reached(problem: Problem, rule: StopRule) -> str | None:
    """The certificate in one sentence, or None while the rule does not hold."""
    if problem.finite < LEAST_RESULTS + len(problem.space.groups):
        return None
    rng = np.random.default_rng([problem.seed, problem.index, 1])  # not the chooser's own
    with one_blas_thread():
        try:
            draws = optimum_draws(fit(problem.without_pending(), rng), rng)
        except np.linalg.LinAlgError:
            return None
    chance = probability_of_better(draws, rule.regret)
    if chance > 1.0 - rule.confidence:
        return None
    return f"the model is {certificate(draws, confidence=rule.confidence)}"
