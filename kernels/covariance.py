"""k'(x, x') = amp2 · k(T(x), T(x')) (paper, Eq. 2): a kernel, with T before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from spearmint_int.kernels._stationary import CompiledKernel, squared_distances
from spearmint_int.space import FloatArray, Space


@dataclass(frozen=True)
class Covariance:
    """A stationary kernel on T(x), with a length scale for each group of columns."""

    kernel: CompiledKernel
    transform: Callable[[FloatArray], FloatArray]
    groups: tuple[tuple[int, ...], ...]
    dimensions: int

    def weights(self, length_scales: Sequence[float] | FloatArray) -> FloatArray:
        """1/ℓ² for each column; zero for a column that can't vary."""
        weights = np.zeros(self.dimensions)
        for columns, length_scale in zip(self.groups, length_scales, strict=True):
            weights[list(columns)] = length_scale**-2.0
        return weights

    def correlation(
        self, U: FloatArray, V: FloatArray, length_scales: Sequence[float] | FloatArray
    ) -> FloatArray:
        """[n, m] correlations of the points U [n, D] with V [m, D], anywhere in the cube."""
        r2 = squared_distances(
            np.ascontiguousarray(self.transform(U)),
            np.ascontiguousarray(self.transform(V)),
            self.weights(length_scales),
        )
        return self.kernel.correlation(r2)

    def correlation_triangle(
        self, Z: FloatArray, length_scales: Sequence[float] | FloatArray
    ) -> FloatArray:
        """The lower half of the correlations among the points Z [n, D], T applied already."""
        return self.kernel.correlation_triangle(Z, self.weights(length_scales))


def rounding(space: Space, kernel: CompiledKernel) -> Covariance:
    """The paper's covariance: T rounds the integers of the space."""
    return Covariance(kernel, space.snap, space.groups, space.dimensions)


def plain(space: Space, kernel: CompiledKernel) -> Covariance:
    """The standard covariance, which takes integers for reals: the basic and naive treatments."""
    return Covariance(kernel, _identity, space.groups, space.dimensions)


def _identity(U: FloatArray) -> FloatArray:
    return U
