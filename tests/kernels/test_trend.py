"""The trend's features: orthonormal over the cube, with the right slopes, on the right axes."""

from __future__ import annotations

import numpy as np

from spearmint_int.chooser import Observations, Problem, suggest
from spearmint_int.kernels import Trend
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int
from tests.twins import central_differences

SPACE = Space({"x": Float(0, 1), "k": Int(0, 8), "two": Int(0, 1), "kind": Enum(list("abc"))})


def test_every_number_has_a_slope_and_all_but_pairs_bend() -> None:
    assert Trend.over(SPACE) == Trend(sloped=(0, 1, 2), curved=(0, 1))


def test_a_variable_that_cannot_vary_has_none() -> None:
    assert Trend.over(Space({"x": Float(0, 1), "k": Int(3, 3)})) == Trend((0,), (0,))


def test_over_the_cube_the_features_have_mean_zero_and_are_orthogonal() -> None:
    nodes, weights = np.polynomial.legendre.leggauss(5)
    u, w = 0.5 * (nodes + 1.0), 0.5 * weights
    grid = np.array([[a, b] for a in u for b in u])
    weight = np.array([a * b for a in w for b in w])
    features = Trend((0, 1), (0, 1)).features(grid)
    assert np.allclose(weight @ features, 0.0, atol=1e-14)
    assert np.allclose(features.T @ (weight[:, np.newaxis] * features), np.eye(4) / 4, atol=1e-14)


def test_slopes_are_finite_differences() -> None:
    trend = Trend.over(SPACE)
    U = np.random.default_rng(0).random((20, SPACE.dimensions))
    slopes = trend.slopes(U)
    for q, column in enumerate(trend.columns):
        expected = central_differences(lambda V, q=q: trend.features(V)[:, q], U)  # type: ignore[misc]
        assert np.allclose(slopes[:, q], expected[:, column], atol=1e-8)


def test_without_columns_there_are_no_features() -> None:
    assert Trend().features(np.zeros((3, 2))).shape == (3, 0)
    assert len(Trend().columns) == 0


def test_results_far_beyond_narrowed_bounds_do_not_keep_the_chain_from_sampling() -> None:
    points = np.random.default_rng(1).random((10, 1))
    points[:5] *= 1e6
    values = np.sin(3.0 * points[:, 0])
    problem = Problem(Space({"x": Float(0, 1)}), Observations.of(points, values))
    acquired = suggest(problem).suggestions[0].provenance.acquired
    assert acquired is not None
    assert not acquired.chain.fallback
    assert acquired.chain.stuck == 0
