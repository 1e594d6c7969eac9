"""The posteriors of all hyperparameter samples: what an acquisition is averaged over.

S, F   hyperparameter samples, and fantasies of each
T      the rounding transform (paper, Eq. 2); points go through it here, once, and nowhere below
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels.covariance import InputTransform
from spearmint_int.kernels.trend import Trend
from spearmint_int.model import _predict
from spearmint_int.model.posterior import Posterior


@dataclass(frozen=True)
class Ensemble:
    """One posterior for each hyperparameter sample, and T, which all of them share."""

    posteriors: tuple[Posterior, ...]
    transform: InputTransform

    def thinned(self, count: int) -> Ensemble:
        """At most `count` of the posteriors, evenly spread along the chain."""
        chosen = np.linspace(0, len(self.posteriors) - 1, min(count, len(self.posteriors)))
        return replace(self, posteriors=tuple(self.posteriors[round(i)] for i in chosen))

    @property
    def incumbents(self) -> FloatArray:
        """[S, F]."""
        return np.array([posterior.incumbents for posterior in self.posteriors])

    def moments(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m] and σ² [S, m] at the points U [m, D], anywhere in the cube."""
        Z = self.transform(U)
        polynomials = self._trend.features(Z)
        rows = [posterior.moments(Z, polynomials) for posterior in self.posteriors]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def moments_bound(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m] and an upper bound of σ² [S, m], at a fraction of the cost."""
        Z = self.transform(U)
        polynomials = self._trend.features(Z)
        rows = [posterior.moments_bound(Z, polynomials) for posterior in self.posteriors]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def moments_with_gradient(
        self, U: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """μ [S, F, m], σ² [S, m] and their derivatives [S, F, m, D], [S, m, D]."""
        rows, warps = self.transform(U), [p.theta.input_warp for p in self.posteriors]
        Z = np.ascontiguousarray([warp.apply(rows) for warp in warps])
        columns, weights, factors, alpha, (mean, amplitude2) = self._stacked
        features, coefficients, scales = self._stacked_trend
        trend = self._trend
        own, rises = scales * trend.features(rows), (scales * trend.slopes(rows))[:, np.newaxis]
        means, explained, projected, dmeans, dexplained = _predict.predict_with_gradient(
            columns, weights, features, factors, alpha, Z, own,
            self.posteriors[0].covariance.kernel.capsule,
        )  # fmt: skip
        if any(warp.columns for warp in warps):  # dz/du of the last step of the inputs
            slopes = np.array([warp.slopes(rows) for warp in warps])
            dmeans, dexplained = dmeans * slopes[:, np.newaxis], dexplained * slopes
        left = np.maximum(1.0 + np.sum(own**2, axis=2) - explained, 0.0)
        dleft = -dexplained
        if scales.any():
            to_columns = np.eye(Z.shape[2])[trend.columns]
            dmeans = dmeans + (coefficients[:, :, np.newaxis] * rises) @ to_columns
            dleft = dleft + (2.0 * (own - projected) * rises[:, 0]) @ to_columns
        dvariance = amplitude2[:, :, np.newaxis] * np.where(left[:, :, np.newaxis] > 0, dleft, 0.0)
        return mean[:, :, np.newaxis] + means, amplitude2 * left, dmeans, dvariance

    @property
    def _trend(self) -> Trend:
        return self.posteriors[0].covariance.trend

    @cached_property
    def _stacked(
        self,
    ) -> tuple[list[FloatArray], FloatArray, list[FloatArray], FloatArray, FloatArray]:
        """The rows' columns, weights [S, D], the R's, α [S, F, n], and (m, amp2) [2, S, 1]."""
        rows = self.posteriors
        return (
            [p.columns for p in rows],
            np.array([p.weights for p in rows]),
            [p.R for p in rows],
            np.array([p.alpha for p in rows]),
            np.array([[[p.theta.mean] for p in rows], [[p.theta.amplitude2] for p in rows]]),
        )

    @cached_property
    def _stacked_trend(self) -> tuple[list[FloatArray], FloatArray, FloatArray]:
        """Φᵀ of the rows, the coefficients' means α Φ [S, F, p], and √(trend / amp2) [S, 1, 1]."""
        rows = self.posteriors
        scales = np.sqrt([p.theta.trend_ratio for p in rows])
        return (
            [p.feature_columns for p in rows],
            np.array([p.alpha @ p.features for p in rows]),
            scales[:, np.newaxis, np.newaxis],
        )

    @cached_property
    def output_units(self) -> tuple[FloatArray, FloatArray]:
        """Shift and scale [S] from each sample's units to y, where outputs are not warped."""
        warps = [posterior.outputs for posterior in self.posteriors]
        return np.array([w.shift for w in warps]), np.array([w.scale for w in warps])

    def mixture(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and sd [m] of the outputs y, over samples and fantasies, with the warp undone."""
        means, variances = self.moments(U)
        first, second = zip(
            *(
                p.outputs.moments_of_undone(mean, variance)
                for p, mean, variance in zip(self.posteriors, means, variances, strict=True)
            ),
            strict=True,
        )
        mean = np.mean(first, axis=(0, 1))
        return mean, np.sqrt(np.maximum(np.mean(second, axis=(0, 1)) - mean**2, 0.0))

    def with_fantasies(self, U: FloatArray, draws: int, rng: np.random.Generator) -> Ensemble:
        """Every posterior with fantasies at the pending points U [p, D]."""
        P = self.transform(U)
        return replace(
            self, posteriors=tuple(p.with_fantasies(P, draws, rng) for p in self.posteriors)
        )
