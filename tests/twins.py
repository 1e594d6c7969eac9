"""Plain numpy twins of the compiled code, from the formulas, and the problems that tests share.

The twin of the GP keeps all N observations: no collapse, no appended factor, no reuse. The jitter
of the model is a nugget of its rows, so that replicates share it; the twin says so in its matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from scipy.stats import beta, multivariate_normal

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels import Covariance, kernel_named
from spearmint_int.model import Hyperparameters, Posterior, TrainingData
from spearmint_int.model.factor import JITTER
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int

MIXED = Space({"x": Float(0, 1), "k": Int(0, 3), "kind": Enum(["a", "b", "c"])})
TWO_REALS = Space({"x": Float(0, 1), "z": Float(0, 1)})


def matern52(r2: FloatArray) -> FloatArray:
    s = np.sqrt(5.0 * r2)
    return np.asarray((1.0 + s + s * s / 3.0) * np.exp(-s))


def matern32(r2: FloatArray) -> FloatArray:
    s = np.sqrt(3.0 * r2)
    return np.asarray((1.0 + s) * np.exp(-s))


def squared_exponential(r2: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * r2))


CORRELATIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "matern32": matern32,
    "matern52": matern52,
    "squared_exponential": squared_exponential,
}


def squared_distances(Z: FloatArray, X: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray(np.sum(weights * (Z[:, np.newaxis] - X[np.newaxis]) ** 2, axis=-1))


def column_weights(space: Space, theta: Hyperparameters) -> FloatArray:
    weights = np.zeros(space.dimensions)
    for columns, length in zip(space.groups, theta.length_scales, strict=True):
        weights[list(columns)] = 1.0 / length**2
    return weights


@dataclass(frozen=True)
class DenseGP:
    """The textbook's GP on N observations at U [N, D], for the kernel on T(x)."""

    space: Space
    U: FloatArray
    y: FloatArray
    theta: Hyperparameters
    kernel: str = "matern52"

    def correlation(self, U: FloatArray, V: FloatArray) -> FloatArray:
        weights = column_weights(self.space, self.theta)
        r2 = squared_distances(self._inputs(U), self._inputs(V), weights)
        trend = self.features(U) @ self.features(V).T
        return np.asarray(CORRELATIONS[self.kernel](r2) + self.theta.trend_ratio * trend)

    def prior_mean(self, U: FloatArray) -> FloatArray:
        """The constant, and a bowl: each square's coefficient is as large as its own spread."""
        squares = [q for q, degree in enumerate(self._degrees) if degree == 2]
        bowl = np.sum(self.features(U)[:, squares], axis=1)
        return np.asarray(self.theta.mean + math.sqrt(self.theta.trend) * bowl)

    @property
    def _degrees(self) -> list[int]:
        """Of the polynomials, in the order of the features."""
        numbers = [v for v in self.space.group_variables if not isinstance(v, Enum)]
        bent = [isinstance(variable, Float) or variable.cells > 2 for variable in numbers]
        return [degree for bends in bent for degree in ((1, 2) if bends else (1,))]

    def features(self, U: FloatArray) -> FloatArray:
        """numpy's Legendre polynomials on each axis, of mean 0 and variance 1 over the cube."""
        rows, features = 2.0 * self.space.snap(U) - 1.0, []
        for columns, variable in zip(self.space.groups, self.space.group_variables, strict=True):
            if isinstance(variable, Enum):
                continue
            z = rows[:, columns[0]]
            features += [np.sqrt(3.0) * legendre.legval(z, [0, 1])]
            if isinstance(variable, Float) or variable.cells > 2:
                features += [np.sqrt(5.0) * legendre.legval(z, [0, 0, 1])]
        return np.asarray(np.reshape(features, (-1, len(U))).T / np.sqrt(max(1, len(features))))

    def _inputs(self, U: FloatArray) -> FloatArray:
        """T, and then scipy's CDF of u^a ~ Beta(1, b), which is Kumaraswamy's."""
        rows, warp = np.array(self.space.snap(U)), self.theta.input_warp
        for column, a, b in zip(warp.columns, warp.a, warp.b, strict=True):
            rows[:, column] = beta(1.0, b).cdf(rows[:, column] ** a)
        return rows

    @property
    def K(self) -> FloatArray:
        """The covariance of y: kernel, nugget of each row, noise of each observation."""
        rows = self.space.snap(self.U)
        same = np.all(rows[:, np.newaxis] == rows[np.newaxis], axis=-1)
        C = self.correlation(self.U, self.U) + JITTER * same
        return np.asarray(self.theta.amplitude2 * C + self.theta.noise * np.eye(len(self.y)))

    def moments(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean [m] and covariance [m, m] of the latent function (paper, Eq. 1)."""
        k = self.theta.amplitude2 * self.correlation(self.U, V)
        residual = self.y - self.prior_mean(self.U)
        mean = self.prior_mean(V) + k.T @ np.linalg.solve(self.K, residual)
        prior = self.theta.amplitude2 * self.correlation(V, V)
        return mean, prior - k.T @ np.linalg.solve(self.K, k)

    def log_likelihood(self) -> float:
        return float(multivariate_normal(self.prior_mean(self.U), self.K).logpdf(self.y))


def some_theta(space: Space, *, noise: float = 0.05, trend: float = 0.0) -> Hyperparameters:
    """Length scales that differ, an amplitude that is not one."""
    lengths = tuple(0.3 + 0.2 * g for g in range(len(space.groups)))
    return Hyperparameters(0.4, 1.7, noise, lengths, trend=trend)


def some_data(
    space: Space, n: int, *, seed: int = 0, repeats: int = 0
) -> tuple[FloatArray, FloatArray]:
    """n points anywhere in the cube, the first `repeats` of them again, and values."""
    rng = np.random.default_rng(seed)
    U = rng.random((n, space.dimensions))
    U = np.concatenate([U, U[:repeats]])
    return U, np.sin(7.0 * U[:, 0]) + U[:, -1] ** 2 + 0.3 * rng.standard_normal(len(U))


def fitted(
    space: Space,
    U: FloatArray,
    y: FloatArray,
    theta: Hyperparameters,
    *,
    kernel: str = "matern52",
    noiseless: bool = False,
) -> Posterior:
    covariance = Covariance.over(space, kernel_named(kernel), trend=theta.trend > 0)
    data = TrainingData.collapse(space.snap(U), y)
    return Posterior.fit(data, theta, covariance, noiseless=noiseless)


def central_differences(
    function: Callable[[FloatArray], FloatArray], U: FloatArray, *, step: float = 1e-5
) -> FloatArray:
    """∂f/∂u of `function` [m] at each row of U [m, D], of fourth order: [m, D]."""
    slopes = np.empty(U.shape)
    for column in range(U.shape[1]):
        move = np.zeros(U.shape[1])
        move[column] = step
        near = function(U + move) - function(U - move)
        far = function(U + 2 * move) - function(U - 2 * move)
        slopes[:, column] = (8.0 * near - far) / (12.0 * step)
    return slopes
