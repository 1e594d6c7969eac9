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
from spearmint_int.model import _predict
from spearmint_int.model.posterior import Posterior


@dataclass(frozen=True)
class Ensemble:
    """One posterior for each hyperparameter sample, and T, which all of them share."""

    posteriors: tuple[Posterior, ...]
    transform: InputTransform

    @property
    def incumbents(self) -> FloatArray:
        """[S, F]."""
        return np.array([posterior.incumbents for posterior in self.posteriors])

    def moments(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m] and σ² [S, m] at the points U [m, D], anywhere in the cube."""
        Z = self.transform(U)
        rows = [posterior.moments(Z) for posterior in self.posteriors]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def moments_bound(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m] and an upper bound of σ² [S, m], at a fraction of the cost."""
        Z = self.transform(U)
        rows = [posterior.moments_bound(Z) for posterior in self.posteriors]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def moments_with_gradient(
        self, U: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """μ [S, F, m], σ² [S, m] and their derivatives [S, F, m, D], [S, m, D]."""
        Z = self.transform(U)
        first = self.posteriors[0]
        X, capsule = first.columns, first.covariance.kernel.capsule
        weights, factors, alpha, levels = self._stacked
        means, explained, dmeans, dexplained = _predict.predict_with_gradient(
            X, weights, factors, alpha, np.ascontiguousarray(Z), capsule
        )
        mean, amplitude2, floor = levels.T
        left = np.maximum(1.0 - explained - floor[:, np.newaxis], 0.0)
        scale = -amplitude2[:, np.newaxis, np.newaxis]
        dvariance = np.where(left[:, :, np.newaxis] > 0, scale * dexplained, 0.0)
        variance = amplitude2[:, np.newaxis] * left
        return mean[:, np.newaxis, np.newaxis] + means, variance, dmeans, dvariance

    @cached_property
    def _stacked(self) -> tuple[FloatArray, list[FloatArray], FloatArray, FloatArray]:
        """Weights [S, D], the R's, α [S, F, n], and (m, amp2, jitter to take off) [S, 3]."""
        rows = self.posteriors
        levels = [(p.theta.mean, p.theta.amplitude2, p.variance_floor) for p in rows]
        return (
            np.array([p.weights for p in rows]),
            [p.R for p in rows],
            np.array([p.alpha for p in rows]),
            np.array(levels),
        )

    def mixture(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and sd [m] of the mixture over samples and fantasies."""
        mean, variance = self.moments(U)
        flat = mean.reshape(-1, mean.shape[-1])
        spread = np.mean(variance, axis=0) + np.var(flat, axis=0)
        return np.mean(flat, axis=0), np.sqrt(spread)

    def with_fantasies(self, U: FloatArray, draws: int, rng: np.random.Generator) -> Ensemble:
        """Every posterior with fantasies at the pending points U [p, D]."""
        P = self.transform(U)
        return replace(
            self, posteriors=tuple(p.with_fantasies(P, draws, rng) for p in self.posteriors)
        )
