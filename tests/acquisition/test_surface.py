"""Averages over hyperparameter samples and fantasies: their values and their slopes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from spearmint_int.acquisition import (
    ACQUISITIONS,
    AveragedAcquisition,
    NegativeBound,
    SupportsGradient,
    acquisition_named,
)
from spearmint_int.acquisition.improvement import LogExpectedImprovement, LowerConfidenceBound
from spearmint_int.acquisition.noisy import with_latent_draws
from spearmint_int.acquisition.surface import SupportsRelaxation
from spearmint_int.arrays import FloatArray
from spearmint_int.errors import UnknownNameError
from spearmint_int.model import Ensemble
from tests.acquisition.ensembles import some_ensemble
from tests.twins import (
    MIXED,
    TWO_REALS,
    DenseGP,
    central_differences,
    fitted,
    some_data,
    some_theta,
)

CLIMBED = ["ei", "lcb", "nei", "pi"]


def with_pending(ensemble: Ensemble, draws: int) -> Ensemble:
    P = np.random.default_rng(9).random((2, ensemble.posteriors[0].X.shape[1]))
    return ensemble.with_fantasies(P, draws, np.random.default_rng(0))


def climbable(name: str, ensemble: Ensemble) -> SupportsGradient:
    surface = acquisition_named(name)(ensemble, np.random.default_rng(0))
    assert isinstance(surface, SupportsGradient)
    return surface


def test_averaged_ei_is_the_mean_of_the_textbooks_ei_over_samples_and_fantasies() -> None:
    ensemble = with_pending(some_ensemble(MIXED), 4)
    U = np.random.default_rng(1).random((30, 5))
    mean, variance = ensemble.moments(U)
    sd = np.sqrt(variance)[:, np.newaxis]
    gamma = (ensemble.incumbents[:, :, np.newaxis] - mean) / sd
    expected = np.mean(sd * (gamma * norm.cdf(gamma) + norm.pdf(gamma)), axis=(0, 1))
    value = climbable("ei", ensemble).value(U)
    assert np.allclose(np.exp(value), expected, rtol=1e-9, atol=1e-300)


def test_averaged_pi_is_the_mean_of_probabilities() -> None:
    ensemble = some_ensemble(MIXED)
    U = np.random.default_rng(1).random((30, 5))
    mean, variance = ensemble.moments(U)
    gamma = (ensemble.incumbents[:, :, np.newaxis] - mean) / np.sqrt(variance)[:, np.newaxis]
    value = climbable("pi", ensemble).value(U)
    assert np.allclose(np.exp(value), np.mean(norm.cdf(gamma), axis=(0, 1)), rtol=1e-9)


@pytest.mark.parametrize("name", CLIMBED)
@pytest.mark.parametrize("fantasies", [0, 1, 3])
@pytest.mark.parametrize("noiseless", [False, True])
def test_the_gradient_of_an_averaged_acquisition_is_finite_differences(
    name: str, fantasies: int, noiseless: bool
) -> None:
    ensemble = some_ensemble(TWO_REALS, noiseless=noiseless)
    if fantasies:
        ensemble = with_pending(ensemble, fantasies)
    surface = climbable(name, ensemble)
    U = 0.05 + 0.9 * np.random.default_rng(2).random((25, 2))
    value, gradient = surface.value_and_gradient(U)
    expected = central_differences(surface.value, U, step=1e-5)
    assert np.allclose(value, surface.value(U), rtol=1e-8)
    assert np.allclose(gradient, expected, rtol=2e-4, atol=1e-5 * np.max(np.abs(expected)))


@pytest.mark.parametrize("name", CLIMBED)
def test_the_gradient_in_the_reals_of_a_mixed_space_is_finite_differences(name: str) -> None:
    surface = climbable(name, with_pending(some_ensemble(MIXED), 2))
    U = 0.05 + 0.9 * np.random.default_rng(2).random((25, 5))
    gradient = surface.value_and_gradient(U)[1][:, 0]
    expected = central_differences(surface.value, U, step=1e-5)[:, 0]
    assert np.allclose(gradient, expected, rtol=2e-4, atol=1e-5 * np.max(np.abs(expected)))


@pytest.mark.parametrize("kappa", [0.0, 2.0])
def test_the_gradient_of_the_recommendations_surface_is_finite_differences(kappa: float) -> None:
    surface = NegativeBound(with_pending(some_ensemble(TWO_REALS), 2), kappa)
    U = 0.05 + 0.9 * np.random.default_rng(2).random((25, 2))
    value, gradient = surface.value_and_gradient(U)
    assert np.allclose(value, surface.value(U), rtol=1e-12)
    assert np.allclose(gradient, central_differences(surface.value, U), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", sorted(ACQUISITIONS))
def test_a_surface_is_constant_inside_every_cell(name: str) -> None:
    ensemble = some_ensemble(MIXED)
    U = np.random.default_rng(3).random((40, 5))
    moved = np.array(U)
    moved[:, 1:] = MIXED.snap(U)[:, 1:]
    a, b = (
        acquisition_named(name)(ensemble, np.random.default_rng(0)).value(V) for V in (U, moved)
    )
    assert np.array_equal(a, b)


@pytest.mark.parametrize("name", ["ei", "nei", "lcb"])
def test_a_relaxed_surface_is_the_same_on_the_lattice_and_another_between(name: str) -> None:
    surface = climbable(name, some_ensemble(MIXED))
    assert isinstance(surface, SupportsRelaxation)
    U = np.random.default_rng(0).random((50, 5))
    lattice = MIXED.snap(U)
    assert np.allclose(surface.relaxed().value(lattice), surface.value(lattice), rtol=1e-12)
    assert not np.allclose(surface.relaxed().value(U), surface.value(U), rtol=1e-3)


def test_log_ei_has_a_slope_where_ei_itself_underflows() -> None:
    ensemble = some_ensemble(TWO_REALS, samples=1, noiseless=True)
    far_below = np.full((1, 1), -60.0)
    surface = AveragedAcquisition(ensemble, LogExpectedImprovement(), far_below)
    value, gradient = surface.value_and_gradient(np.array([[0.31, 0.62]]))
    assert np.exp(value[0]) == 0.0
    assert np.isfinite(value[0])
    assert np.max(np.abs(gradient)) > 0.0


def test_an_evaluated_point_of_a_noiseless_model_promises_nothing() -> None:
    ensemble = some_ensemble(TWO_REALS, noiseless=True)
    surface = climbable("ei", ensemble)
    at_the_data = surface.value(ensemble.posteriors[0].X)
    elsewhere = surface.value(np.random.default_rng(0).random((100, 2)))
    assert np.max(at_the_data) < np.max(elsewhere) - 5.0


@pytest.mark.parametrize("noiseless", [False, True])
def test_a_bound_is_nowhere_below_the_value(noiseless: bool) -> None:
    ensemble = with_pending(some_ensemble(MIXED, noiseless=noiseless), 2)
    surface = acquisition_named("ei")(ensemble, np.random.default_rng(0))
    U = np.random.default_rng(4).random((500, 5))
    bound: FloatArray = getattr(surface, "upper_bound", surface.value)(U)
    assert np.all(bound >= surface.value(U) - 1e-9)


def test_the_lower_confidence_bound_is_averaged_as_it_is() -> None:
    ensemble = some_ensemble(MIXED)
    U = np.random.default_rng(1).random((10, 5))
    mean, variance = ensemble.moments(U)
    expected = np.mean(2.0 * np.sqrt(variance) - mean[:, 0], axis=0)
    surface = AveragedAcquisition(ensemble, LowerConfidenceBound(2.0), ensemble.incumbents)
    assert np.allclose(surface.value(U), expected)


# --- noisy EI and Thompson's draws ----------------------------------------------------------------


def test_latent_draws_have_the_joint_moments_of_the_latent_values() -> None:
    U, y = some_data(TWO_REALS, 6)
    theta = some_theta(TWO_REALS, noise=0.3)
    ensemble = Ensemble((fitted(TWO_REALS, U, y, theta),), TWO_REALS.snap)
    drawn = with_latent_draws(ensemble, 40_000, np.random.default_rng(0)).posteriors[0]
    mean, covariance = DenseGP(TWO_REALS, U, y, theta).moments(U)
    error = np.sqrt(np.diag(covariance) / 40_000)
    assert np.all(np.abs(drawn.values.mean(axis=0) - mean) < 4.5 * error + 1e-6)
    assert np.allclose(np.cov(drawn.values.T), covariance, atol=0.01)


def test_averaged_over_latent_draws_the_prediction_is_that_of_the_noisy_model() -> None:
    ensemble = some_ensemble(TWO_REALS, samples=1)
    drawn = with_latent_draws(ensemble, 20_000, np.random.default_rng(0))
    U = np.random.default_rng(1).random((20, 2))
    mean, variance = ensemble.moments(U)
    means, variances = drawn.moments(U)
    assert np.allclose(means[0].mean(axis=0), mean[0, 0], atol=0.02)
    assert np.allclose(variances[0] + means[0].var(axis=0), variance[0], atol=0.03)


def test_the_incumbent_of_a_latent_draw_is_its_least_value() -> None:
    drawn = with_latent_draws(some_ensemble(TWO_REALS), 5, np.random.default_rng(0))
    for posterior in drawn.posteriors:
        assert np.array_equal(posterior.incumbents, posterior.values.min(axis=1))


def test_without_noise_there_are_no_latent_values_to_draw() -> None:
    ensemble = some_ensemble(TWO_REALS, noiseless=True)
    drawn = with_latent_draws(ensemble, 5, np.random.default_rng(0))
    assert drawn.posteriors == ensemble.posteriors


def test_thompsons_draws_have_the_moments_of_the_posterior() -> None:
    ensemble = some_ensemble(TWO_REALS, samples=1)
    surface = acquisition_named("thompson")(ensemble, np.random.default_rng(0))
    U = np.random.default_rng(1).random((5, 2))
    draws = -np.array([surface.value(U) for _ in range(4000)])
    mean, covariance = ensemble.posteriors[0].joint(U)
    assert np.all(np.abs(draws.mean(axis=0) - mean[0]) < 4.5 * np.sqrt(np.diag(covariance) / 4000))
    assert np.allclose(np.cov(draws.T), covariance, atol=0.1)


def test_thompson_draws_at_no_more_points_than_it_can_afford() -> None:
    surface = acquisition_named("thompson")(some_ensemble(TWO_REALS), np.random.default_rng(0))
    value = surface.value(np.random.default_rng(1).random((1500, 2)))
    assert np.sum(np.isfinite(value)) == 1000


def test_an_unknown_acquisition_lists_the_names_there_are() -> None:
    with pytest.raises(UnknownNameError, match="ei, lcb, nei, pi, thompson"):
        acquisition_named("expected")
