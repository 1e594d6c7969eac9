"""What the sampler's tests share: chains on a little data, and twins of the density they sample."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels import kernel_named, packed_squared_differences
from spearmint_int.model import Hyperparameters, TrainingData
from spearmint_int.model.factor import JITTER
from spearmint_int.sampling import Prior, Priors
from spearmint_int.sampling._chain import Chain
from spearmint_int.sampling.priors import Family, lognormal
from spearmint_int.space import Space
from tests.twins import CORRELATIONS, DenseGP, column_weights, squared_distances

PROPER = Priors(
    amplitude=lognormal(0.0, 0.5), noise=lognormal(-2.0, 0.7), length_scale=lognormal(-1.0, 0.5)
)


@dataclass(frozen=True)
class Problem:
    """Data in a space, and the model of them."""

    space: Space
    U: FloatArray
    y: FloatArray
    priors: Priors = field(default_factory=Priors)
    kernel: str = "matern52"
    noiseless: bool = False

    @property
    def data(self) -> TrainingData:
        return TrainingData.collapse(self.space.snap(self.U), self.y)

    def chain(self, *, seed: int = 0) -> Chain:
        data = self.data
        return Chain(
            packed_squared_differences(data.X, self.space.groups),
            data.y,
            data.counts,
            data.scatter,
            self.priors.rows(len(self.space.groups)),
            kernel_named(self.kernel).capsule,
            np.random.PCG64(seed),
            self.noiseless,
            JITTER,
        )

    def theta(self, s: FloatArray) -> Hyperparameters:
        """s = (m, log √amp2, log ν, log ℓ …) as hyperparameters."""
        amplitude2 = math.exp(2.0 * s[1])
        noise = 0.0 if self.noiseless else amplitude2 * math.exp(s[2])
        return Hyperparameters(s[0], amplitude2, noise, tuple(np.exp(s[3:])))

    def log_posterior(self, s: FloatArray) -> float:
        """From scratch, by scipy, on all observations: up to a constant, as a density of s."""
        theta = self.theta(s)
        likelihood = DenseGP(self.space, self.U, self.y, theta, self.kernel).log_likelihood()
        return likelihood + self.log_prior(theta)

    def log_prior(self, theta: Hyperparameters) -> float:
        """With the Jacobian: √amp2, noise and ℓ are moved by their logarithms."""
        amplitude = math.sqrt(theta.amplitude2)
        positive = [(self.priors.amplitude, amplitude)]
        positive += [(self.priors.length_scale, length) for length in theta.length_scales]
        if not self.noiseless:
            positive.append((self.priors.noise, theta.noise))
        total = log_density(self.priors.mean, theta.mean)
        return total + sum(log_density(prior, x) + math.log(x) for prior, x in positive)


def log_density(prior: Prior, x: float) -> float:
    return float(log_densities(prior, np.array([x]))[0])


def log_densities(prior: Prior, x: FloatArray) -> FloatArray:
    """Up to a constant, by scipy; the horseshoe by its formula."""
    inside = (prior.lower <= x) & (x <= prior.upper)
    if prior.family is Family.HORSESHOE:
        density = np.log(np.log1p(3.0 * (prior.a / x) ** 2))
    else:
        density = _distribution(prior).logpdf(x)
    return np.where(inside, density, -np.inf)


def _distribution(prior: Prior) -> Any:
    if prior.family is Family.UNIFORM:
        return stats.uniform(prior.lower, prior.upper - prior.lower)
    if prior.family is Family.NORMAL:
        return stats.norm(prior.a, prior.b)
    if prior.family is Family.LOGNORMAL:
        return stats.lognorm(prior.b, scale=math.exp(prior.a))
    return stats.gamma(prior.a, scale=1.0 / prior.b)


def one_length_scale_grid(problem: Problem, axes: list[FloatArray]) -> FloatArray:
    """Mean and sd [2, 4] of (m, log √amp2, log ν, log ℓ) by the trapezoid rule on a grid."""
    table = _log_prior_table(problem, axes)
    for i, r in enumerate(axes[2]):
        for j, length in enumerate(axes[3]):
            table[:, :, i, j] += _log_likelihoods(problem, axes[0], axes[1], r, length)
    weights = np.exp(table - table.max()) * _trapezoid(axes)
    moments = []
    for coordinate, axis in enumerate(axes):
        others = tuple(k for k in range(4) if k != coordinate)
        marginal = weights.sum(axis=others) / weights.sum()
        mean = np.sum(marginal * axis)
        moments.append((mean, math.sqrt(np.sum(marginal * (axis - mean) ** 2))))
    return np.array(moments).T


def _log_prior_table(problem: Problem, axes: list[FloatArray]) -> FloatArray:
    """With the Jacobian, at every point of the grid."""
    m, a, r, length = np.meshgrid(*axes, indexing="ij", sparse=True)
    priors = problem.priors
    table = log_densities(priors.mean, m) + log_densities(priors.amplitude, np.exp(a)) + a
    table = table + log_densities(priors.length_scale, np.exp(length)) + length
    if problem.noiseless:
        return np.asarray(table + np.zeros_like(r))
    return np.asarray(table + log_densities(priors.noise, np.exp(2.0 * a + r)) + 2.0 * a + r)


def _log_likelihoods(
    problem: Problem, m: FloatArray, a: FloatArray, r: float, length: float
) -> FloatArray:
    """[|m|, |a|] for one ν and one ℓ: the quadratic form is a polynomial in m."""
    data = problem.data
    unit = Hyperparameters(0.0, 1.0, 0.0, (math.exp(length),))
    r2 = squared_distances(data.X, data.X, column_weights(problem.space, unit))
    ratio = 0.0 if problem.noiseless else math.exp(r)
    A = CORRELATIONS[problem.kernel](r2) + np.diag(ratio / data.counts + JITTER)
    both = np.array([data.y, np.ones(len(data.y))])
    G = both @ np.linalg.solve(A, both.T)
    Q = (G[0, 0] - 2.0 * m * G[0, 1] + m * m * G[1, 1])[:, np.newaxis]
    n, N = len(data.y), len(problem.y)
    total = -0.5 * (Q * np.exp(-2.0 * a) + 2.0 * n * a + np.linalg.slogdet(A)[1])
    if problem.noiseless:
        return np.asarray(total)
    log_noise = 2.0 * a + r
    return np.asarray(total - 0.5 * ((N - n) * log_noise + data.scatter * np.exp(-log_noise)))


def _trapezoid(axes: list[FloatArray]) -> FloatArray:
    weights = np.ones([1] * len(axes))
    for k, axis in enumerate(axes):
        w = np.ones(len(axis))
        if len(axis) > 1:
            w[[0, -1]] = 0.5
        weights = weights * w.reshape([-1 if i == k else 1 for i in range(len(axes))])
    return weights
