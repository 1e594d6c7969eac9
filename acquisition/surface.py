"""Surfaces, which the search maximises: acquisitions averaged over samples and fantasies.

    μ [S, F, m], σ [S, m]   predictions of S samples with F fantasies at m points
    ν [S, F]                the incumbents

Averages of positive acquisitions are taken in the log domain: log (1/SF) Σ exp(log a).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from spearmint_int.acquisition.improvement import Scores
from spearmint_int.arrays import FloatArray
from spearmint_int.model import Ensemble

# Below this variance σ's derivative ½ σ⁻¹ ∂σ² is meaningless rounding.
LEAST_VARIANCE = 1e-24
# Hyperparameter samples for the second and later points of a batch.
SAMPLES_WHILE_PENDING = 4


class Surface(Protocol):
    """What is maximised over the unit cube: `value(U) -> [m]`, larger is better.

    An attribute `logarithmic = True` says that the values are logarithms of positive numbers, which
    may be multiplied by a probability.
    """

    def value(self, U: FloatArray) -> FloatArray: ...


@runtime_checkable
class SupportsGradient(Protocol):
    """A surface that can be climbed."""

    def value(self, U: FloatArray) -> FloatArray: ...

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """[m] and [m, D]."""
        ...


@runtime_checkable
class SupportsBound(Protocol):
    """A surface with an upper bound that is much cheaper than its value."""

    def value(self, U: FloatArray) -> FloatArray: ...

    def upper_bound(self, U: FloatArray) -> FloatArray:
        """[m], nowhere below the value."""
        ...


@runtime_checkable
class SupportsPending(Protocol):
    """A surface that can be updated with a pending point, and need not be made anew."""

    def value(self, U: FloatArray) -> FloatArray: ...

    def with_pending(self, U: FloatArray) -> Surface:
        """The surface with a pending evaluation at U [1, D]."""
        ...


@runtime_checkable
class SupportsRelaxation(Protocol):
    """A surface that also exists without T: equal on the lattice, and smooth in between."""

    def value(self, U: FloatArray) -> FloatArray: ...

    def relaxed(self) -> SupportsGradient: ...


class PointwiseAcquisition(Protocol):
    """A function of one Gaussian prediction and the incumbent.

    `logarithmic` says that its values are logarithms: they are averaged as log mean exp.
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

    @property
    def logarithmic(self) -> bool:
        return self.acquisition.logarithmic

    def value(self, U: FloatArray) -> FloatArray:
        return self._average(self.acquisition.value(*self._in_units(*self.ensemble.moments(U))))[0]

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The average [m], and its derivatives [m, D] in the points."""
        mean, variance, dmean, dvariance = self.ensemble.moments_with_gradient(U)
        variance = np.maximum(variance, LEAST_VARIANCE)
        scores = self.acquisition.scores(*self._in_units(mean, variance))
        value, weights = self._average(scores.value)
        # chain rule: dσ = dσ² / 2σ, shared by the fantasies of a sample
        weights = weights * self.ensemble.output_units[1]
        by_mean = np.einsum("sfm,sfmd->md", weights * scores.d_mean, dmean)
        by_sd = np.sum(weights * scores.d_sd, axis=1) / (2.0 * np.sqrt(variance))
        return value, by_mean + np.einsum("sm,smd->md", by_sd, dvariance)

    def relaxed(self) -> AveragedAcquisition:
        return replace(self, ensemble=self.ensemble.unrounded)

    def with_pending(self, U: FloatArray) -> AveragedAcquisition:
        """With the posterior mean as the result at U: the factors grow by a row.

        A drawn result would be lucky now and then, and leave little to gain elsewhere. A few of
        the samples are enough, since the surface depends on made-up results anyway.
        """
        ensemble = self.ensemble.thinned(SAMPLES_WHILE_PENDING).with_expected(U)
        return replace(self, ensemble=ensemble, incumbents=ensemble.incumbents)

    def _in_units(
        self, mean: FloatArray, variance: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean, sd and incumbent in units that all samples share: each has a warp of its own.

        The incumbent lies below the warp's knee (unless the better half of the results lies beyond
        the bounds, or is noise), and so does whatever improves on it. There the warp is linear, so
        that improvements are those of the objective, up to a common factor.
        """
        shift, scale = self.ensemble.output_units
        sd = scale * np.sqrt(variance)[:, np.newaxis, :]
        return shift + scale * mean, sd, shift + scale * self.incumbents[:, :, np.newaxis]

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
    """An averaged acquisition that grows with σ and ν and falls with μ: bounds of these give one of
    its value. All fantasies of a sample share a bound, by the lowest μ and the highest ν."""

    def upper_bound(self, U: FloatArray) -> FloatArray:
        means, variances = self.ensemble.moments_bound(U)
        lowest = np.min(means, axis=1, keepdims=True)
        mean, sd, best = self._in_units(lowest, variances)
        highest = np.max(best, axis=1, keepdims=True)
        return self._average(self.acquisition.value(mean, sd, highest))[0]


@dataclass(frozen=True)
class NegativeBound:
    """−(μ + κ σ) of the mixture over the ensemble: its maximum is the recommendation.

    With κ = 0 that is the model's minimum; with a larger κ, a point that is surely good.
    """

    ensemble: Ensemble
    kappa: float = 0.0

    def value(self, U: FloatArray) -> FloatArray:
        means, variances = self.ensemble.moments(U)
        shift, scale = self.ensemble.output_units
        y = shift + scale * means
        sd = np.sqrt(self._spread(y, variances))
        return np.asarray(-np.mean(y, axis=(0, 1)) - self.kappa * sd)

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        means, variances, dmeans, dvariances = self.ensemble.moments_with_gradient(U)
        shift, scale = self.ensemble.output_units
        y, dy = shift + scale * means, scale[..., np.newaxis] * dmeans
        mean, dmean = np.mean(y, axis=(0, 1)), np.mean(dy, axis=(0, 1))
        spread = np.maximum(self._spread(y, variances), LEAST_VARIANCE)
        dspread = np.mean(scale**2 * dvariances, axis=0)
        dspread = dspread + 2.0 * np.mean((y - mean)[..., np.newaxis] * dy, axis=(0, 1))
        sd = np.sqrt(spread)
        return -mean - self.kappa * sd, -dmean - 0.5 * self.kappa / sd[:, np.newaxis] * dspread

    def relaxed(self) -> NegativeBound:
        return replace(self, ensemble=self.ensemble.unrounded)

    def _spread(self, y: FloatArray, variances: FloatArray) -> FloatArray:
        """The mixture's variance: within the samples, and between them."""
        scale = self.ensemble.output_units[1][:, 0]
        within = np.mean(scale**2 * variances, axis=0)
        return np.asarray(within + np.var(y, axis=(0, 1)))
