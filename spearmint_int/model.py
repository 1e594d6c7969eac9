"""The GP posterior for one hyperparameter sample, and the ensemble of them that is averaged.

    n, N   unique rows T(x), and observations; replicates of a row collapse into their mean
    A      C + diag(ν / counts + jitter), the covariance of the rows' means over amp2
    L, R   A = L Lᵀ, R = L⁻¹;  w = R (y − m) [F, n], a row for each fantasy;  α = w R = A⁻¹ (y − m)
    mean   μ(x) = m + k∗ᵀ α                      (paper, Eq. 1)
    var    σ²(x) = amp2 (1 − |R k∗|²)            (paper, Eq. 1)

All values are in units of standardised outputs; a posterior is immutable and factored when made.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from spearmint_int import _gp
from spearmint_int.factor import JITTER, Factor
from spearmint_int.kernels.covariance import Covariance
from spearmint_int.space import FloatArray


@dataclass(frozen=True)
class Hyperparameters:
    """One θ: the constant mean, amp2, the noise variance, and a length scale for each group."""

    mean: float
    amplitude2: float
    noise: float
    length_scales: tuple[float, ...]

    @property
    def noise_ratio(self) -> float:
        return self.noise / self.amplitude2

    def to_json(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "amplitude2": self.amplitude2,
            "noise": self.noise,
            "length_scales": list(self.length_scales),
        }


@dataclass(frozen=True)
class Standardizer:
    """y ↦ (y − shift) / scale."""

    shift: float
    scale: float

    @classmethod
    def of(cls, y: FloatArray) -> Standardizer:
        """Zero mean and unit variance; a constant keeps its scale of 1."""
        if len(y) == 0 or np.min(y) == np.max(y):
            return cls(float(y[0]) if len(y) else 0.0, 1.0)
        # in units of a power of two: the squares of 1e300 and of 1e-300 are no doubles
        exponent = math.frexp(float(np.max(np.abs(y))))[1]
        relative = np.ldexp(y, -exponent)
        shift, scale = (math.ldexp(float(f(relative)), exponent) for f in (np.mean, np.std))
        return cls(shift, scale if scale > 0.0 else 1.0)

    def apply(self, y: FloatArray) -> FloatArray:
        # halves: the difference of two numbers near the largest double overflows
        return 2.0 * ((0.5 * y - 0.5 * self.shift) / self.scale)

    def undo(self, y: float) -> float:
        return self.shift + self.scale * y


@dataclass(frozen=True)
class TrainingData:
    """The unique rows, their mean values and counts, and what the means leave out."""

    X: FloatArray
    y: FloatArray
    counts: FloatArray
    scatter: float

    @classmethod
    def collapse(cls, X: FloatArray, y: FloatArray) -> TrainingData:
        """Rows that T makes equal become one: exact, by sufficiency of mean, count and scatter.

        The rows keep the order in which they first appeared.
        """
        if len(X) == 0:
            return cls(np.empty(np.shape(X)), np.empty(0), np.empty(0), 0.0)
        _, first, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        member = rank[np.reshape(inverse, -1)]
        counts = np.bincount(member).astype(np.float64)
        means = np.bincount(member, weights=y) / counts
        scatter = float(np.sum((y - means[member]) ** 2))
        return cls(np.ascontiguousarray(X[first[order]]), means, counts, scatter)

    def some(self, count: int, rng: np.random.Generator) -> TrainingData:
        """`count` of the rows, chosen at random, with their share of the scatter."""
        rows = np.sort(rng.choice(len(self.y), count, replace=False))
        kept, all_repeats = self.counts[rows], np.sum(self.counts - 1.0)
        share = float(np.sum(kept - 1.0) / all_repeats) if all_repeats > 0 else 0.0
        X = np.ascontiguousarray(self.X[rows])
        return TrainingData(X, self.y[rows], kept, share * self.scatter)


@dataclass(frozen=True)
class Posterior:
    """The GP given the data, for one θ; `F` fantasies share all but the values."""

    data: TrainingData
    theta: Hyperparameters
    covariance: Covariance
    noiseless: bool
    factor: Factor
    whitened: FloatArray
    values: FloatArray

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        theta: Hyperparameters,
        covariance: Covariance,
        *,
        noiseless: bool,
        factor: Factor | None = None,
    ) -> Posterior:
        """Condition on the data; `factor` is one that exists already, and becomes its own."""
        if factor is None:
            factor = factor_of(data, theta, covariance, noiseless=noiseless)
        values = data.y[np.newaxis, :]
        whitened = factor.whiten(values - theta.mean)
        return cls(data, theta, covariance, noiseless, factor, whitened, values)

    @property
    def R(self) -> FloatArray:
        return self.factor.R

    @cached_property
    def alpha(self) -> FloatArray:
        """A⁻¹ (y − m) [F, n]."""
        return np.ascontiguousarray(self.whitened @ self.R)

    def moments(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [F, m] and σ² [m] of the latent function at Z [m, D], T applied."""
        means, explained = _gp.predict(*self._arguments(Z))
        return self.theta.mean + means, self._variance(explained)

    def moments_with_gradient(
        self, Z: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """μ [F, m], σ² [m], ∂μ/∂z [F, m, D], ∂σ²/∂z [m, D] at Z [m, D], T applied."""
        mean, variance, dmean, dvariance = Ensemble((self,)).transformed_with_gradient(Z)
        return mean[0], variance[0], dmean[0], dvariance[0]

    def moments_bound(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [F, m], and an upper bound of σ² [m] that needs no product with R: O(n) a point."""
        X, weights, _, alpha, Z, capsule = self._arguments(Z)
        precisions = 1.0 / (1.0 + self.noise_diagonal)
        means, explained = _gp.predict_bound(X, weights, precisions, alpha, Z, capsule)
        return self.theta.mean + means, self._variance(explained)

    def joint(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [F, m] and the covariance [m, m] of the latent function at Z, T applied."""
        lengths = self.theta.length_scales
        V = self.R @ self.covariance.correlation(self.data.X, Z, lengths)
        K = self.covariance.correlation(Z, Z, lengths) - V.T @ V
        return self.theta.mean + self.whitened @ V, self.theta.amplitude2 * K

    @property
    def training_means(self) -> FloatArray:
        """μ at the training rows [F, n]: y − diag(A − C) α, without another kernel build."""
        return self.values - self.noise_diagonal * self.alpha

    @property
    def incumbents(self) -> FloatArray:
        """The value to improve on, for each fantasy [F].

        Without noise it is the best value; with it the best value is lucky, and the least
        posterior mean among the rows stands in.
        """
        rows = self.values if self.noiseless else self.training_means
        return np.asarray(np.min(rows, axis=1), dtype=np.float64)

    def with_fantasies(self, P: FloatArray, draws: int, rng: np.random.Generator) -> Posterior:
        """Append p pending rows [p, D] (T applied) with `draws` joint samples of their values.

        With V = R C(X, P) and S = chol(A(P, P) − Vᵀ V) the factor grows by a block, and fresh
        normals are the new whitened values.
        """
        lengths = self.theta.length_scales
        V = self.R @ self.covariance.correlation(self.data.X, P, lengths)
        block = self.covariance.correlation(P, P, lengths) - V.T @ V
        own = JITTER + (0.0 if self.noiseless else self.theta.noise_ratio)
        S = Factor.of(block, own * np.ones(len(P)))
        old = np.repeat(self.whitened, draws, axis=0)
        fresh = math.sqrt(self.theta.amplitude2) * rng.standard_normal((len(old), len(P)))
        fantasies = self.theta.mean + old @ V + S.colour(fresh)
        data = replace(
            self.data,
            X=np.concatenate([self.data.X, P]),
            y=np.concatenate([self.data.y, fantasies.mean(axis=0)]),
            counts=np.concatenate([self.data.counts, np.ones(len(P))]),
        )
        values = np.concatenate([np.repeat(self.values, draws, axis=0), fantasies], axis=1)
        factor, whitened = self.factor.grown(V, S), np.hstack([old, fresh])
        return replace(self, data=data, factor=factor, whitened=whitened, values=values)

    @cached_property
    def columns(self) -> FloatArray:
        """The training rows, transposed [D, n]."""
        return np.ascontiguousarray(self.data.X.T)

    @cached_property
    def weights(self) -> FloatArray:
        """1/ℓ² for each column."""
        return self.covariance.weights(self.theta.length_scales)

    def _arguments(
        self, Z: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, object]:
        Z = np.ascontiguousarray(Z)
        capsule = self.covariance.kernel.capsule
        return self.columns, self.weights, self.R, self.alpha, Z, capsule

    def _variance(self, explained: FloatArray) -> FloatArray:
        return self.theta.amplitude2 * np.maximum(1.0 - explained - self.variance_floor, 0.0)

    @property
    def variance_floor(self) -> float:
        """The jitter is not uncertainty: without noise an evaluated row has none at all."""
        return JITTER if self.noiseless else 0.0

    @property
    def noise_diagonal(self) -> FloatArray:
        """A − C [n]: each row's share of the noise over amp2, and the jitter."""
        ratio = 0.0 if self.noiseless else self.theta.noise_ratio
        return ratio / self.data.counts + JITTER


@dataclass(frozen=True)
class Ensemble:
    """One posterior for each hyperparameter sample: what the acquisition is averaged over."""

    posteriors: tuple[Posterior, ...]

    @property
    def covariance(self) -> Covariance:
        return self.posteriors[0].covariance

    @property
    def incumbents(self) -> FloatArray:
        """[S, F]."""
        return np.array([posterior.incumbents for posterior in self.posteriors])

    def moments(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m] and σ² [S, m] at the points U [m, D], anywhere in the cube."""
        Z = self.covariance.transform(U)
        rows = [posterior.moments(Z) for posterior in self.posteriors]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def moments_bound(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [S, F, m] and an upper bound of σ² [S, m], at a fraction of the cost."""
        Z = self.covariance.transform(U)
        rows = [posterior.moments_bound(Z) for posterior in self.posteriors]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def moments_with_gradient(
        self, U: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """μ [S, F, m], σ² [S, m] and their derivatives [S, F, m, D], [S, m, D]."""
        return self.transformed_with_gradient(self.covariance.transform(U))

    def transformed_with_gradient(
        self, Z: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """As `moments_with_gradient`, with T applied already; all samples in one compiled call."""
        X, capsule = self.posteriors[0].columns, self.covariance.kernel.capsule
        weights, factors, alpha, levels = self._stacked
        means, explained, dmeans, dexplained = _gp.predict_with_gradient(
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
        P = self.covariance.transform(U)
        return Ensemble(tuple(p.with_fantasies(P, draws, rng) for p in self.posteriors))


def factor_of(
    data: TrainingData, theta: Hyperparameters, covariance: Covariance, *, noiseless: bool
) -> Factor:
    """The factor of A, with as much more jitter as it takes."""
    C = covariance.correlation_triangle(data.X, theta.length_scales)
    ratio = 0.0 if noiseless else theta.noise_ratio
    return Factor.of(C, ratio / data.counts + JITTER)
