"""The synthetic objectives against brute force, another optimiser and scikit-learn's kernel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, differential_evolution
from sklearn.gaussian_process.kernels import Matern

from experiments.synthetic import (
    FOUR_D,
    LENGTH_SCALE,
    PROBLEMS,
    TWO_D,
    FloatArray,
    Objective,
    Problem,
    draw,
    matern52,
    missing_variance,
    node_factor,
    nodes,
    noise,
)

BOTH = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS.keys())


def random_points(problem: Problem, per_combination: int, seed: int = 0) -> FloatArray:
    rng = np.random.default_rng(seed)
    return np.vstack(
        [
            problem.points(rng.random((per_combination, problem.reals)), integers)
            for integers in problem.combinations()
        ]
    )


def test_the_kernel_is_scikit_learns_matern() -> None:
    X = random_points(FOUR_D, 3)
    expected = Matern(length_scale=LENGTH_SCALE, nu=2.5)(X)
    np.testing.assert_allclose(matern52(X, X), expected, rtol=0, atol=1e-13)


@BOTH
def test_the_node_factor_reproduces_the_covariance_of_the_nodes(problem: Problem) -> None:
    chosen = np.random.default_rng(0).integers(len(nodes(problem)), size=50)
    L, Z = node_factor(problem)[chosen], nodes(problem)[chosen]
    np.testing.assert_allclose(L @ L.T, matern52(Z, Z), atol=1e-10)


@pytest.mark.parametrize(("problem", "allowed"), [(TWO_D, 1e-7), (FOUR_D, 1e-3)])
def test_between_the_nodes_almost_no_variance_is_missing(problem: Problem, allowed: float) -> None:
    missing = missing_variance(problem, random_points(problem, 60))
    assert missing.min() > -1e-9
    assert missing.max() < allowed


def test_the_sample_covariance_of_many_draws_agrees_with_the_kernel() -> None:
    X = random_points(TWO_D, 4)
    sample = np.array([draw(TWO_D, seed).values(X) for seed in range(4000)])
    error = np.abs(sample.T @ sample / len(sample) - matern52(X, X))
    # The standard error of a product of unit normals over 4 000 draws is at most √2/√4000 = 0.022.
    assert error.max() < 4.5 * 0.0224
    assert np.abs(sample.mean(axis=0)).max() < 4.5 / np.sqrt(4000)


@BOTH
def test_a_draw_passes_through_its_node_values(problem: Problem) -> None:
    objective = draw(problem, 0)
    values = objective.values(nodes(problem)[::37])
    np.testing.assert_allclose(values, objective.node_values[::37], atol=1e-8)


@BOTH
def test_the_gradient_agrees_with_finite_differences(problem: Problem) -> None:
    objective = draw(problem, 1)
    for x in random_points(problem, 2):
        difference = approx_fprime(x, lambda u: objective.values(u[None, :])[0], 1e-6)
        np.testing.assert_allclose(objective.gradient(x), difference[: problem.reals], atol=2e-3)


def test_the_2d_minimum_is_that_of_a_fine_grid() -> None:
    grid = np.linspace(0, 1, 20001)[:, None]
    for seed in range(10):
        objective = draw(TWO_D, seed)
        brute = min(objective.values(TWO_D.points(grid, c)).min() for c in TWO_D.combinations())
        assert objective.minimum.value <= brute + 1e-10
        # A step of 5e-5 at a curvature of a few hundred, or at an end of the interval exactly.
        assert brute - objective.minimum.value < 1e-6


def test_the_4d_minimum_is_not_above_that_of_a_finer_grid() -> None:
    grid = FOUR_D.real_grid(35)
    for seed in range(3):
        objective = draw(FOUR_D, seed)
        brute = min(objective.values(FOUR_D.points(grid, c)).min() for c in FOUR_D.combinations())
        assert 0 <= brute - objective.minimum.value < 0.1


def test_the_4d_minimum_is_that_of_differential_evolution() -> None:
    objective = draw(FOUR_D, 3)
    found = min(_evolved(objective, integers) for integers in FOUR_D.combinations())
    assert abs(objective.minimum.value - found) < 1e-9


def _evolved(objective: Objective, integers: tuple[int, ...]) -> float:
    def values(u: FloatArray) -> FloatArray:
        return objective.values(objective.problem.points(u.T, integers))

    bounds = [(0.0, 1.0)] * objective.problem.reals
    options = {"popsize": 10, "maxiter": 60, "tol": 1e-10, "polish": False}
    found = differential_evolution(
        values, bounds, vectorized=True, updating="deferred", rng=0, **options
    )
    return float(found.fun)


@BOTH
def test_at_an_inner_minimum_the_gradient_vanishes(problem: Problem) -> None:
    for seed in range(5):
        objective = draw(problem, seed)
        reals = objective.minimum.point[: problem.reals]
        inner = (reals > 1e-12) & (reals < 1 - 1e-12)
        assert np.abs(objective.gradient(objective.minimum.point)[inner]).max(initial=0) < 1e-4


@BOTH
def test_the_minimum_has_distance_zero_by_its_parameters(problem: Problem) -> None:
    objective = draw(problem, 2)
    assert objective.distance(objective.minimum.params) < 1e-10


def test_the_distance_resolves_a_millionth() -> None:
    objective = draw(TWO_D, 0)
    distances = [
        objective.distance({**objective.minimum.params, "x1": objective.minimum.point[0] + step})
        for step in (1e-5, 1e-4, 1e-3)
    ]
    # An inner minimum is a parabola: ten times the step is a hundred times the distance.
    np.testing.assert_allclose(np.array(distances[1:]) / distances[:-1], 100, rtol=0.05)
    assert distances[0] < 1e-6


def test_draws_are_repeatable_and_differ_between_seeds() -> None:
    np.testing.assert_array_equal(draw(TWO_D, 5).weights, draw(TWO_D, 5).weights)
    assert not np.allclose(draw(TWO_D, 5).weights, draw(TWO_D, 6).weights)


def test_an_integer_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="outside its range"):
        draw(TWO_D, 0)({"x1": 0.5, "x2": 3})


@BOTH
def test_the_noise_has_the_papers_variance(problem: Problem) -> None:
    sample = np.concatenate([noise(problem, seed, 100) for seed in range(200)])
    assert sample.var() == pytest.approx(problem.noise_variance, rel=0.05)
