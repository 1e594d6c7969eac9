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
        rows, warps = self.transform(U), [p.theta.input_warp for p in self.posteriors]
        Z = np.ascontiguousarray([warp.apply(rows) for warp in warps])
        columns, weights, factors, alpha, levels = self._stacked
        means, explained, dmeans, dexplained = _predict.predict_with_gradient(
            columns, weights, factors, alpha, Z, self.posteriors[0].covariance.kernel.capsule
        )
        mean, amplitude2 = levels.T
        left = np.maximum(1.0 - explained, 0.0)
        scale = -amplitude2[:, np.newaxis, np.newaxis]
        dvariance = np.where(left[:, :, np.newaxis] > 0, scale * dexplained, 0.0)
        variance = amplitude2[:, np.newaxis] * left
        if any(warp.columns for warp in warps):  # dz/du of the last step of the inputs
            slopes = np.array([warp.slopes(rows) for warp in warps])
            dmeans, dvariance = dmeans * slopes[:, np.newaxis], dvariance * slopes
        return mean[:, np.newaxis, np.newaxis] + means, variance, dmeans, dvariance

    @cached_property
    def _stacked(
        self,
    ) -> tuple[list[FloatArray], FloatArray, list[FloatArray], FloatArray, FloatArray]:
        """The rows' columns, weights [S, D], the R's, α [S, F, n], and (m, amp2) [S, 2]."""
        rows = self.posteriors
        return (
            [p.columns for p in rows],
            np.array([p.weights for p in rows]),
            [p.R for p in rows],
            np.array([p.alpha for p in rows]),
            np.array([(p.theta.mean, p.theta.amplitude2) for p in rows]),
        )

    @property
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
