"""`stop-when`: the promise that it makes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spearmint_int.chooser import Constraint, Observations, Problem, suggest
from spearmint_int.config.stop_rule import StopRule
from spearmint_int.goal import Goal
from spearmint_int.manager.stop_rule import goal_reached
from tests.analysis.test_optimum import LATTICE, QUICK, bowl, drawn_function


def problem_of(count: int) -> Problem:
    rows = np.random.default_rng(2).permutation(LATTICE.lattice())[:count]
    return Problem(LATTICE, Observations.of(rows, bowl(rows)), options=QUICK)


def test_a_space_that_is_known_has_reached_any_goal() -> None:
    sentence = goal_reached(problem_of(60), StopRule(0.01, 0.99))
    assert sentence is not None
    assert sentence.startswith("the model is 99 % sure that no point is better than the best by")


def test_a_handful_of_results_reaches_none() -> None:
    assert goal_reached(problem_of(7), StopRule(100.0, 0.5)) is None


def test_a_goal_that_is_too_ambitious_is_not_reached() -> None:
    assert goal_reached(problem_of(15), StopRule(1e-12, 0.999)) is None


def test_how_far_it_is_is_told_whether_it_is_reached_or_not() -> None:
    told: list[Goal] = []
    assert goal_reached(problem_of(15), StopRule(1e-12, 0.999), tell=told.append) is None
    assert goal_reached(problem_of(60), StopRule(0.01, 0.99), tell=told.append) is not None
    far, near = told
    assert (far.results, far.confidence, far.wanted) == (15, 0.999, 1e-12)
    assert far.bound > far.wanted
    assert near.bound <= near.wanted


@pytest.mark.parametrize("factor", [-1.0, np.nan], ids=["violated", "without a number"])
def test_where_nothing_fulfils_the_constraints_no_goal_is_reached(factor: float) -> None:
    problem = problem_of(60)
    values = {"main": problem.values, "c": factor * (1.0 + problem.values)}
    bound = replace(
        problem,
        observations=replace(problem.observations, values=values),
        constraints=(Constraint("c", "NOISELESS"),),
    )
    assert goal_reached(bound, StopRule(100.0, 0.5)) is None


@pytest.mark.slow
def test_the_stopping_rule_keeps_its_promise() -> None:
    """Stopped as soon as the model is 95 % sure, the regret is below the bound in 95 % of runs."""
    kept = [_stopped_run(seed, margin=0.05) for seed in range(200)]
    assert np.mean(kept) >= 0.95


def _stopped_run(seed: int, *, margin: float) -> bool:
    rng = np.random.default_rng(1000 + seed)
    rows = LATTICE.lattice()
    values = drawn_function(LATTICE, rng, rows)
    value_at = {row.tobytes(): value for row, value in zip(rows, values, strict=True)}
    seen = [rows[i] for i in rng.permutation(len(rows))[:5]]
    while len(seen) < len(rows):
        points = np.array(seen)
        known = np.array([value_at[row.tobytes()] for row in points])
        problem = Problem(LATTICE, Observations.of(points, known), options=QUICK, seed=seed)
        if goal_reached(problem, StopRule(margin, 0.95)) is not None:
            break
        seen.append(suggest(problem).suggestions[0].point)
    least = min(value_at[row.tobytes()] for row in seen)
    return bool(least - np.min(values) <= margin)
