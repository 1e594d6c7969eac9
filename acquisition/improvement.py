"""Acquisition values of one Gaussian prediction, with their derivatives, for minimisation.

    γ = (ν − μ) / σ             ν the incumbent, μ and σ the prediction (paper, section 1)
    EI = σ h(γ),  h(γ) = φ(γ) + γ Φ(γ)

EI is computed as its logarithm: far from the incumbent it underflows, and where it is zero in
floating point there is no slope to climb (Ament et al. 2023, 'Unexpected improvements').
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from spearmint_int.space import FloatArray

LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
# Above this γ h(γ) has no cancellation; below it Mills' ratio is taken out of the difference.
DIRECT = -1.0
# Below this γ the difference 1 − |γ| Mills(|γ|) ≈ 1/γ² loses digits, and its series does not.
SERIES = -150.0


@dataclass(frozen=True)
class _Tail:
    """h(γ) and its ratios, each to full accuracy for every γ."""

    log_h: FloatArray
    cdf_over_h: FloatArray
    pdf_over_h: FloatArray


def log_h(gamma: FloatArray) -> FloatArray:
    """log(φ(γ) + γ Φ(γ))."""
    return _tail(gamma).log_h


def _tail(gamma: FloatArray) -> _Tail:
    """Above DIRECT by the formula; below it with a = −γ and Mills' ratio M = Φ(−a)/φ(a) as
    h = φ(γ) t, t = 1 − a M, so that Φ/h = M/t and φ/h = 1/t never meet an underflow."""
    gamma = np.asarray(gamma, dtype=np.float64)
    high = np.maximum(gamma, DIRECT)
    pdf, cdf = np.exp(-0.5 * high * high - LOG_SQRT_2PI), ndtr(high)
    h = pdf + high * cdf
    a = np.maximum(-gamma, -DIRECT)
    t = _one_minus_a_mills(a)
    tail = -0.5 * a * a - LOG_SQRT_2PI + np.log(t)
    direct = gamma > DIRECT
    return _Tail(
        np.where(direct, np.log(h), tail),
        np.where(direct, cdf / h, (1.0 - t) / (a * t)),
        np.where(direct, pdf / h, 1.0 / t),
    )


def _one_minus_a_mills(a: FloatArray) -> FloatArray:
    mills = math.sqrt(0.5 * math.pi) * erfcx(np.minimum(a, -SERIES) / math.sqrt(2.0))
    b2 = np.maximum(a, -SERIES) ** -2.0
    return np.where(a < -SERIES, 1.0 - a * mills, b2 * (1.0 - 3.0 * b2 * (1.0 - 5.0 * b2)))


@dataclass(frozen=True)
class Scores:
    """Values, and their derivatives in the predictive mean and standard deviation."""

    value: FloatArray
    d_mean: FloatArray
    d_sd: FloatArray


class LogExpectedImprovement:
    """log EI."""

    logarithmic = True

    def value(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            smooth = np.log(sd) + log_h((best - mean) / sd)
            certain = np.log(np.maximum(best - mean, 0.0))
        return np.where(sd > 0, smooth, certain)

    def scores(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> Scores:
        """∂EI/∂μ = −Φ(γ) and ∂EI/∂σ = φ(γ), over EI."""
        sd = np.maximum(sd, 1e-150)
        gamma = (best - mean) / sd
        tail = _tail(gamma)
        return Scores(np.log(sd) + tail.log_h, -tail.cdf_over_h / sd, tail.pdf_over_h / sd)


class LogProbabilityOfImprovement:
    """log Φ(γ)."""

    logarithmic = True

    def value(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            certain = np.where(best > mean, 0.0, -np.inf)
            return np.where(sd > 0, log_ndtr((best - mean) / sd), certain)

    def scores(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> Scores:
        sd = np.maximum(sd, 1e-150)
        gamma = (best - mean) / sd
        tail = _tail(gamma)
        d_gamma = tail.pdf_over_h / tail.cdf_over_h  # φ/Φ
        return Scores(log_ndtr(gamma), -d_gamma / sd, -d_gamma * gamma / sd)


@dataclass(frozen=True)
class LowerConfidenceBound:
    """κ σ − μ: the lower bound, turned so that larger is better."""

    kappa: float = 2.0
    logarithmic = False

    def value(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> FloatArray:
        return self.kappa * sd - mean + 0.0 * best

    def scores(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> Scores:
        value = self.value(mean, sd, best)
        return Scores(value, np.full_like(value, -1.0), np.full_like(value, self.kappa))
