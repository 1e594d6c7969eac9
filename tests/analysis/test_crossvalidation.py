"""Predicted against observed."""

from __future__ import annotations

import numpy as np

from spearmint_int.analysis.crossvalidation import cross_validated, folds_of
from spearmint_int.chooser import ChooserOptions, Observations, Problem
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int

SPACE = Space({"x": Float(0, 1), "k": Int(0, 4)})


def noisy_problem(n: int) -> Problem:
    rng = np.random.default_rng(7)
    points = SPACE.snap(rng.random((n, 2)))
    values = np.sin(3 * points[:, 0]) + points[:, 1] + 0.1 * rng.standard_normal(n)
    return Problem(SPACE, Observations.of(points, values), options=ChooserOptions(samples=5))


def test_every_finite_result_is_predicted_once_in_its_own_order() -> None:
    problem = noisy_problem(30)
    problem.values[3] = np.nan
    found = cross_validated(problem, folds=6)
    assert found is not None
    assert found.observed.tolist() == [v for v in problem.values.tolist() if np.isfinite(v)]
    assert np.corrcoef(found.observed, found.mean)[0, 1] > 0.9


def test_a_good_model_covers_about_what_it_promises() -> None:
    found = cross_validated(noisy_problem(40), folds=8)
    assert found is not None
    assert 0.55 <= found.coverage(0.8) <= 1.0
    assert 0.5 < np.std(found.z) < 2.0


def test_a_handful_of_results_is_too_few() -> None:
    assert cross_validated(noisy_problem(4)) is None


def test_of_many_results_fewer_parts_are_left_out() -> None:
    counts = [5, 20, 100, 200, 500, 5000]
    assert [folds_of(n) for n in counts] == [5, 20, 20, 10, 5, 5]
