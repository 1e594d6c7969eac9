"""k'(x, x') = k(T(x), T(x')): constant inside every cell, the plain kernel at its centres."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern

from spearmint_int.kernels import Covariance, kernel_named, rounding, unrounded
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int
from tests.twins import CORRELATIONS, MIXED

ALL = pytest.mark.parametrize("name", sorted(CORRELATIONS))
LENGTHS = (0.3, 0.7, 1.1)


@ALL
def test_the_covariance_is_constant_inside_every_cell(name: str) -> None:
    covariance = Covariance.over(MIXED, kernel_named(name))
    rng = np.random.default_rng(0)
    U, V = rng.random((200, 5)), rng.random((30, 5))
    centres = np.array(U)
    centres[:, 1:] = MIXED.snap(U)[:, 1:]
    T = rounding(MIXED)
    assert np.array_equal(
        covariance.correlation(T(U), T(V), LENGTHS),
        covariance.correlation(T(centres), T(V), LENGTHS),
    )


@pytest.mark.parametrize("cell", range(5))
def test_two_points_of_one_cell_have_correlation_one(cell: int) -> None:
    space = Space({"k": Int(0, 4)})
    covariance = Covariance.over(space, kernel_named("matern52"))
    inside = rounding(space)((cell + np.linspace(0.0, 0.999, 50)[:, np.newaxis]) / 5)
    assert np.all(covariance.correlation(inside, inside, (0.2,)) == 1.0)


def test_points_of_different_cells_have_a_correlation_below_one() -> None:
    space = Space({"k": Int(0, 4)})
    T, covariance = rounding(space), Covariance.over(space, kernel_named("matern52"))
    C = covariance.correlation(T(np.array([[0.199]])), T(np.array([[0.201]])), (0.2,))
    assert C[0, 0] < 0.6


def test_at_the_centres_of_cells_rounding_changes_nothing() -> None:
    rows = MIXED.snap(np.random.default_rng(1).random((20, 5)))
    assert np.array_equal(rounding(MIXED)(rows), unrounded(rows))


def test_without_rounding_integers_are_taken_for_reals() -> None:
    U = np.random.default_rng(2).random((15, 2))
    covariance = Covariance.over(
        Space({"x": Float(0, 1), "k": Int(0, 2)}), kernel_named("matern52")
    )
    expected = Matern(length_scale=[0.3, 0.7], nu=2.5)(U)
    Z = unrounded(U)
    assert np.allclose(covariance.correlation(Z, Z, (0.3, 0.7)), expected, atol=1e-13)


def test_each_variable_has_its_own_length_scale() -> None:
    covariance = Covariance.over(MIXED, kernel_named("matern52"))
    assert np.allclose(covariance.weights(LENGTHS) ** -0.5, [0.3, 0.7, 1.1, 1.1, 1.1])


def test_options_of_an_enum_are_all_equally_far_apart() -> None:
    covariance = Covariance.over(Space({"e": Enum(list("abcd"))}), kernel_named("matern52"))
    C = covariance.correlation(np.eye(4), np.eye(4), (0.8,))
    assert len(set(C[~np.eye(4, dtype=bool)].round(15))) == 1


def test_a_variable_that_cannot_vary_does_not_count() -> None:
    space = Space({"c": Int(3, 3), "x": Float(0, 1)})
    covariance = Covariance.over(space, kernel_named("matern52"))
    C = covariance.correlation(np.array([[0.1, 0.5]]), np.array([[0.9, 0.5]]), (0.2,))
    assert C[0, 0] == 1.0


def test_a_length_scale_too_many_is_an_error() -> None:
    covariance = Covariance.over(MIXED, kernel_named("matern52"))
    with pytest.raises(ValueError, match="zip"):
        covariance.weights((1.0, 1.0, 1.0, 1.0))


@pytest.mark.parametrize("n", [0, 1, 2, 33, 70])
@ALL
def test_the_triangle_is_the_lower_half_of_the_whole(name: str, n: int) -> None:
    covariance = Covariance.over(MIXED, kernel_named(name))
    Z = MIXED.snap(np.random.default_rng(0).random((n, MIXED.dimensions)))
    triangle = covariance.correlation_triangle(Z, LENGTHS)
    whole = covariance.correlation(Z, Z, LENGTHS)
    assert np.allclose(triangle, np.tril(whole), rtol=1e-13, atol=0.0)
    assert triangle.flags.f_contiguous


@pytest.mark.parametrize("length", [0.0, 1e-200])
def test_a_length_scale_whose_square_is_no_double_ends_in_no_covariance(length: float) -> None:
    covariance = Covariance.over(Space({"x": Float(0, 1)}), kernel_named("matern52"))
    rows = np.array([[0.2], [0.7]])
    assert np.all(np.isnan(np.diag(covariance.correlation(rows, rows, (length,)))))
