"""The GP posterior for one hyperparameter sample: immutable, and factored when it is made.

    n, N   unique rows T(x), and observations; replicates of a row collapse into their mean
    C, Φ   correlations of the rows, and the features of the trend, scaled: K = C + Φ Φᵀ
    A      K + diag(ν / counts + jitter), the covariance of the rows' means over amp2
    b, h   the trend's coefficients before any data, and the mean then: h(x) = m + Φ(x) b
    L, R   A = L Lᵀ, R = L⁻¹;  w = R (z − h) [F, n], a row for each fantasy;  α = w R = A⁻¹ (z − h)
    mean   μ(x) = h(x) + k∗ᵀ α                   (paper, Eq. 1; m without the trend)
    var    σ²(x) = amp2 (1 + |φ∗|² − |R k∗|²)    (paper, Eq. 1; 1 without the trend)

All values are in the units of the model (`outputs` leads back to y). Rows that are given have been
through T already. They go through the sampled warp of the inputs here, once; the trend takes them
unwarped. Without noise the posterior at an evaluated row is the value that was observed, exactly,
whatever jitter the factorization needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import blas

from spearmint_int.arrays import BoolArray, FloatArray, inside_cube
from spearmint_int.kernels.covariance import Covariance
from spearmint_int.kernels.trend import Trend
from spearmint_int.model.data import TrainingData
from spearmint_int.model.factor import JITTER, LEAST_JITTER, Factor, square_root
from spearmint_int.model.hyperparameters import Hyperparameters
from spearmint_int.model.outputs import OutputWarp
from spearmint_int.model.stack import Stack

# Relative to amp2: a variance below this is rounding.
LEAST_VARIANCE = 1e-12


@dataclass(frozen=True)
class Posterior:
    """The GP given the data, for one θ; `F` fantasies share all but the values.

    `X` [n, D] are the warped rows, `features` [n, p] their Φ, `counts` [n] their observations,
    `values` [F, n] their outputs.
    """

    X: FloatArray
    features: FloatArray
    counts: FloatArray
    values: FloatArray
    theta: Hyperparameters
    covariance: Covariance
    noiseless: bool
    outputs: OutputWarp
    factor: Factor
    whitened: FloatArray
    usable: BoolArray | None = None  # rows [n] that may be the incumbent; None: all

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
        """Condition on the data. A `factor` that exists already is taken over, memory included."""
        if noiseless:
            data = data.without_replicates()
        X, counts = theta.input_warp.apply(data.X), data.counts
        features = math.sqrt(theta.trend_ratio) * covariance.trend.features(data.X)
        outputs = data.warp(theta.power)
        values = data.row_means(outputs.apply(data.y))[np.newaxis, :]
        if factor is None:
            ratio, jitter = (0.0, LEAST_JITTER) if noiseless else (theta.noise_ratio, JITTER)
            factor = factor_of(X, features, ratio / counts, theta, covariance, jitter=jitter)
        whitened = factor.whiten(values - _prior_mean(features, theta, covariance.trend))
        return cls(
            X=X,
            features=features,
            counts=counts,
            values=values,
            theta=theta,
            covariance=covariance,
            noiseless=noiseless,
            outputs=outputs,
            factor=factor,
            whitened=whitened,
        )

    @cached_property
    def prior_means(self) -> FloatArray:
        """h of the rows [n]."""
        return self._prior_mean(self.features)

    @property
    def R(self) -> FloatArray:
        return self.factor.R

    @cached_property
    def alpha(self) -> FloatArray:
        """A⁻¹ (z − h) [F, n]."""
        return np.ascontiguousarray(self.whitened @ self.R)

    def moments(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [F, m] and σ² [m] of the latent function at Z [m, D]."""
        means, variances = Stack((self,)).moments(Z)
        return means[0], variances[0]

    def joint(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """μ [F, m] and the covariance [m, m] of the latent function at Z."""
        Z, features = self._places(Z)
        V = self.R @ self._covariance(self.X, self.features, Z, features)
        K = self._covariance(Z, features, Z, features) - V.T @ V
        mean = self._prior_mean(features) + self.whitened @ V
        return mean, self.theta.amplitude2 * K

    def draw(self, Z: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """`count` joint draws [count, m] of the latent function at Z, without fantasies."""
        mean, K = self.joint(Z)
        # without noise a variance of that size comes from the jitter: evaluated rows have none
        jitter = self.factor.jitter if self.noiseless else 0.0
        tolerance = self.theta.amplitude2 * max(2.0 * jitter, LEAST_VARIANCE)
        root = square_root(K, tolerance=tolerance)
        return np.asarray(mean[0] + rng.standard_normal((count, root.shape[1])) @ root.T)

    @property
    def training_means(self) -> FloatArray:
        """μ at the training rows [F, n]: z − diag(A − K) α, without another kernel build."""
        return self.values - self.noise_diagonal * self.alpha

    @property
    def incumbents(self) -> FloatArray:
        """The value to improve on, for each fantasy [F].

        Without noise it is the best value. With noise that may be luck, and it is the least
        posterior mean at the rows. Rows beyond the bounds, or that are not `usable` because they
        violate a constraint, inform the model but are no incumbents; where all rows are such, it
        is the worst value, so that everything below it counts as an improvement.
        """
        rows = self.values if self.noiseless else self.training_means
        reachable = inside_cube(self.X)
        if self.usable is not None:
            reachable = reachable & self.usable
        if not np.any(reachable):
            return np.asarray(np.max(rows, axis=1), dtype=np.float64)
        return np.asarray(np.min(rows[:, reachable], axis=1), dtype=np.float64)

    def with_fantasies(self, P: FloatArray, draws: int, rng: np.random.Generator) -> Posterior:
        """Conditioned on p pending rows P [p, D], with `draws` joint samples of their values."""
        return self._grown(P, draws, rng.standard_normal)

    def with_deviation(self, P: FloatArray, deviation: float) -> Posterior:
        """Conditioned on a value at P [1, D] that is so many standard deviations above its mean."""
        return self._grown(P, 1, lambda shape: np.full(shape, deviation))

    def with_expected(self, P: FloatArray) -> Posterior:
        """Conditioned on the posterior mean at p pending rows P [p, D] (the 'kriging believer')."""
        return self._grown(P, 1, np.zeros)

    def _grown(
        self, P: FloatArray, draws: int, deviates: Callable[[tuple[int, int]], FloatArray]
    ) -> Posterior:
        """With p more rows P, whose whitened values are standard `deviates`.

        The factor grows by a block, from V = R K(X, P) and S = chol(A(P, P) − Vᵀ V).
        """
        P, features = self._places(P)
        V = self.R @ self._covariance(self.X, self.features, P, features)
        prior = self._covariance(P, features, P, features)
        own = (0.0 if self.noiseless else self.theta.noise_ratio) * np.ones(len(P))
        largest = float(np.max(np.diag(prior)))
        S = Factor.of(prior - V.T @ V, own, jitter=self.factor.jitter, scale=largest)
        old = np.repeat(self.whitened, draws, axis=0)
        fresh = math.sqrt(self.theta.amplitude2) * deviates((len(old), len(P)))
        expected = self._prior_mean(features) + old @ V
        usable = self.usable
        if usable is not None:  # pending points count as feasible: they were chosen as such
            usable = np.concatenate([usable, np.ones(len(P), dtype=np.bool_)])
        values = expected + S.colour(fresh)
        return replace(
            self,
            X=np.concatenate([self.X, P]),
            features=np.concatenate([self.features, features]),
            counts=np.concatenate([self.counts, np.ones(len(P))]),
            values=np.concatenate([np.repeat(self.values, draws, axis=0), values], axis=1),
            factor=self.factor.grown(V, S),
            whitened=np.hstack([old, fresh]),
            usable=usable,
        )

    @cached_property
    def columns(self) -> FloatArray:
        """The training rows, transposed [D, n]."""
        return np.ascontiguousarray(self.X.T)

    @cached_property
    def weights(self) -> FloatArray:
        """1/ℓ² for each column."""
        return self.covariance.weights(self.theta.length_scales)

    @cached_property
    def feature_columns(self) -> FloatArray:
        """Φ of the training rows, transposed [p, n]."""
        return np.ascontiguousarray(self.features.T)

    def _places(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rows Z [m, D] as the two parts of the covariance take them: warped, and Φ [m, p]."""
        features = math.sqrt(self.theta.trend_ratio) * self.covariance.trend.features(Z)
        return np.ascontiguousarray(self.theta.input_warp.apply(Z)), features

    def _prior_mean(self, features: FloatArray) -> FloatArray:
        return _prior_mean(features, self.theta, self.covariance.trend)

    def _covariance(
        self, Y: FloatArray, Y_features: FloatArray, Z: FloatArray, Z_features: FloatArray
    ) -> FloatArray:
        """K(Y, Z) [n, m] over amp2."""
        C = self.covariance.correlation(Y, Z, self.theta.length_scales)
        return C + Y_features @ Z_features.T

    @property
    def diagonal(self) -> FloatArray:
        """A_ii [n]."""
        return np.asarray(1.0 + np.sum(self.features**2, axis=1) + self.noise_diagonal)

    @property
    def noise_diagonal(self) -> FloatArray:
        """A − K [n]: each row's share of the noise over amp2, and the jitter."""
        ratio = 0.0 if self.noiseless else self.theta.noise_ratio
        return ratio / self.counts + self.factor.jitter


def _prior_mean(features: FloatArray, theta: Hyperparameters, trend: Trend) -> FloatArray:
    """h [m], where the trend's scaled features are Φ [m, p]."""
    return np.asarray(theta.mean + features @ (math.sqrt(theta.amplitude2) * trend.leaning))


def factor_of(
    X: FloatArray,
    features: FloatArray,
    diagonal: FloatArray,
    theta: Hyperparameters,
    covariance: Covariance,
    *,
    jitter: float,
) -> Factor:
    """The factor of K + diag + jitter over the warped rows X, with more jitter where it must be."""
    K = covariance.correlation_triangle(np.ascontiguousarray(X), theta.length_scales)
    if features.shape[1]:
        K = blas.dsyrk(1.0, features.T, beta=1.0, c=K, trans=1, lower=1, overwrite_c=1)
    return Factor.of(K, diagonal, jitter=jitter, scale=float(np.max(np.diag(K))))
