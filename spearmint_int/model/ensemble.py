"""The posteriors of all hyperparameter samples: what an acquisition is averaged over.

S, F   hyperparameter samples, and fantasies of each
T      the rounding transform (paper, Eq. 2): points go through it here, and in no part below
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels.covariance import InputTransform, unrounded
from spearmint_int.model.posterior import Posterior
from spearmint_int.model.stack import Stack


def shares(count: int, parts: int) -> list[int]:
    """`count` in almost equal parts: how many draws each posterior gives."""
    return [count // parts + (part < count % parts) for part in range(parts)]


@dataclass(frozen=True)
class Ensemble:
    """One posterior for each hyperparameter sample, and T, which all of them share."""

    posteriors: tuple[Posterior, ...]
    transform: InputTransform

    def thinned(self, count: int) -> Ensemble:
        """At most `count` of the posteriors, evenly spread along the chain."""
        chosen = np.linspace(0, len(self.posteriors) - 1, min(count, len(self.posteriors)))
        return replace(self, posteriors=tuple(self.posteriors[round(i)] for i in chosen))

    @cached_property
    def unrounded(self) -> Ensemble:
        """The ensemble without T: equal at the lattice's points, and smooth between them."""
        return replace(self, transform=unrounded)

    @property
    def incumbents(self) -> FloatArray:
        """[S, F]."""
        return np.array([posterior.incumbents for posterior in self.posteriors])

    def moments(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m] and σ² [S, m] at the points U [m, D], anywhere in the cube."""
        return self._stack.moments(self.transform(U))

    def moments_bound(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m] and an upper bound of σ² [S, m], at a fraction of the cost."""
        return self._stack.moments_bound(self.transform(U))

    def moments_with_gradient(
        self, U: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """μ [S, F, m], σ² [S, m] and their derivatives [S, F, m, D], [S, m, D]."""
        return self._stack.moments_with_gradient(self.transform(U))

    @cached_property
    def _stack(self) -> Stack:
        return Stack(self.posteriors)

    @cached_property
    def output_units(self) -> tuple[FloatArray, FloatArray]:
        """Shift and scale [S, 1, 1] from each sample's units to y, below the knee of its warp."""
        warps = [posterior.outputs for posterior in self.posteriors]
        return np.array([[[w.shift]] for w in warps]), np.array([[[w.scale]] for w in warps])

    def mixture(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and sd [m] of the outputs y, over samples and fantasies, with the warp undone."""
        return self._undone(*self.moments(U))

    def mixture_of_evaluation(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and sd [m] of one evaluation, each sample's noise included.

        The sd is at least that of `mixture`. Where the noise reaches beyond the worst result, where
        the warp is less steep, going back may take away more spread than the noise adds.
        """
        means, variances = self.moments(U)
        noise = np.array([[posterior.theta.noise] for posterior in self.posteriors])
        mean, sd = self._undone(means, variances + noise)
        return mean, np.maximum(sd, self._undone(means, variances)[1])

    def _undone(self, means: FloatArray, variances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and sd [m] of the mixture of N(μ [S, F, m], σ² [S, m]), with the warps undone."""
        expected, spread = zip(
            *(
                p.outputs.moments_of_undone(mean, variance)
                for p, mean, variance in zip(self.posteriors, means, variances, strict=True)
            ),
            strict=True,
        )
        within, between = np.mean(spread, axis=(0, 1)), np.var(expected, axis=(0, 1))
        return np.mean(expected, axis=(0, 1)), np.sqrt(within + between)

    def with_fantasies(self, U: FloatArray, draws: int, rng: np.random.Generator) -> Ensemble:
        """Every posterior with `draws` fantasies at the pending points U [p, D]."""
        P = self.transform(U)
        return replace(
            self, posteriors=tuple(p.with_fantasies(P, draws, rng) for p in self.posteriors)
        )

    def with_deviations(self, U: FloatArray, deviations: FloatArray) -> Ensemble:
        """Every posterior conditioned on a value at U [1, D] that is `deviations` [S] of its
        standard deviations above its mean."""
        P = self.transform(U)
        pairs = zip(self.posteriors, deviations.tolist(), strict=True)
        return replace(self, posteriors=tuple(p.with_deviation(P, d) for p, d in pairs))

    def with_expected(self, U: FloatArray) -> Ensemble:
        """Every posterior conditioned on its own mean at the pending points U [p, D]."""
        P = self.transform(U)
        return replace(self, posteriors=tuple(p.with_expected(P) for p in self.posteriors))
