"""Outputs on their way to the model's units and back: scale, warp, expectations, improvement."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from spearmint_int.acquisition import acquisition_named
from spearmint_int.acquisition.surface import NegativeBound
from spearmint_int.arrays import FloatArray
from spearmint_int.kernels import Covariance, InputWarp, kernel_named
from spearmint_int.model import Ensemble, Hyperparameters, OutputScale, OutputWarp, TrainingData
from spearmint_int.model.posterior import Posterior
from tests.twins import TWO_REALS, DenseGP, central_differences, some_data

SKEWED = np.array([-1.2, -0.9, -0.5, -0.1, 0.0, 0.3, 1.0, 2.5, 9.0, 60.0])
POWERS = (-1.0, -0.4, 0.0, 0.3, 1.0)


@pytest.mark.parametrize(
    "y",
    [
        [1.0, 2.0, 4.0],
        [1e300, -1e300, 3e300],
        [1e308, -1e308, 1.7e308],
        [1e-300, 2e-300],
        [1e-310, 2e-310, 5e-320],
        [5.0, 5.0, 7.0],
    ],
)
def test_half_of_the_values_lie_below_the_knee_whatever_their_size(y: list[float]) -> None:
    values = np.array(y)
    scaled = OutputScale.of(values).apply(values)
    assert np.all(np.isfinite(scaled))
    assert np.sum(scaled <= 0.0) >= len(y) / 2
    assert np.max(np.abs(scaled)) > 0.5


@pytest.mark.parametrize("y", [[0.1, 0.1, 0.1], [1e300, 1e300], [0.0, 0.0], [7.0]])
def test_equal_values_are_zero_on_their_own_scale(y: list[float]) -> None:
    scale = OutputScale.of(np.array(y))
    assert scale.unit == 1.0
    assert np.array_equal(scale.apply(np.array(y)), np.zeros(len(y)))


def test_results_that_crowd_at_the_best_leave_a_unit_of_the_spread_where_one_is_asked() -> None:
    values = np.concatenate([0.1 + 1e-9 * np.arange(20.0), np.linspace(0.1, 1.0, 10)])
    assert OutputScale.of(values).unit < 1e-8
    assert OutputScale.of(values, at_least=0.1).unit > 0.01


def test_a_few_bad_results_are_no_spread() -> None:
    values = np.concatenate([np.linspace(0.0, 1.0, 19), [1e6]])
    assert OutputScale.of(values, at_least=0.1).unit < 1.0


@pytest.mark.parametrize(
    "y", [[0.1, 0.4, *[1.0] * 17, 1e6], [*[0.0] * 11, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1e6]]
)
def test_where_half_of_the_results_are_alike_a_penalty_is_no_unit(y: list[float]) -> None:
    """It was the standard deviation, and all that is good lay within 4e-6 of the knee."""
    assert 0.1 < OutputScale.of(np.array(y)).unit < 5.0


def test_nothing_comes_back_beyond_the_largest_double() -> None:
    scale = OutputScale.of(np.array([1e308, -1e308, 1.7e308]))
    assert np.all(np.isfinite(scale.undo(np.array([-5.0, 0.0, 5.0]))))


def test_the_scale_is_undone() -> None:
    values = np.array([3.0, 5.0, 9.0, 4.0])
    scale = OutputScale.of(values)
    assert np.allclose(scale.undo(scale.apply(values)), values, rtol=1e-14)


@pytest.mark.parametrize("power", POWERS)
def test_warped_outputs_have_zero_mean_and_unit_variance_and_come_back(power: float) -> None:
    warp = OutputWarp.standardising(power, SKEWED)
    z = warp.apply(SKEWED)
    assert np.mean(z) == pytest.approx(0.0, abs=1e-12)
    assert np.std(z) == pytest.approx(1.0)
    assert np.all(np.diff(z) > 0.0)
    assert np.allclose(warp.undo(z), SKEWED, rtol=1e-9)


def test_one_bad_result_does_not_flatten_the_others() -> None:
    straight, warped = (OutputWarp.standardising(p, SKEWED).apply(SKEWED) for p in (1.0, 0.0))
    assert warped[4] - warped[0] > 5.0 * (straight[4] - straight[0])


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize(("mean", "sd"), [(-1.0, 0.1), (0.2, 0.5), (1.5, 1.0), (1.0, 0.01)])
def test_expectations_in_the_objectives_units_are_those_of_quadrature(
    power: float, mean: float, sd: float
) -> None:
    warp = OutputWarp.standardising(power, SKEWED)

    def expected(moment: int) -> float:
        def integrand(z: float) -> float:
            return float(warp.undo(np.array(z)) ** moment) * float(norm.pdf(z, mean, sd))

        kinks = [z for z in warp.apply(np.array([0.0, SKEWED[-1]])) if abs(z - mean) < 9 * sd]
        return float(quad(integrand, mean - 9 * sd, mean + 9 * sd, points=kinks, limit=200)[0])

    first, spread = warp.moments_of_undone(np.array([mean]), np.array([sd**2]))
    assert first[0] == pytest.approx(expected(1), rel=1e-5, abs=1e-6)
    assert spread[0] + first[0] ** 2 == pytest.approx(expected(2), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("y", [-0.7, 0.4, 8.0])
def test_a_prediction_that_is_all_but_sure_has_the_warps_slope(power: float, y: float) -> None:
    """Both forms agree where one takes over from the other."""
    warp = OutputWarp.standardising(power, SKEWED)
    z = warp.apply(np.array([y]))
    for sd in (1e-9, 3e-7, 1e-6):
        mean, spread = warp.moments_of_undone(z, np.array([sd**2]))
        assert mean[0] == pytest.approx(y, rel=1e-6)
        slope = (warp.undo(z + 1e-6) - warp.undo(z - 1e-6)) / 2e-6
        assert np.sqrt(spread[0]) == pytest.approx(sd * slope[0], rel=1e-4)


@pytest.mark.parametrize("power", POWERS)
def test_beyond_the_worst_result_outputs_go_on_straight(power: float) -> None:
    warp = OutputWarp.standardising(power, SKEWED)
    (worst,) = warp.apply(SKEWED[-1:])
    steps = np.diff(warp.undo(worst + np.array([0.0, 0.01, 0.02, 5.0, 5.01])))
    assert np.allclose(steps[[1, 3]], steps[0])
    assert steps[0] > 0.0
    known = warp.moments_of_undone(np.array([worst + 1.0]), np.zeros(1))[0]
    assert known == pytest.approx(warp.undo(np.array([worst + 1.0])))


def test_outputs_that_are_not_warped_are_normal_beyond_the_worst_result_too() -> None:
    warp = OutputWarp.standardising(1.0, SKEWED)
    mean, spread = warp.moments_of_undone(np.array([0.0, 3.0, 30.0]), np.full(3, 4.0))
    assert mean == pytest.approx(warp.shift + warp.scale * np.array([0.0, 3.0, 30.0]), rel=1e-6)
    assert np.sqrt(spread) == pytest.approx(np.full(3, 2.0 * warp.scale), rel=1e-6)


def test_a_large_output_that_is_known_exactly_has_no_spread() -> None:
    warp = OutputWarp.standardising(0.3, np.array([0.0, 1.0, 1e9]))
    assert warp.moments_of_undone(warp.apply(np.array([1e8])), np.zeros(1))[1] < 1e-12


def warped_ensemble(*, noiseless: bool = True) -> tuple[Ensemble, FloatArray, FloatArray]:
    """Posteriors that differ in their warps, and the data: outputs that span decades."""
    U, y = some_data(TWO_REALS, 14)
    y = np.exp(2.0 * y) - np.median(np.exp(2.0 * y))
    covariance = Covariance.over(TWO_REALS, kernel_named("matern52"))
    data = TrainingData.collapse(U, y, reference=y)
    posteriors = tuple(
        Posterior.fit(
            data,
            Hyperparameters(
                0.1, 1.3, 0.0 if noiseless else 0.05, (0.4, 0.6), power, InputWarp((1,), (a,), (b,))
            ),
            covariance,
            noiseless=noiseless,
        )
        for power, a, b in ((-0.6, 0.5, 1.0), (0.4, 1.5, 2.0), (1.0, 1.0, 0.7))
    )
    return Ensemble(posteriors, TWO_REALS.snap), U, y


def test_expected_improvement_is_that_of_the_objective_itself() -> None:
    """By quadrature over y, for each sample, of what a result would be better than the best."""
    ensemble, _, y = warped_ensemble()
    V = np.random.default_rng(1).random((5, 2))
    ours = np.exp(acquisition_named("ei")(ensemble, np.random.default_rng(0)).value(V))
    means, variances = ensemble.moments(V)
    expected = np.zeros(len(V))
    for posterior, mean, variance in zip(ensemble.posteriors, means, variances, strict=True):
        for i, (m, sd) in enumerate(zip(mean[0], np.sqrt(variance), strict=True)):

            def improvement(
                z: float, p: Posterior = posterior, m: float = m, sd: float = sd
            ) -> float:
                gain = np.min(y) - float(p.outputs.undo(np.array(z)))
                return max(gain, 0.0) * float(norm.pdf(z, m, sd))

            best = float(posterior.outputs.apply(np.array(np.min(y))))
            low = min(m, best) - 10 * sd
            expected[i] += quad(improvement, low, best, limit=200)[0] / len(ensemble.posteriors)
    assert np.allclose(ours, expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("noiseless", [True, False])
@pytest.mark.parametrize("name", ["ei", "lcb", "nei", "pi"])
def test_gradients_through_both_warps_are_finite_differences(name: str, noiseless: bool) -> None:
    ensemble, _, _ = warped_ensemble(noiseless=noiseless)
    surface = acquisition_named(name)(ensemble, np.random.default_rng(0))
    U = 0.1 + 0.8 * np.random.default_rng(2).random((15, 2))
    gradient = surface.value_and_gradient(U)[1]  # type: ignore[attr-defined]
    assert np.allclose(gradient, central_differences(surface.value, U), rtol=1e-5, atol=1e-5)


def test_the_gradient_of_the_recommendation_through_both_warps_is_finite_differences() -> None:
    surface = NegativeBound(warped_ensemble()[0], 2.0)
    U = 0.1 + 0.8 * np.random.default_rng(2).random((15, 2))
    gradient = surface.value_and_gradient(U)[1]
    assert np.allclose(gradient, central_differences(surface.value, U), rtol=1e-5, atol=1e-6)


def test_moments_with_warps_are_those_of_the_dense_gp() -> None:
    ensemble, U, y = warped_ensemble(noiseless=False)
    V = np.random.default_rng(3).random((20, 2))
    means, variances = ensemble.moments(V)
    for posterior, mean, variance in zip(ensemble.posteriors, means, variances, strict=True):
        gp = DenseGP(TWO_REALS, U, posterior.outputs.apply(y), posterior.theta)
        expected, covariance = gp.moments(V)
        assert np.allclose(mean[0], expected, atol=1e-9)
        assert np.allclose(variance, np.diag(covariance), atol=1e-9)


@pytest.mark.parametrize("amplitude2", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("length", [0.3, 2.0, 10.0])
def test_without_noise_the_mean_passes_through_the_data(amplitude2: float, length: float) -> None:
    U, y = some_data(TWO_REALS, 60)
    theta = Hyperparameters(0.0, amplitude2, 0.0, (length, length))
    covariance = Covariance.over(TWO_REALS, kernel_named("matern52"))
    posterior = Posterior.fit(TrainingData.collapse(U, y), theta, covariance, noiseless=True)
    mean, variance = posterior.moments(U)
    assert np.max(np.abs(mean[0] - y)) <= 1e-6 * np.ptp(y)
    assert np.max(np.sqrt(variance)) <= 1e-6 * np.ptp(y)
