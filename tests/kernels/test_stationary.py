"""The compiled kernels against numpy's formulas, scikit-learn and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels import KERNELS, packed_squared_differences, squared_distances
from tests.twins import CORRELATIONS
from tests.twins import squared_distances as squared_distances_twin

ALL = pytest.mark.parametrize("name", sorted(CORRELATIONS))
R2 = np.concatenate([[0.0], np.logspace(-12, 4, 2001)])
SCIKIT_LEARN = {
    "matern32": Matern(nu=1.5),
    "matern52": Matern(nu=2.5),
    "squared_exponential": RBF(),
}


def test_every_built_in_kernel_has_a_twin() -> None:
    assert set(CORRELATIONS) <= set(KERNELS)


@ALL
def test_a_correlation_agrees_with_numpy_to_rounding(name: str) -> None:
    expected = CORRELATIONS[name](R2)
    visible = expected > 1e-300
    # e^-s has a condition of s: its last digits are those of the square root
    tolerance = 1e-14 + 4e-16 * np.sqrt(5.0 * R2) + 2e-16 * R2
    error = np.abs(KERNELS[name].correlation(R2) - expected)
    assert np.all(error[visible] <= (tolerance * expected)[visible])


@ALL
def test_a_correlation_is_one_at_zero_distance(name: str) -> None:
    assert KERNELS[name].correlation(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]


@ALL
def test_a_correlation_vanishes_far_away_without_a_subnormal_or_a_nan(name: str) -> None:
    far = KERNELS[name].correlation(np.array([1e6, 1e9, 1e12]))
    assert np.all((far >= 0.0) & (far < 1e-290))


@ALL
def test_a_correlation_falls_with_distance(name: str) -> None:
    assert np.all(np.diff(KERNELS[name].correlation(np.linspace(0.0, 50.0, 4000))) <= 0.0)


@ALL
def test_a_correlation_agrees_with_scikit_learn(name: str) -> None:
    X = np.random.default_rng(0).random((20, 3))
    r2 = squared_distances_twin(X, X, np.ones(3))
    assert np.allclose(KERNELS[name].correlation(r2), SCIKIT_LEARN[name](X), rtol=0, atol=1e-13)


@ALL
def test_a_slope_is_the_derivative_in_the_squared_distance(name: str) -> None:
    r2 = np.linspace(0.05, 20.0, 500)
    step = 1e-5
    k = KERNELS[name].correlation
    near, far = k(r2 + step) - k(r2 - step), k(r2 + 2 * step) - k(r2 - 2 * step)
    expected = (8.0 * near - far) / (12.0 * step)
    assert np.allclose(KERNELS[name].slope(r2), expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(
    ("name", "slope"), [("matern32", -1.5), ("matern52", -5 / 6), ("squared_exponential", -0.5)]
)
def test_a_slope_at_zero_distance_is_its_limit(name: str, slope: float) -> None:
    assert KERNELS[name].slope(np.zeros(1))[0] == pytest.approx(slope, rel=1e-15)


@ALL
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 9, 31, 1000])
def test_every_length_of_array_is_computed_whole(name: str, count: int) -> None:
    r2 = np.linspace(0.0, 3.0, count)
    assert np.allclose(KERNELS[name].correlation(r2), CORRELATIONS[name](r2), rtol=1e-14)


@ALL
def test_the_shape_of_the_argument_is_kept(name: str) -> None:
    r2 = np.random.default_rng(0).random((4, 3, 2))
    assert KERNELS[name].correlation(r2).shape == r2.shape
    assert np.allclose(KERNELS[name].correlation(r2[::2, :, 1]), CORRELATIONS[name](r2[::2, :, 1]))


@ALL
def test_nan_stays_nan(name: str) -> None:
    assert np.isnan(KERNELS[name].correlation(np.array([np.nan]))[0])


@ALL
def test_correlation_matrices_are_positive_definite(name: str) -> None:
    X = np.random.default_rng(1).random((60, 4))
    C = KERNELS[name].correlation(squared_distances_twin(X, X, np.full(4, 9.0)))
    assert np.min(np.linalg.eigvalsh(C)) > -1e-13


def test_packed_differences_are_the_lower_triangle_column_after_column() -> None:
    X = np.random.default_rng(2).random((7, 5))
    groups = ((0,), (2, 3), (4,))
    at = [(i, j) for j in range(7) for i in range(j + 1, 7)]
    expected = [[sum((X[i, c] - X[j, c]) ** 2 for c in g) for i, j in at] for g in groups]
    assert np.allclose(packed_squared_differences(X, groups), expected, rtol=1e-15)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_packed_differences_of_few_rows_have_the_right_shape(n: int) -> None:
    assert packed_squared_differences(np.zeros((n, 2)), ((0,), (1,))).shape == (2, n * (n - 1) // 2)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (5, 9), (33, 17), (3, 0), (0, 3)])
def test_squared_distances_agree_with_numpy(m: int, n: int) -> None:
    rng = np.random.default_rng(3)
    Z, X, weights = rng.random((m, 4)), rng.random((n, 4)), np.array([0.0, 1.0, 3.0, 1e4])
    expected: FloatArray = squared_distances_twin(Z, X, weights)
    assert np.allclose(squared_distances(Z, X, weights), expected, rtol=1e-14)
