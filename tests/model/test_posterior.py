"""The GP posterior against scikit-learn, a dense numpy twin and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Matern

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels import Covariance, kernel_named, unrounded
from spearmint_int.model import (
    Ensemble,
    Hyperparameters,
    Posterior,
    TrainingData,
    _predict,
)
from spearmint_int.model.factor import JITTER
from spearmint_int.model.stack import Stack
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int
from tests.twins import (
    CORRELATIONS,
    MIXED,
    TWO_REALS,
    DenseGP,
    central_differences,
    column_weights,
    fitted,
    some_data,
    some_theta,
    squared_distances,
)

ALL_KERNELS = pytest.mark.parametrize("kernel", sorted(CORRELATIONS))
WITH_AND_WITHOUT_A_TREND = pytest.mark.parametrize("trend", [0.0, 2.5])


# --- scikit-learn ---------------------------------------------------------------------------------


def scikit_learn_kernel(name: str, length_scales: tuple[float, ...]) -> Kernel:
    if name == "squared_exponential":
        return RBF(length_scales)
    return Matern(length_scales, nu={"matern32": 1.5, "matern52": 2.5}[name])


def scikit_learn_moments(
    X: FloatArray, y: FloatArray, Z: FloatArray, theta: Hyperparameters, kernel: str
) -> tuple[FloatArray, FloatArray]:
    """Mean and sd of the latent function at equal hyperparameters."""
    regressor = GaussianProcessRegressor(
        ConstantKernel(theta.amplitude2) * scikit_learn_kernel(kernel, theta.length_scales),
        alpha=theta.noise + JITTER * theta.amplitude2,
        optimizer=None,
    )
    mean, sd = regressor.fit(X, y - theta.mean).predict(Z, return_std=True)
    return theta.mean + mean, sd


@ALL_KERNELS
@pytest.mark.parametrize("noise", [1e-4, 0.05, 2.0])
@pytest.mark.parametrize("n", [1, 5, 40])
def test_mean_and_sd_are_scikit_learns(kernel: str, noise: float, n: int) -> None:
    U, y = some_data(TWO_REALS, n)
    theta = some_theta(TWO_REALS, noise=noise)
    Z = np.random.default_rng(1).random((100, 2))
    mean, variance = fitted(TWO_REALS, U, y, theta, kernel=kernel).moments(Z)
    expected_mean, expected_sd = scikit_learn_moments(U, y, Z, theta, kernel)
    assert np.max(np.abs(mean[0] - expected_mean)) < 1e-8
    assert np.max(np.abs(np.sqrt(variance) - expected_sd)) < 1e-8


def test_mean_and_sd_on_a_mixed_space_are_scikit_learns_on_t_of_x() -> None:
    space = Space({"x": Float(0, 1), "k": Int(0, 4), "j": Int(0, 2)})
    U, y = some_data(space, 30)
    theta = some_theta(space)
    V = np.random.default_rng(1).random((100, 3))
    rows, Z = space.snap(U), space.snap(V)
    mean, variance = Ensemble((fitted(space, U, y, theta),), space.snap).moments(V)
    expected_mean, expected_sd = scikit_learn_moments(rows, y, Z, theta, "matern52")
    assert np.max(np.abs(mean[0, 0] - expected_mean)) < 1e-8
    assert np.max(np.abs(np.sqrt(variance[0]) - expected_sd)) < 1e-8


# --- the dense twin -------------------------------------------------------------------------------


@ALL_KERNELS
@WITH_AND_WITHOUT_A_TREND
def test_moments_are_those_of_the_dense_gp(kernel: str, trend: float) -> None:
    U, y = some_data(MIXED, 25)
    theta = some_theta(MIXED, trend=trend)
    V = np.random.default_rng(1).random((60, 5))
    mean, variance = fitted(MIXED, U, y, theta, kernel=kernel).moments(MIXED.snap(V))
    expected, covariance = DenseGP(MIXED, U, y, theta, kernel).moments(V)
    assert np.allclose(mean[0], expected, rtol=0, atol=1e-10)
    assert np.allclose(variance, np.diag(covariance), rtol=0, atol=1e-10)


@WITH_AND_WITHOUT_A_TREND
def test_the_joint_covariance_is_that_of_the_dense_gp(trend: float) -> None:
    U, y = some_data(MIXED, 25)
    theta = some_theta(MIXED, trend=trend)
    V = np.random.default_rng(1).random((12, 5))
    mean, covariance = fitted(MIXED, U, y, theta).joint(MIXED.snap(V))
    expected_mean, expected = DenseGP(MIXED, U, y, theta).moments(V)
    assert np.allclose(mean[0], expected_mean, atol=1e-10)
    assert np.allclose(covariance, expected, atol=1e-10)


def test_collapsed_replicates_have_the_posterior_of_the_full_gp() -> None:
    U, y = some_data(MIXED, 15, repeats=9)
    theta = some_theta(MIXED, noise=0.3)
    posterior = fitted(MIXED, U, y, theta)
    V = np.random.default_rng(1).random((60, 5))
    expected, covariance = DenseGP(MIXED, U, y, theta).moments(V)
    mean, variance = posterior.moments(MIXED.snap(V))
    assert len(posterior.X) == 15
    assert np.allclose(mean[0], expected, atol=1e-10)
    assert np.allclose(variance, np.diag(covariance), atol=1e-10)


def test_points_of_one_cell_collapse_even_where_they_differ() -> None:
    space = Space({"k": Int(0, 2)})
    U = np.array([[0.01], [0.3], [0.5], [0.99]])
    data = TrainingData.collapse(space.snap(U), np.array([1.0, 3.0, 5.0, 7.0]))
    assert data.counts.tolist() == [2.0, 1.0, 1.0]
    assert data.row_means(data.y).tolist() == [2.0, 5.0, 7.0]
    assert data.without_replicates().y.tolist() == [2.0, 5.0, 7.0]


def test_collapsing_keeps_the_order_of_first_appearance() -> None:
    X = np.array([[0.9], [0.1], [0.9], [0.5], [0.1]])
    data = TrainingData.collapse(X, np.arange(5.0))
    assert data.X.ravel().tolist() == [0.9, 0.1, 0.5]


def test_some_of_the_rows_keep_all_their_observations() -> None:
    X = np.repeat(np.linspace(0, 1, 40)[:, np.newaxis], 3, axis=0)
    data = TrainingData.collapse(X, np.random.default_rng(0).random(len(X)))
    some = data.subsample(10, np.random.default_rng(1))
    index = np.searchsorted(data.X[:, 0], some.X[:, 0])
    assert len(np.unique(index)) == 10
    assert np.array_equal(some.row_means(some.y), data.row_means(data.y)[index])
    assert np.array_equal(some.counts, np.full(10, 3.0))


def test_collapsing_nothing_gives_nothing() -> None:
    data = TrainingData.collapse(np.empty((0, 3)), np.empty(0))
    assert data.X.shape == (0, 3)
    assert len(data.counts) == 0


def test_the_means_at_the_training_rows_are_the_predicted_ones() -> None:
    U, y = some_data(MIXED, 15, repeats=5)
    posterior = fitted(MIXED, U, y, some_theta(MIXED))
    assert np.allclose(posterior.training_means, posterior.moments(posterior.X)[0], atol=1e-10)


def test_the_incumbent_is_the_best_value_without_noise_and_the_least_mean_with_it() -> None:
    U, y = some_data(MIXED, 15)
    theta = some_theta(MIXED, noise=0.3)
    noisy = fitted(MIXED, U, y, theta)
    clean = fitted(MIXED, U, y, theta, noiseless=True)
    assert clean.incumbents[0] == np.min(clean.values)
    assert noisy.incumbents[0] == pytest.approx(np.min(noisy.moments(noisy.X)[0]))
    assert noisy.incumbents[0] > np.min(noisy.values)


# --- the compiled functions -----------------------------------------------------------------------


@ALL_KERNELS
@pytest.mark.parametrize(("n", "m"), [(1, 1), (17, 5), (40, 3000)])
def test_compiled_predictions_agree_with_numpy(kernel: str, n: int, m: int) -> None:
    U, y = some_data(MIXED, n)
    posterior = fitted(MIXED, U, y, some_theta(MIXED), kernel=kernel)
    Z = MIXED.snap(np.random.default_rng(2).random((m, 5)))
    weights = column_weights(MIXED, posterior.theta)
    k = CORRELATIONS[kernel](squared_distances(Z, posterior.X, weights))
    means, explained, same = _predict.predict(
        [np.ascontiguousarray(posterior.X.T)],
        weights[np.newaxis],
        [posterior.feature_columns],
        [posterior.R],
        posterior.alpha[np.newaxis],
        [Z],
        np.empty((1, m, 0)),
        kernel_named(kernel).capsule,
    )
    assert np.allclose(means[0, 0], k @ posterior.alpha[0], rtol=1e-12, atol=1e-12)
    assert np.allclose(explained[0], np.sum((k @ posterior.R.T) ** 2, axis=1), rtol=1e-11)
    rows = np.all(Z[:, np.newaxis] == posterior.X[np.newaxis], axis=-1)
    assert np.array_equal(same[0], np.where(rows.any(axis=1), rows.argmax(axis=1), -1))


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 150, 257])
def test_the_compiled_inverse_of_a_factor_agrees_with_numpy(n: int) -> None:
    X = np.random.default_rng(0).random((n, 3))
    A = CORRELATIONS["matern52"](squared_distances(X, X, np.full(3, 20.0))) + 0.01 * np.eye(n)
    L = np.asfortranarray(np.linalg.cholesky(A))
    R = np.array(L, order="F")
    assert _predict.inverse_of_factor(R)
    assert np.allclose(R @ L, np.eye(n), atol=1e-12)
    assert np.array_equal(R, np.tril(R))


@pytest.mark.parametrize("n", [3, 100])
def test_a_singular_factor_has_no_inverse(n: int) -> None:
    assert not _predict.inverse_of_factor(np.zeros((n, n), order="F"))


@pytest.mark.parametrize("noiseless", [False, True])
def test_a_row_from_beyond_the_bounds_is_no_incumbent(noiseless: bool) -> None:
    U, y = some_data(TWO_REALS, 15)
    U[:5, 0] -= 1.0
    y[:5] -= 100.0
    posterior = fitted(TWO_REALS, U, y, some_theta(TWO_REALS), noiseless=noiseless)
    rows = posterior.values if noiseless else posterior.training_means
    assert posterior.incumbents[0] == np.min(rows[0, 5:]) > np.min(rows[0])


def test_where_all_rows_are_beyond_the_bounds_anything_better_than_the_worst_is_welcome() -> None:
    U, y = some_data(TWO_REALS, 6)
    posterior = fitted(TWO_REALS, U + 1.0, y, some_theta(TWO_REALS), noiseless=True)
    assert posterior.incumbents[0] == np.max(posterior.values)


@ALL_KERNELS
def test_the_compiled_bound_is_what_the_best_row_alone_explains(kernel: str) -> None:
    U, y = some_data(MIXED, 19, repeats=4)
    posterior = fitted(MIXED, U, y, some_theta(MIXED), kernel=kernel)
    Z = MIXED.snap(np.random.default_rng(2).random((300, 5)))
    weights = column_weights(MIXED, posterior.theta)
    k = CORRELATIONS[kernel](squared_distances(Z, posterior.X, weights))
    A = 1.0 + posterior.theta.noise_ratio / posterior.counts + JITTER
    (mean,), (variance,) = Stack((posterior,)).moments_bound(Z)
    expected = posterior.theta.amplitude2 * (1.0 - np.max(k**2 / A, axis=1))
    assert np.allclose(mean, posterior.moments(Z)[0], rtol=1e-12, atol=1e-12)
    assert np.allclose(variance, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("noiseless", [False, True])
@WITH_AND_WITHOUT_A_TREND
def test_the_bound_of_the_variance_is_nowhere_below_it(noiseless: bool, trend: float) -> None:
    U, y = some_data(MIXED, 25, repeats=6)
    posterior = fitted(MIXED, U, y, some_theta(MIXED, trend=trend), noiseless=noiseless)
    posterior = posterior.with_fantasies(MIXED.snap(PENDING), 2, np.random.default_rng(0))
    Z = MIXED.snap(np.random.default_rng(2).random((2000, 5)))
    assert np.all(Stack((posterior,)).moments_bound(Z)[1][0] >= posterior.moments(Z)[1] - 1e-12)


def with_gradient(
    posterior: Posterior, Z: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """μ [F, m], σ² [m] and their derivatives, at rows that need no T."""
    mean, variance, dmean, dvariance = Ensemble((posterior,), unrounded).moments_with_gradient(Z)
    return mean[0], variance[0], dmean[0], dvariance[0]


@ALL_KERNELS
def test_compiled_gradients_come_with_the_values_of_the_plain_prediction(kernel: str) -> None:
    U, y = some_data(MIXED, 20)
    posterior = fitted(MIXED, U, y, some_theta(MIXED), kernel=kernel)
    Z = MIXED.snap(np.random.default_rng(2).random((50, 5)))
    mean, variance, _, _ = with_gradient(posterior, Z)
    assert np.allclose(mean, posterior.moments(Z)[0], rtol=1e-13, atol=1e-13)
    assert np.allclose(variance, posterior.moments(Z)[1], rtol=1e-11, atol=1e-13)


@ALL_KERNELS
@pytest.mark.parametrize("noiseless", [False, True])
@WITH_AND_WITHOUT_A_TREND
def test_gradients_of_mean_and_variance_are_finite_differences(
    kernel: str, noiseless: bool, trend: float
) -> None:
    U, y = some_data(TWO_REALS, 12)
    theta = some_theta(TWO_REALS, trend=trend)
    posterior = fitted(TWO_REALS, U, y, theta, kernel=kernel, noiseless=noiseless)
    Z = 0.05 + 0.9 * np.random.default_rng(3).random((30, 2))
    _, _, dmean, dvariance = with_gradient(posterior, Z)
    expected_mean = central_differences(lambda V: posterior.moments(V)[0][0], Z)
    expected_variance = central_differences(lambda V: posterior.moments(V)[1], Z)
    assert np.allclose(dmean[0], expected_mean, rtol=1e-6, atol=1e-7)
    assert np.allclose(dvariance, expected_variance, rtol=1e-6, atol=1e-7)


@WITH_AND_WITHOUT_A_TREND
def test_gradients_in_the_reals_of_a_mixed_space_are_finite_differences(trend: float) -> None:
    U, y = some_data(MIXED, 20)
    ensemble = Ensemble((fitted(MIXED, U, y, some_theta(MIXED, trend=trend)),), MIXED.snap)
    V = 0.05 + 0.9 * np.random.default_rng(3).random((30, 5))
    _, _, dmean, dvariance = ensemble.moments_with_gradient(V)
    expected_mean = central_differences(lambda W: ensemble.moments(W)[0][0, 0], V)
    expected_variance = central_differences(lambda W: ensemble.moments(W)[1][0], V)
    assert np.allclose(dmean[0, 0, :, 0], expected_mean[:, 0], rtol=1e-6, atol=1e-7)
    assert np.allclose(dvariance[0, :, 0], expected_variance[:, 0], rtol=1e-6, atol=1e-7)


@WITH_AND_WITHOUT_A_TREND
def test_gradients_hold_for_every_fantasy(trend: float) -> None:
    U, y = some_data(TWO_REALS, 8)
    posterior = fitted(TWO_REALS, U, y, some_theta(TWO_REALS, trend=trend)).with_fantasies(
        np.array([[0.3, 0.8], [0.6, 0.1]]), 3, np.random.default_rng(0)
    )
    Z = 0.05 + 0.9 * np.random.default_rng(3).random((10, 2))
    dmean = with_gradient(posterior, Z)[2]
    for f in range(3):
        expected = central_differences(lambda V, f=f: posterior.moments(V)[0][f], Z)  # type: ignore[misc]
        assert np.allclose(dmean[f], expected, rtol=1e-6, atol=1e-7)


def test_a_prediction_is_the_same_alone_and_in_company() -> None:
    U, y = some_data(MIXED, 30)
    posterior = fitted(MIXED, U, y, some_theta(MIXED))
    Z = MIXED.snap(np.random.default_rng(4).random((5000, 5)))
    together, alone = posterior.moments(Z), posterior.moments(Z[4321:4322])
    assert together[0][0, 4321] == pytest.approx(alone[0][0, 0], abs=1e-13)
    assert together[1][4321] == pytest.approx(alone[1][0], abs=1e-12)


# --- fantasies ------------------------------------------------------------------------------------

PENDING = np.array(
    [[0.21, 0.6, 0.1, 0.9, 0.2], [0.77, 0.3, 0.8, 0.1, 0.2], [0.5, 0.9, 0.1, 0.1, 0.2]]
)


@pytest.mark.parametrize("noiseless", [False, True])
@WITH_AND_WITHOUT_A_TREND
def test_an_appended_factor_is_the_refactored_one(noiseless: bool, trend: float) -> None:
    U, y = some_data(MIXED, 20)
    theta = some_theta(MIXED, trend=trend)
    P = MIXED.snap(PENDING)
    appended = fitted(MIXED, U, y, theta, noiseless=noiseless).with_fantasies(
        P, 1, np.random.default_rng(0)
    )
    all_U, all_y = np.concatenate([MIXED.snap(U), P]), appended.values[0]
    refactored = fitted(MIXED, all_U, all_y, theta, noiseless=noiseless)
    Z = MIXED.snap(np.random.default_rng(1).random((50, 5)))
    assert np.allclose(appended.R, refactored.R, rtol=1e-9, atol=1e-9)
    assert np.allclose(appended.moments(Z)[0], refactored.moments(Z)[0], atol=1e-8)
    assert np.allclose(appended.moments(Z)[1], refactored.moments(Z)[1], atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_a_point_can_be_pending_where_the_trend_explains_everything(seed: int) -> None:
    """What is left of its variance then is less than the rounding of what it is left of."""
    rng = np.random.default_rng(seed)
    space = Space({f"x{i}": Float(0, 1) for i in range(10)})
    U = rng.random((90, 10))
    theta = Hyperparameters(0.0, 1e-13, 0.05, (5.0,) * 10, trend=1.0)
    known = fitted(space, U, np.sum(U, axis=1) - 5.0, theta, noiseless=True)
    appended = known.with_fantasies(U[:1] + 1e-4, 1, rng)
    assert appended.values[0, -1] == pytest.approx(appended.values[0, 0], abs=0.01)
    assert np.all(np.isfinite(appended.moments(rng.random((20, 10)))[0]))


def test_every_fantasy_has_the_posterior_of_its_own_values() -> None:
    U, y = some_data(MIXED, 12)
    theta = some_theta(MIXED)
    appended = fitted(MIXED, U, y, theta).with_fantasies(
        MIXED.snap(PENDING), 4, np.random.default_rng(0)
    )
    V = np.random.default_rng(1).random((20, 5))
    everything = np.concatenate([U, PENDING])
    for f in range(4):
        expected, _ = DenseGP(MIXED, everything, appended.values[f], theta).moments(V)
        assert np.allclose(appended.moments(MIXED.snap(V))[0][f], expected, atol=1e-9)


def test_fantasies_have_the_joint_moments_of_noisy_observations() -> None:
    U, y = some_data(MIXED, 12)
    theta = some_theta(MIXED, noise=0.2)
    draws = 40_000
    drawn = fitted(MIXED, U, y, theta).with_fantasies(
        MIXED.snap(PENDING), draws, np.random.default_rng(0)
    )
    mean, covariance = DenseGP(MIXED, U, y, theta).moments(PENDING)
    covariance += theta.noise * np.eye(3)
    values = drawn.values[:, -3:]
    error = np.sqrt(np.diag(covariance) / draws)
    assert np.all(np.abs(values.mean(axis=0) - mean) < 4.5 * error)
    assert np.allclose(np.cov(values.T), covariance, atol=0.05)


@pytest.mark.parametrize("noiseless", [False, True])
def test_an_expected_result_changes_no_mean_and_is_as_sure_as_any_other(noiseless: bool) -> None:
    U, y = some_data(MIXED, 12)
    before = fitted(MIXED, U, y, some_theta(MIXED), noiseless=noiseless)
    P, Z = MIXED.snap(PENDING), MIXED.snap(np.random.default_rng(4).random((20, MIXED.dimensions)))
    expected, drawn = before.with_expected(P), before.with_fantasies(P, 1, np.random.default_rng(0))
    assert expected.moments(Z)[0] == pytest.approx(before.moments(Z)[0])
    assert expected.moments(Z)[1] == pytest.approx(drawn.moments(Z)[1])


def test_a_deviation_is_in_standard_deviations_of_what_an_evaluation_may_bring() -> None:
    U, y = some_data(MIXED, 12)
    theta = some_theta(MIXED, noise=0.2)
    before, P = fitted(MIXED, U, y, theta), MIXED.snap(PENDING)[:1]
    mean, variance = before.moments(P)
    grown = before.with_deviation(P, 1.5)
    assert grown.values[0, -1] == pytest.approx(
        mean[0, 0] + 1.5 * np.sqrt(variance[0] + theta.noise), rel=1e-4
    )


def test_only_usable_rows_and_those_under_way_are_the_incumbent() -> None:
    U, y = some_data(TWO_REALS, 5)
    whole = fitted(TWO_REALS, U, y, some_theta(TWO_REALS), noiseless=True)
    worst = np.arange(5) == np.argmax(whole.values[0])
    bound = replace(whole, usable=worst)
    assert bound.incumbents == pytest.approx([np.max(whole.values)])
    assert bound.with_deviation(np.array([[0.3, 0.7]]), -9.0).incumbents[0] < np.min(whole.values)


def test_fantasies_of_fantasies_multiply() -> None:
    U, y = some_data(TWO_REALS, 5)
    rng = np.random.default_rng(0)
    once = fitted(TWO_REALS, U, y, some_theta(TWO_REALS)).with_fantasies(
        np.array([[0.1, 0.2]]), 2, rng
    )
    twice = once.with_fantasies(np.array([[0.8, 0.9]]), 3, rng)
    assert twice.values.shape == (6, 7)
    assert np.array_equal(np.repeat(once.values, 3, axis=0), twice.values[:, :6])


def test_uncertainty_falls_at_a_pending_point_and_nowhere_rises() -> None:
    U, y = some_data(MIXED, 12)
    before = fitted(MIXED, U, y, some_theta(MIXED))
    P = MIXED.snap(PENDING)
    after = before.with_fantasies(P, 1, np.random.default_rng(0))
    Z = np.concatenate([P, MIXED.snap(np.random.default_rng(1).random((50, 5)))])
    assert np.all(after.moments(Z)[1] <= before.moments(Z)[1] + 1e-12)
    assert np.all(after.moments(P)[1] < 0.5 * before.moments(P)[1])


@pytest.mark.parametrize("noiseless", [False, True])
def test_a_pending_point_that_is_an_evaluated_one_does_not_break_the_factor(
    noiseless: bool,
) -> None:
    U, y = some_data(MIXED, 8)
    posterior = fitted(MIXED, U, y, some_theta(MIXED), noiseless=noiseless)
    P = MIXED.snap(np.concatenate([U[:2], U[:2]]))
    after = posterior.with_fantasies(P, 2, np.random.default_rng(0))
    mean, variance = after.moments(MIXED.snap(np.random.default_rng(1).random((30, 5))))
    assert np.all(np.isfinite(mean))
    assert np.all(variance >= 0.0)


# --- without noise --------------------------------------------------------------------------------


def test_without_noise_evaluated_rows_have_no_uncertainty_at_all() -> None:
    U, y = some_data(MIXED, 20)
    posterior = fitted(MIXED, U, y, some_theta(MIXED), noiseless=True)
    mean, variance = posterior.moments(posterior.X)
    assert np.all(variance == 0.0)
    assert np.array_equal(mean[0], posterior.values[0])


def test_one_evaluation_in_every_cell_leaves_no_uncertainty_anywhere() -> None:
    """Figure 1 of the paper, the proposed treatment."""
    space = Space({"k": Int(0, 4)})
    U = np.array([[0.05], [0.39], [0.41], [0.79], [0.99]])
    theta = Hyperparameters(0.0, 1.0, 0.0, (0.4,))
    posterior = fitted(space, U, np.array([1.0, -1.0, 0.5, 2.0, 0.0]), theta, noiseless=True)
    everywhere = np.linspace(0.0, 1.0, 1001)[:, np.newaxis]
    _, variance = Ensemble((posterior,), space.snap).moments(everywhere)
    assert np.max(np.sqrt(variance)) < 1e-7


def test_a_standard_gp_stays_uncertain_between_the_integers() -> None:
    """Figure 1 of the paper, the basic treatment."""
    space = Space({"k": Int(0, 4)})
    covariance = Covariance.over(space, kernel_named("matern52"))
    theta = Hyperparameters(0.0, 1.0, 0.0, (0.1,))
    X = space.lattice()
    posterior = Posterior.fit(TrainingData.collapse(X, X[:, 0]), theta, covariance, noiseless=True)
    assert posterior.moments(np.array([[0.2]]))[1][0] > 0.1


def test_the_posterior_is_constant_inside_every_cell() -> None:
    """Figure 2 of the paper: steps in the integer, smooth in the real."""
    space = Space({"x": Float(0, 1), "k": Int(0, 4)})
    U, y = some_data(space, 10)
    ensemble = Ensemble((fitted(space, U, y, some_theta(space)),), space.snap)
    rng = np.random.default_rng(0)
    x, k, inside = rng.random(200), rng.integers(0, 5, 200), rng.random((2, 200))
    a, b = (ensemble.moments(np.column_stack([x, (k + v) / 5])) for v in inside)
    assert np.array_equal(a[0], b[0])
    assert np.array_equal(a[1], b[1])


# --- robustness and bookkeeping -------------------------------------------------------------------


def test_a_covariance_that_cannot_be_factored_gets_more_jitter() -> None:
    rows = np.repeat(np.linspace(0.0, 1e-9, 30)[:, np.newaxis], 2, axis=1)
    data = TrainingData(rows, np.arange(30.0), np.arange(30))
    covariance = Covariance.over(TWO_REALS, kernel_named("squared_exponential"))
    theta = Hyperparameters(0.0, 1.0, 0.0, (10.0, 10.0))
    mean, variance = Posterior.fit(data, theta, covariance, noiseless=True).moments(rows)
    assert np.all(np.isfinite(mean))
    assert np.all(variance >= 0.0)


def test_a_covariance_of_nan_is_a_linear_algebra_error() -> None:
    U, y = some_data(TWO_REALS, 5)
    theta = Hyperparameters(0.0, 1.0, 0.1, (float("nan"), 1.0))
    with pytest.raises(np.linalg.LinAlgError):
        fitted(TWO_REALS, U, y, theta)


def test_variances_are_never_negative_where_points_crowd() -> None:
    U = 0.5 + 1e-6 * np.random.default_rng(0).random((60, 2))
    posterior = fitted(TWO_REALS, U, U[:, 0], some_theta(TWO_REALS), noiseless=True)
    Z = 0.5 + 1e-6 * np.random.default_rng(1).random((200, 2))
    assert np.all(posterior.moments(Z)[1] >= 0.0)


def test_the_mixture_has_the_mean_and_variance_of_its_parts() -> None:
    U, y = some_data(MIXED, 10)
    ensemble = Ensemble(
        tuple(fitted(MIXED, U, y, some_theta(MIXED, noise=s)) for s in (0.01, 0.5)), MIXED.snap
    )
    V = np.random.default_rng(1).random((20, 5))
    means, variances = ensemble.moments(V)
    mean, sd = ensemble.mixture(V)
    second_moment = np.mean(variances + means[:, 0] ** 2, axis=0)
    assert np.allclose(mean, np.mean(means[:, 0], axis=0))
    assert np.allclose(sd**2, second_moment - mean**2)


def test_every_point_goes_through_the_transform_exactly_once() -> None:
    """With a T that is not idempotent: a second pass would move every row."""

    def halved(U: FloatArray) -> FloatArray:
        return 0.5 * U**2

    U, y = some_data(TWO_REALS, 12)
    theta = some_theta(TWO_REALS)
    pending, V = U[:2] + 0.01, np.random.default_rng(5).random((7, 2))
    ensemble = Ensemble((fitted(TWO_REALS, halved(U), y, theta),), halved)
    by_hand = fitted(TWO_REALS, halved(U), y, theta)
    assert np.array_equal(ensemble.moments(V)[0][0], by_hand.moments(halved(V))[0])
    bound = Stack((by_hand,)).moments_bound(halved(V))
    assert np.array_equal(ensemble.moments_bound(V)[1], bound[1])
    assert np.allclose(ensemble.moments_with_gradient(V)[1][0], by_hand.moments(halved(V))[1])
    fantasised = ensemble.with_fantasies(pending, 1, np.random.default_rng(0)).posteriors[0]
    assert np.array_equal(fantasised.X[-2:], halved(pending))
