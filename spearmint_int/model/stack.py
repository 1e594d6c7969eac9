"""Predictions of several posteriors in one compiled call: those of all hyperparameter samples.

S, F   posteriors, and fantasies of each

All have the same covariance function and as many rows; they differ in θ, and in all that follows
from it. Rows that are given have been through T already, and go through each sample's warp of the
inputs here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from spearmint_int.arrays import FloatArray, IntArray
from spearmint_int.model import _predict

if TYPE_CHECKING:
    from spearmint_int.kernels.trend import Trend
    from spearmint_int.kernels.warp import InputWarp
    from spearmint_int.model.posterior import Posterior


@dataclass(frozen=True)
class Stack:
    """S posteriors, their arrays side by side."""

    posteriors: tuple[Posterior, ...]

    def moments(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m] and σ² [S, m] of the latent function at Z [m, D]."""
        rows, polynomials = self._places(Z)
        means, explained, same = _predict.predict(
            *self._arrays, self._factors, self._alpha, rows, self._own(polynomials), self._capsule
        )
        means = self._expected(polynomials) + means
        variances = self._variances(explained, polynomials)
        for s, posterior in enumerate(self.posteriors):
            if posterior.noiseless:
                _pin(means[s], variances[s], posterior.values, same[s])
        return means, variances

    def moments_bound(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m], and an upper bound of σ² [S, m] that needs no product with R: O(n) each."""
        rows, polynomials = self._places(Z)
        precisions = np.array([1.0 / p.diagonal for p in self.posteriors])
        means, explained = _predict.predict_bound(
            *self._arrays, precisions, self._alpha, rows, self._own(polynomials), self._capsule
        )
        return self._expected(polynomials) + means, self._variances(explained, polynomials)

    def moments_with_gradient(
        self, Z: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """μ [S, F, m], σ² [S, m] and their derivatives [S, F, m, D], [S, m, D]."""
        rows, polynomials = self._places(Z)
        own = self._own(polynomials)
        means, explained, projected, dmeans, dexplained = _predict.predict_with_gradient(
            *self._arrays, self._factors, self._alpha, rows, own, self._capsule
        )
        if self._warped:  # dz/du of the last step of the inputs
            slopes = np.array([warp.slopes(Z) for warp in self._warps])
            dmeans, dexplained = dmeans * slopes[:, np.newaxis], dexplained * slopes
        variances = self._variances(explained, polynomials)
        dleft = -dexplained
        if polynomials.shape[1]:
            rises = (self._scales * self._trend.slopes(Z))[:, np.newaxis]
            to_columns = np.eye(Z.shape[1])[self._trend.columns]
            dmeans = dmeans + (self._coefficients[:, :, np.newaxis] * rises) @ to_columns
            dleft = dleft + (2.0 * (own - projected) * rises[:, 0]) @ to_columns
        dvariances = self._amplitudes2[:, :, np.newaxis] * dleft
        means = self._expected(polynomials) + means
        return means, variances, dmeans, dvariances * (variances > 0.0)[..., None]

    # --- arguments of the compiled functions ----------------------------------------------------

    def _places(self, Z: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """Rows Z [m, D] as the two parts of the covariance take them: warped by each sample, and
        the trend's polynomials [m, p], which are the same for all."""
        Z = np.ascontiguousarray(Z)
        return [warp.apply(Z) for warp in self._warps], self._trend.features(Z)

    def _own(self, polynomials: FloatArray) -> FloatArray:
        """Φ∗ [S, m, p]."""
        return np.asarray(self._scales * polynomials)

    @cached_property
    def _arrays(self) -> tuple[list[FloatArray], FloatArray, list[FloatArray]]:
        """The rows' columns, weights [S, D], and Φᵀ of the rows."""
        columns = [posterior.columns for posterior in self.posteriors]
        weights = np.array([posterior.weights for posterior in self.posteriors])
        return columns, weights, [posterior.feature_columns for posterior in self.posteriors]

    @cached_property
    def _factors(self) -> list[FloatArray]:
        return [posterior.R for posterior in self.posteriors]

    @cached_property
    def _alpha(self) -> FloatArray:
        """[S, F, n]."""
        return np.array([posterior.alpha for posterior in self.posteriors])

    @cached_property
    def _warps(self) -> list[InputWarp]:
        return [posterior.theta.input_warp for posterior in self.posteriors]

    @property
    def _warped(self) -> bool:
        return any(warp.columns for warp in self._warps)

    @property
    def _trend(self) -> Trend:
        return self.posteriors[0].covariance.trend

    @property
    def _capsule(self) -> object:
        return self.posteriors[0].covariance.kernel.capsule

    # --- from their answers to the moments ------------------------------------------------------

    def _expected(self, polynomials: FloatArray) -> FloatArray:
        """h [S, 1, m], the mean before any data."""
        scaled = self._scales[:, 0] * self._leaning
        return np.asarray((self._means + scaled @ polynomials.T)[:, np.newaxis])

    @cached_property
    def _means(self) -> FloatArray:
        """m [S, 1]."""
        return np.array([[posterior.theta.mean] for posterior in self.posteriors])

    @cached_property
    def _leaning(self) -> FloatArray:
        """The trend's coefficients before any data, b [S, p]."""
        return np.asarray(np.sqrt(self._amplitudes2) * self._trend.leaning)

    @cached_property
    def _amplitudes2(self) -> FloatArray:
        """amp2 [S, 1]."""
        return np.array([[posterior.theta.amplitude2] for posterior in self.posteriors])

    @cached_property
    def _scales(self) -> FloatArray:
        """√(trend / amp2) [S, 1, 1]."""
        return np.sqrt([[[posterior.theta.trend_ratio]] for posterior in self.posteriors])

    @cached_property
    def _coefficients(self) -> FloatArray:
        """The means of the trend's coefficients, b + α Φ [S, F, p]."""
        learned = np.array([p.alpha @ p.features for p in self.posteriors])
        return np.asarray(self._leaning[:, np.newaxis] + learned)

    def _variances(self, explained: FloatArray, polynomials: FloatArray) -> FloatArray:
        """amp2 (1 + |φ∗|² − |R k∗|²) [S, m]."""
        prior = 1.0 + self._scales[:, 0] ** 2 * np.sum(polynomials**2, axis=1)
        return np.asarray(self._amplitudes2 * np.maximum(prior - explained, 0.0))


def _pin(mean: FloatArray, variance: FloatArray, values: FloatArray, same: IntArray) -> None:
    """Where a point is one of the rows, its value is known."""
    seen = same >= 0
    mean[:, seen] = values[:, same[seen]]
    variance[seen] = 0.0
