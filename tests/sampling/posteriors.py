"""What the sampler's tests share: chains on a little data, and twins of the density they sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import boxcox, logsumexp

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels import Covariance, kernel_named, packed_squared_differences
from spearmint_int.model import Hyperparameters, TrainingData
from spearmint_int.model.factor import JITTER
from spearmint_int.sampling import Layout, Model, Prior, Priors
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
    warps_outputs: bool = False
    warped_columns: tuple[int, ...] = ()
    reference: FloatArray = field(default_factory=lambda: np.empty(0))
    trend: bool = False

    @property
    def data(self) -> TrainingData:
        data = TrainingData.collapse(self.space.snap(self.U), self.y, self.reference)
        return data.without_replicates() if self.noiseless else data

    @property
    def model(self) -> Model:
        covariance = Covariance.over(self.space, kernel_named(self.kernel), trend=self.trend)
        return Model(
            covariance, self.priors, self.noiseless, self.warps_outputs, self.warped_columns
        )

    def chain(self, *, seed: int = 0) -> Chain:
        d2 = packed_squared_differences(self.data.X, self.space.groups)
        return self.model.chain(self.data, d2, np.random.PCG64(seed), jitter=JITTER)

    def start(self, *, length: float = -1.0, ratio: float = -2.0) -> FloatArray:
        """A state without warps, by its logarithms."""
        groups = len(self.space.groups)
        theta = Hyperparameters(0.0, 1.0, math.exp(ratio), (math.exp(length),) * groups)
        bare = Layout(groups, False).state(theta)
        return np.concatenate([bare, np.zeros(2 * len(self.warped_columns))])

    def theta(self, s: FloatArray) -> Hyperparameters:
        return self.model.layout.theta(s)

    def log_posterior(self, s: FloatArray) -> float:
        """From scratch, by scipy, on all observations: up to a constant, as a density of s."""
        theta = self.theta(s)
        z, log_jacobian = self.outputs(theta.power)
        gp = DenseGP(self.space, self.U, z, theta, self.kernel)
        return gp.log_likelihood() + log_jacobian + self.log_prior(theta)

    def outputs(self, power: float) -> tuple[FloatArray, float]:
        """The warped outputs, and log |dz/dy|, by scipy's Box–Cox transform above the knee."""
        shift, scale = 0.0, 1.0
        if len(self.reference):
            warped = one_sided_box_cox(self.reference, power)
            shift, scale = float(np.mean(warped)), float(np.std(warped))
        slopes = np.where(self.y > 0, np.maximum(1.0 + self.y, 1.0) ** (power - 1.0), 1.0)
        z = (one_sided_box_cox(self.y, power) - shift) / scale
        return z, float(np.sum(np.log(slopes / scale)))

    def log_prior(self, theta: Hyperparameters) -> float:
        """With the Jacobian: √amp2, noise, √trend, ℓ, a and b are moved by their logarithms."""
        amplitude = math.sqrt(theta.amplitude2)
        positive = [(self.priors.amplitude, amplitude)]
        if self.trend:
            positive.append((self.priors.trend, math.sqrt(theta.trend)))
        warp = theta.input_warp
        positive += [(self.priors.input_warp, parameter) for parameter in (*warp.a, *warp.b)]
        if not self.noiseless:
            positive.append((self.priors.noise, theta.noise))
        total = log_density(self.priors.mean, theta.mean)
        if self.warps_outputs:
            total += log_density(self.priors.output_power, theta.power)
        total += sum(log_density(prior, x) + math.log(x) for prior, x in positive)
        return total + log_density_of_lengths(self.priors.length_scale, theta.length_scales)


def log_density_of_lengths(prior: Prior, lengths: Sequence[float]) -> float:
    """As a density of their logarithms. A mixture has the same part for all of them."""
    densities = [
        sum(log_density(part, x) + math.log(x) for x in lengths) for part in parts_of(prior)
    ]
    return float(logsumexp(densities) - math.log(len(densities)))


def parts_of(prior: Prior) -> list[Prior]:
    """The log-normals of a mixture; any other prior is its only part."""
    if prior.family is not Family.MIXTURE:
        return [prior]
    bounds = {"lower": prior.lower, "upper": prior.upper}
    return [lognormal(a, b, **bounds) for a, b in ((prior.a, prior.b), (prior.c, prior.d))]


def one_sided_box_cox(y: FloatArray, power: float) -> FloatArray:
    return np.where(y > 0, boxcox(1.0 + np.maximum(y, 0.0), power), y)


def log_density(prior: Prior, x: float) -> float:
    return float(log_densities(prior, np.array([x]))[0])


def log_densities(prior: Prior, x: FloatArray) -> FloatArray:
    """Up to a constant, by scipy; the horseshoe by its formula."""
    inside = (prior.lower <= x) & (x <= prior.upper)
    if prior.family is Family.HORSESHOE:
        density = np.log(np.log1p(3.0 * (prior.a / x) ** 2))
    elif prior.family is Family.MIXTURE:
        parts = [_distribution(part).logpdf(x) for part in parts_of(prior)]
        density = logsumexp(parts, axis=0) - math.log(len(parts))
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
    means = data.row_means(data.y)
    scatter = float(np.sum((data.y - means[data.rows]) ** 2))
    both = np.array([means, np.ones(len(means))])
    G = both @ np.linalg.solve(A, both.T)
    Q = (G[0, 0] - 2.0 * m * G[0, 1] + m * m * G[1, 1])[:, np.newaxis]
    n, N = len(means), len(problem.y)
    total = -0.5 * (Q * np.exp(-2.0 * a) + 2.0 * n * a + np.linalg.slogdet(A)[1])
    if problem.noiseless:
        return np.asarray(total)
    log_noise = 2.0 * a + r
    return np.asarray(total - 0.5 * ((N - n) * log_noise + scatter * np.exp(-log_noise)))


def _trapezoid(axes: list[FloatArray]) -> FloatArray:
    weights = np.ones([1] * len(axes))
    for k, axis in enumerate(axes):
        w = np.ones(len(axis))
        if len(axis) > 1:
            w[[0, -1]] = 0.5
        weights = weights * w.reshape([-1 if i == k else 1 for i in range(len(axes))])
    return weights
