"""Acquisition values of one Gaussian prediction, with their derivatives, for minimisation.

    γ = (ν − μ) / σ             ν the incumbent, μ and σ the prediction (paper, section 1)
    EI = σ h(γ),  h(γ) = φ(γ) + γ Φ(γ)

EI is computed as its logarithm. Far from the incumbent EI itself underflows, and where it is zero
there is no slope to climb (Ament et al. 2023, 'Unexpected improvements').
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from spearmint_int.acquisition._tail import improvement_ratios
from spearmint_int.arrays import FloatArray

# Where derivatives are taken; a smaller σ would make γ infinite.
LEAST_SD = 1e-150


def log_h(gamma: FloatArray) -> FloatArray:
    """log(φ(γ) + γ Φ(γ)), to full accuracy for every γ."""
    return improvement_ratios(gamma)[0]


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
        sd = np.maximum(sd, LEAST_SD)
        gamma = (best - mean) / sd
        log_h_gamma, cdf_over_h, pdf_over_h = improvement_ratios(gamma)
        return Scores(np.log(sd) + log_h_gamma, -cdf_over_h / sd, pdf_over_h / sd)


class LogProbabilityOfImprovement:
    """log Φ(γ)."""

    logarithmic = True

    def value(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            certain = np.where(best > mean, 0.0, -np.inf)
            return np.where(sd > 0, log_ndtr((best - mean) / sd), certain)

    def scores(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> Scores:
        sd = np.maximum(sd, LEAST_SD)
        gamma = (best - mean) / sd
        _, cdf_over_h, pdf_over_h = improvement_ratios(gamma)
        pdf_over_cdf = pdf_over_h / cdf_over_h  # d log Φ / dγ
        return Scores(log_ndtr(gamma), -pdf_over_cdf / sd, -pdf_over_cdf * gamma / sd)


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
