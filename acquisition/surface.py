"""The surfaces that a search climbs: an acquisition averaged over hyperparameters and fantasies.

    μ [S, F, m], σ [S, m]   predictions of S samples with F fantasies at m points
    ν [S, F]                the incumbents

Averages of positive acquisitions are taken in the log domain: log (1/SF) Σ exp(log a).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from spearmint_int.acquisition.improvement import Scores
from spearmint_int.arrays import FloatArray
from spearmint_int.model import Ensemble

# Below this variance σ's derivative ½ σ⁻¹ ∂σ² is meaningless rounding.
LEAST_VARIANCE = 1e-24


class Surface(Protocol):
    """What is maximised over the unit cube: `value(U) -> [m]`, larger is better."""

    def value(self, U: FloatArray) -> FloatArray: ...


@runtime_checkable
class SupportsGradient(Protocol):
    """A surface that can be climbed, and not only looked at."""

    def value(self, U: FloatArray) -> FloatArray: ...

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """[m] and [m, D]."""
        ...


@runtime_checkable
class SupportsBound(Protocol):
    """A surface of which an upper bound is much cheaper than the value."""

    def value(self, U: FloatArray) -> FloatArray: ...

    def upper_bound(self, U: FloatArray) -> FloatArray:
        """[m], nowhere below the value."""
        ...


class PointwiseAcquisition(Protocol):
    """A function of one Gaussian prediction and the incumbent.

    `logarithmic` says that it is the logarithm that is given, and averaged as a logarithm.
    """

    logarithmic: bool

    def value(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> FloatArray: ...

    def scores(self, mean: FloatArray, sd: FloatArray, best: FloatArray) -> Scores: ...


@dataclass(frozen=True)
class AveragedAcquisition:
    """An acquisition, averaged over the ensemble."""

    ensemble: Ensemble
    acquisition: PointwiseAcquisition
    incumbents: FloatArray

    def value(self, U: FloatArray) -> FloatArray:
        mean, variance = self.ensemble.moments(U)
        sd, best = np.sqrt(variance)[:, np.newaxis, :], self.incumbents[:, :, np.newaxis]
        return self._average(self.acquisition.value(mean, sd, best))[0]

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The average, and by the chain rule its slope in the points."""
        mean, variance, dmean, dvariance = self.ensemble.moments_with_gradient(U)
        variance = np.maximum(variance, LEAST_VARIANCE)
        sd, best = np.sqrt(variance)[:, np.newaxis, :], self.incumbents[:, :, np.newaxis]
        scores = self.acquisition.scores(mean, sd, best)
        value, weights = self._average(scores.value)
        # chain rule: dσ = dσ² / 2σ, shared by the fantasies of a sample
        by_mean = np.einsum("sfm,sfmd->md", weights * scores.d_mean, dmean)
        by_sd = np.sum(weights * scores.d_sd, axis=1) / (2.0 * np.sqrt(variance))
        return value, by_mean + np.einsum("sm,smd->md", by_sd, dvariance)

    def _average(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The average [m], and its derivative in each of the values [S, F, m]."""
        count = values.shape[0] * values.shape[1]
        if not self.acquisition.logarithmic:
            return np.mean(values, axis=(0, 1)), np.full_like(values, 1.0 / count)
        top = np.max(values, axis=(0, 1))
        safe = np.where(np.isfinite(top), top, 0.0)
        shares = np.exp(values - safe)
        total = np.sum(shares, axis=(0, 1))
        with np.errstate(divide="ignore"):
            average = safe + np.log(total / count)
        return average, shares / np.maximum(total, 1e-300)


@dataclass(frozen=True)
class BoundedAcquisition(AveragedAcquisition):
    """An averaged acquisition that grows with σ and ν and falls with μ, so that bounds of these
    bound it; one bound for all fantasies of a sample is enough."""

    def upper_bound(self, U: FloatArray) -> FloatArray:
        mean, variance = self.ensemble.moments_bound(U)
        lowest = np.min(mean, axis=1, keepdims=True)
        best = np.max(self.incumbents, axis=1)[:, np.newaxis, np.newaxis]
        sd = np.sqrt(variance)[:, np.newaxis, :]
        return self._average(self.acquisition.value(lowest, sd, best))[0]


@dataclass(frozen=True)
class NegativeMean:
    """−μ averaged over the ensemble: its maximum is the recommendation."""

    ensemble: Ensemble

    def value(self, U: FloatArray) -> FloatArray:
        return np.asarray(-np.mean(self.ensemble.moments(U)[0], axis=(0, 1)))

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        mean, _, dmean, _ = self.ensemble.moments_with_gradient(U)
        return -np.mean(mean, axis=(0, 1)), -np.mean(dmean, axis=(0, 1))
