"""Objectives drawn from the GP prior of the paper, with their true minimum.

    k'(x, x') = k(T(x), T(x')),   k = Matérn-5/2, amplitude 1, mean 0, every length scale 0.25

in the unit cube, where T puts an integer at the centre of its cell. At 0.25 a real dimension has a
few local minima, and neighbouring integers correlate by 0.35 (of three values) or 0.52 (of four).

How a draw is made into a function: values f ~ N(0, K) are drawn exactly at a dense grid of nodes Z
(every lattice combination times a regular grid of the reals), and in between the function is the
GP's own interpolation, its conditional mean:

    f(x) = k'(x, Z) w,   w = K⁻¹ f = L⁻ᵀ z,   K = L Lᵀ,   z ~ N(0, I).

So the draw is a finite sum of kernels: deterministic, twice differentiable in the reals, the same
to rounding (1e-10) wherever and whenever it is evaluated. It is Gaussian exactly; its covariance
falls short of k' only by the conditional variance given the nodes: below 1e-7 of the prior variance
in 2-D, below 1e-3 in 4-D, where it is 1.5e-4 on average (`missing_variance`, tested). Random
Fourier features would be a function everywhere too, but neither Gaussian nor of covariance k'.

The true minimum: L-BFGS-B with the exact gradient from every node, in every lattice combination,
that a descent within its neighbourhood could bring below the best node; the smallest value found.
The gradient left over is below 1e-5, so the value is right to rounding.

Notation: Z [m, D] nodes, X [n, D] points of the unit cube, K [m, m], w [m]; the reals come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

from experiments.dimension import Dimension

if TYPE_CHECKING:
    from collections.abc import Mapping

    from experiments.dimension import Params

FloatArray = NDArray[np.float64]

LENGTH_SCALE = 0.25
# Keeps the Cholesky factor of the smooth kernel real; far below everything that is measured.
NUGGET = 1e-12
# By how much a draw can fall between neighbouring nodes: a second derivative of four standard
# deviations (4 · 5/ℓ²) over half a step of the 4-D nodes in both reals comes to 0.28.
MARGIN = 0.4
# Rows of a cross-covariance that are built at once: a few tens of MB.
BLOCK = 1024


@dataclass(frozen=True)
class Problem:
    """Reals in [0, 1], then integers from 0 to levels − 1; the paper's budget and noise."""

    name: str
    reals: int
    levels: tuple[int, ...]
    evaluations: int
    noise_variance: float
    nodes_per_axis: int

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """x1, x2, … as in the paper."""
        ends = [1] * self.reals + [level - 1 for level in self.levels]
        return tuple(
            Dimension(f"x{i + 1}", 0, end, integer=i >= self.reals) for i, end in enumerate(ends)
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dimension.name for dimension in self.dimensions)

    def combinations(self) -> list[tuple[int, ...]]:
        """Every combination of the integers."""
        return list(product(*(range(level) for level in self.levels)))

    def points(self, reals: FloatArray, integers: tuple[int, ...]) -> FloatArray:
        """The points [n, D] of the unit cube: the integers at the centres of their cells."""
        centres = (np.array(integers) + 0.5) / np.array(self.levels)
        return np.hstack([reals, np.broadcast_to(centres, (len(reals), len(centres)))])

    def real_grid(self, per_axis: int) -> FloatArray:
        """A regular grid [per_axis ^ reals, reals] with the ends in it."""
        axes = np.meshgrid(*[np.linspace(0, 1, per_axis)] * self.reals, indexing="ij")
        return np.stack(axes, axis=-1).reshape(-1, self.reals)


TWO_D = Problem("2d", 1, (3,), 50, 0.01, nodes_per_axis=101)
FOUR_D = Problem("4d", 2, (4, 3), 100, 0.001, nodes_per_axis=18)
PROBLEMS = {problem.name: problem for problem in (TWO_D, FOUR_D)}


def matern52(X: FloatArray, Y: FloatArray) -> FloatArray:
    """(1 + s + s²/3) exp(−s), s = √5 |x − y| / ℓ; [n, m]."""
    s = np.sqrt(5 * _squared_distances(X, Y)) / LENGTH_SCALE
    return np.asarray((1 + s + s**2 / 3) * np.exp(-s))


def _squared_distances(X: FloatArray, Y: FloatArray) -> FloatArray:
    # A dimension at a time: |x|² + |y|² − 2xy would lose the digits that near points need.
    return np.asarray(sum(np.subtract.outer(x, y) ** 2 for x, y in zip(X.T, Y.T, strict=True)))


@cache
def nodes(problem: Problem) -> FloatArray:
    """Z [m, D]."""
    grid = problem.real_grid(problem.nodes_per_axis)
    return np.vstack([problem.points(grid, integers) for integers in problem.combinations()])


@cache
def node_factor(problem: Problem) -> FloatArray:
    """L [m, m], the same for every draw of the problem."""
    Z = nodes(problem)
    K = matern52(Z, Z)
    K[np.diag_indices_from(K)] += NUGGET
    return np.asarray(cholesky(K, lower=True, overwrite_a=True, check_finite=False))


def missing_variance(problem: Problem, X: FloatArray) -> FloatArray:
    """Var[f(x) | f(Z)] [n]: by how much a draw's variance falls short of k'(x, x) = 1."""
    cross = matern52(nodes(problem), X)
    return np.asarray(1 - np.sum(solve_triangular(node_factor(problem), cross, lower=True) ** 2, 0))


@dataclass(frozen=True)
class Minimum:
    """Where the true minimum is, and its value."""

    point: FloatArray
    params: Params
    value: float


@dataclass(frozen=True, eq=False)
class Objective:
    """One draw from the prior: a function of the parameters, without noise."""

    problem: Problem
    weights: FloatArray
    node_values: FloatArray

    def __call__(self, params: Mapping[str, Any]) -> float:
        """The value at {"x1": …, …}; integers outside their range are the caller's error."""
        return float(self.values(self.encode(params)[None, :])[0])

    def encode(self, params: Mapping[str, Any]) -> FloatArray:
        """The point [D] of the unit cube."""
        values = [np.ravel(params[name])[0] for name in self.problem.names]
        reals, integers = values[: self.problem.reals], values[self.problem.reals :]
        if any(
            not 0 <= i < level or i != int(i)
            for i, level in zip(integers, self.problem.levels, strict=True)
        ):
            raise ValueError(f"{params}: an integer is outside its range or has a fraction.")
        points = self.problem.points(np.array([reals], float), tuple(int(i) for i in integers))
        return np.asarray(points[0])

    def values(self, X: FloatArray) -> FloatArray:
        """f(x) = k'(x, Z) w at points [n, D] whose integers sit at centres."""
        Z = nodes(self.problem)
        blocks = [matern52(X[i : i + BLOCK], Z) @ self.weights for i in range(0, len(X), BLOCK)]
        return np.concatenate(blocks)

    def gradient(self, x: FloatArray) -> FloatArray:
        """∂f/∂reals [reals]: ∂k/∂x = −5/(3ℓ²) (1 + s) exp(−s) (x − z)."""
        Z = nodes(self.problem)
        s = np.sqrt(5 * _squared_distances(x[None, :], Z)[0]) / LENGTH_SCALE
        slope = -5 / (3 * LENGTH_SCALE**2) * (1 + s) * np.exp(-s) * self.weights
        return np.asarray(slope @ (x - Z)[:, : self.problem.reals])

    @cached_property
    def minimum(self) -> Minimum:
        """The true minimum over all integer combinations."""
        found = [self._refined(start) for start in self._starts()]
        point, value = min(found, key=lambda pair: pair[1])
        return Minimum(point, self._decode(point), value)

    def distance(self, params: Mapping[str, Any]) -> float:
        """f(params) − f*, never below zero."""
        return max(self(params) - self.minimum.value, 0.0)

    def _starts(self) -> FloatArray:
        """The nodes that lead to every local minimum that could be the smallest."""
        near = self.node_values <= self.node_values.min() + MARGIN
        return np.asarray(nodes(self.problem)[near])

    def _refined(self, start: FloatArray) -> tuple[FloatArray, float]:
        """The local minimum that `start` leads to, to rounding."""
        reals = self.problem.reals

        def objective(u: FloatArray) -> tuple[float, FloatArray]:
            x = np.concatenate([u, start[reals:]])
            return float(self.values(x[None, :])[0]), self.gradient(x)

        found = minimize(
            objective,
            start[:reals],
            jac=True,
            bounds=[(0.0, 1.0)] * reals,
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 200},
        )
        return np.concatenate([found.x, start[reals:]]), float(found.fun)

    def _decode(self, point: FloatArray) -> Params:
        reals, levels = self.problem.reals, np.array(self.problem.levels)
        integers = np.floor(point[reals:] * levels).astype(int)
        return dict(
            zip(self.problem.names, [*point[:reals].tolist(), *integers.tolist()], strict=True)
        )


def draw(problem: Problem, seed: int) -> Objective:
    """The draw number `seed` of the problem: the same everywhere."""
    rng = np.random.default_rng([seed, len(problem.names)])
    L = node_factor(problem)
    z = rng.standard_normal(len(L))
    weights = solve_triangular(L, z, lower=True, trans="T")
    return Objective(problem, np.asarray(weights), np.asarray(L @ z))


def noise(problem: Problem, seed: int, evaluations: int) -> FloatArray:
    """The noise of the 1st, 2nd, … evaluation of a repetition: the same for every method."""
    rng = np.random.default_rng([seed, len(problem.names), 1])
    return rng.normal(0.0, np.sqrt(problem.noise_variance), evaluations)
