"""The covariance over amp2: a stationary kernel with a length scale for each group of columns, and
a trend.

Rows that are given have been through every transform of the inputs already, T first (paper, Eq. 2:
k'(x, x') = k(T(x), T(x'))). Nothing here transforms again, since not every transform is idempotent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels._stationary import CompiledKernel, squared_distances
from spearmint_int.kernels.trend import Trend
from spearmint_int.space import Space

# T: points anywhere in the cube [n, D] to the rows that the model sees.
InputTransform = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Covariance:
    """A stationary kernel, with a length scale for each group of columns, and perhaps a trend."""

    kernel: CompiledKernel
    groups: tuple[tuple[int, ...], ...]
    dimensions: int
    trend: Trend = field(default_factory=Trend)

    @classmethod
    def over(cls, space: Space, kernel: CompiledKernel, *, trend: bool = False) -> Covariance:
        return cls(kernel, space.groups, space.dimensions, Trend.over(space) if trend else Trend())

    def weights(self, length_scales: Sequence[float] | FloatArray) -> FloatArray:
        """1/ℓ² for each column; zero for a column that can't vary."""
        weights = np.zeros(self.dimensions)
        for columns, length_scale in zip(self.groups, length_scales, strict=True):
            weights[list(columns)] = _weight(length_scale)
        return weights

    def correlation(
        self, Y: FloatArray, Z: FloatArray, length_scales: Sequence[float] | FloatArray
    ) -> FloatArray:
        """[n, m] correlations of the rows Y [n, D] with Z [m, D]."""
        r2 = squared_distances(
            np.ascontiguousarray(Y), np.ascontiguousarray(Z), self.weights(length_scales)
        )
        return self.kernel.correlation(r2)

    def correlation_triangle(
        self, Z: FloatArray, length_scales: Sequence[float] | FloatArray
    ) -> FloatArray:
        """The lower half of the correlations among the rows Z [n, D]."""
        return self.kernel.correlation_triangle(Z, self.weights(length_scales))


def _weight(length_scale: float) -> float:
    """Infinite where no double is as large: correlations are no numbers then, and what they are
    factored for fails as any covariance that is none."""
    try:
        return float(length_scale**-2.0)
    except (OverflowError, ZeroDivisionError):
        return math.inf


def rounding(space: Space) -> InputTransform:
    """The paper's T, which rounds the integers of the space: the proposed treatment."""
    return space.snap


def unrounded(U: FloatArray) -> FloatArray:
    """Integers taken for reals: the basic and naive treatments."""
    return U
