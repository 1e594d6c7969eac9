"""EI, PI and LCB of one prediction: quadrature, Monte Carlo, the far tail, and derivatives."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

from spearmint_int.acquisition.improvement import (
    LogExpectedImprovement,
    LogProbabilityOfImprovement,
    LowerConfidenceBound,
    log_h,
)
from spearmint_int.acquisition.surface import PointwiseAcquisition
from spearmint_int.arrays import FloatArray

PREDICTIONS = [
    (0.0, 1.0, 0.0),
    (1.0, 0.5, 0.2),
    (-2.0, 3.0, 1.0),
    (5.0, 1.0, 0.0),
    (0.1, 1e-3, 0.1),
]
ACQUISITIONS: list[PointwiseAcquisition] = [
    LogExpectedImprovement(),
    LogProbabilityOfImprovement(),
    LowerConfidenceBound(),
]


def array(*values: float) -> FloatArray:
    return np.array(values, dtype=np.float64)


def log_h_by_quadrature(gamma: float) -> float:
    """h(γ) = ∫ t φ(γ − t) dt = φ(γ) ∫ t exp(γ t − t²/2) dt over t > 0, with φ(γ) taken out.

    In units of the integrand's width the integral is of order one for every γ < 0.
    """
    width = 1.0 / max(1.0, -gamma)
    integral, _ = quad(
        lambda v: v * math.exp(gamma * width * v - 0.5 * (width * v) ** 2),
        0.0,
        60.0,
        epsabs=0.0,
        epsrel=1e-13,
        limit=200,
    )
    return math.log(integral) + 2.0 * math.log(width) - 0.5 * gamma**2 - 0.5 * math.log(2 * math.pi)


@pytest.mark.parametrize(("mean", "sd", "best"), PREDICTIONS)
def test_expected_improvement_is_the_integral_of_the_improvement(
    mean: float, sd: float, best: float
) -> None:
    expected, _ = quad(
        lambda y: (best - y) * norm.pdf(y, mean, sd),
        min(best, mean) - 12.0 * sd,
        best,
        points=[min(mean, best)],
        epsabs=1e-14,
        limit=400,
    )
    value = LogExpectedImprovement().value(array(mean), array(sd), array(best))
    assert math.exp(value[0]) == pytest.approx(expected, rel=1e-7)


def test_expected_improvement_is_the_average_of_simulated_improvements() -> None:
    mean, sd, best = 0.3, 0.7, 0.1
    draws = mean + sd * np.random.default_rng(0).standard_normal(400_000)
    improvements = np.maximum(best - draws, 0.0)
    error = np.std(improvements) / math.sqrt(len(draws))
    value = math.exp(LogExpectedImprovement().value(array(mean), array(sd), array(best))[0])
    assert abs(value - np.mean(improvements)) < 4.0 * error


@pytest.mark.parametrize("gamma", [0.0, -0.5, -0.99, -1.0, -1.01, -3.0, -10.0, -40.0, -149.0])
def test_log_ei_agrees_with_quadrature_into_the_tail(gamma: float) -> None:
    assert log_h(array(gamma))[0] == pytest.approx(log_h_by_quadrature(gamma), rel=1e-12, abs=1e-10)


@pytest.mark.parametrize("gamma", [-151.0, -1e3, -1e6, -1e10, -1e100])
def test_log_ei_agrees_with_its_asymptotic_series_in_the_far_tail(gamma: float) -> None:
    """h ≈ φ(γ)/γ² (1 − 3/γ² + 15/γ⁴), in decimals of fifty digits."""
    with localcontext() as context:
        context.prec = 50
        g2 = Decimal(gamma) ** 2
        series = 1 - 3 / g2 + 15 / g2**2 - 105 / g2**3
        two_pi = Decimal("6.2831853071795864769252867665590057683943387987502")
        expected = -g2 / 2 - two_pi.ln() / 2 - g2.ln() + series.ln()
    assert log_h(array(gamma))[0] == pytest.approx(float(expected), rel=1e-14)


def test_log_ei_has_no_step_where_its_formulas_meet() -> None:
    for meeting, slope in ((-1.0, 1.9043), (-150.0, 150.0133)):
        below, above = log_h(array(meeting - 1e-7, meeting + 1e-7))
        assert above - below == pytest.approx(2e-7 * slope, rel=1e-3)


def test_log_ei_rises_with_gamma_everywhere() -> None:
    gamma = np.concatenate([-np.logspace(6, -6, 3000), np.logspace(-6, 3, 1000)])
    assert np.all(np.diff(log_h(gamma)) > 0.0)


def test_far_above_the_incumbent_the_improvement_is_the_whole_difference() -> None:
    assert math.exp(log_h(array(30.0))[0]) == pytest.approx(30.0, rel=1e-14)


@pytest.mark.parametrize(
    ("mean", "expected"), [(-0.5, math.log(0.5)), (0.0, -math.inf), (1.0, -math.inf)]
)
def test_without_uncertainty_the_improvement_is_certain(mean: float, expected: float) -> None:
    value = LogExpectedImprovement().value(array(mean), array(0.0), array(0.0))
    assert value[0] == pytest.approx(expected)


@pytest.mark.parametrize(("mean", "sd", "best"), PREDICTIONS)
def test_probability_of_improvement_is_the_normal_probability(
    mean: float, sd: float, best: float
) -> None:
    value = LogProbabilityOfImprovement().value(array(mean), array(sd), array(best))
    assert math.exp(value[0]) == pytest.approx(float(norm.cdf(best, mean, sd)), rel=1e-12)


def test_without_uncertainty_improvement_is_sure_or_impossible() -> None:
    value = LogProbabilityOfImprovement().value(array(-1.0, 1.0), array(0.0, 0.0), array(0.0, 0.0))
    assert value.tolist() == [0.0, -math.inf]


def test_the_lower_confidence_bound_is_turned_so_that_larger_is_better() -> None:
    value = LowerConfidenceBound(kappa=2.0).value(array(1.0), array(0.5), array(9.0))
    assert value[0] == 0.0


@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("gamma", [4.0, 0.3, -0.9, -1.1, -5.0, -30.0, -120.0, -400.0])
def test_derivatives_in_mean_and_sd_are_finite_differences(
    acquisition: PointwiseAcquisition, gamma: float
) -> None:
    sd, best = 0.7, 0.2
    mean = best - gamma * sd
    scores = acquisition.scores(array(mean), array(sd), array(best))

    def difference(in_mean: float, in_sd: float) -> float:
        step = 1e-5
        up, down = (
            acquisition.value(array(mean + s * in_mean), array(sd + s * in_sd), array(best))[0]
            for s in (step, -step)
        )
        return float((up - down) / (2.0 * step))

    assert scores.d_mean[0] == pytest.approx(difference(1.0, 0.0), rel=1e-5)
    assert scores.d_sd[0] == pytest.approx(difference(0.0, 1.0), rel=1e-5)


@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=lambda a: type(a).__name__)
def test_scores_come_with_the_plain_values(acquisition: PointwiseAcquisition) -> None:
    rng = np.random.default_rng(0)
    mean, sd, best = rng.normal(0, 3, 200), rng.uniform(0.01, 2, 200), rng.normal(0, 1, 200)
    scores = acquisition.scores(mean, sd, best)
    assert np.allclose(scores.value, acquisition.value(mean, sd, best), rtol=1e-12)


def test_slopes_stay_finite_where_ei_underflows() -> None:
    scores = LogExpectedImprovement().scores(array(1.0, 1e6), array(1e-12, 1e-3), array(0.0, 0.0))
    assert np.all(np.isfinite(scores.value))
    assert np.all(np.isfinite(scores.d_mean))
    assert np.all(np.isfinite(scores.d_sd))


def test_expected_improvement_grows_with_uncertainty() -> None:
    sd = np.linspace(0.01, 5.0, 500)
    value = LogExpectedImprovement().value(np.full(500, 0.4), sd, np.zeros(500))
    assert np.all(np.diff(value) > 0.0)


def test_expected_improvement_falls_with_the_mean_at_the_rate_of_the_probability() -> None:
    mean, step = 0.2, 1e-6
    up, down = np.exp(
        LogExpectedImprovement().value(
            array(mean + step, mean - step), array(1.0, 1.0), array(0.0, 0.0)
        )
    )
    assert (down - up) / (2 * step) == pytest.approx(float(ndtr(-mean)), rel=1e-6)
