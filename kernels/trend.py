"""A trend over the whole cube: a parabola along each axis, its coefficients integrated out.

With z = 2u − 1 the features of an axis are the Legendre polynomials √3 z and √5 (3z² − 1)/2, which
have mean 0 and variance 1 over the cube. Coefficients of equal variance make them a covariance,

    g(u, u') = Σ_q φ_q(u) φ_q(u'),     1 on average where u = u',

which is added to the stationary one, times a variance that is sampled. Where the function is rough,
a stationary kernel alone predicts nothing away from the data; the trend does.

Objectives are bowls more often than domes, and have their optimum inside of the cube more often
than on the bounds, where a GP knows least and its search is drawn to. So the prior of the squares'
coefficients is not centred at 0: its mean is LEANING standard deviations, however large those are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spearmint_int.arrays import FloatArray, IntArray
from spearmint_int.space import Space

# An axis needs three values for a parabola; with two, its square is a constant.
BENT = 3
# The mean of a square's coefficient in its standard deviations. With 0, ½, 1 and 2 the area on
# bbob-mixint is 20.0, 20.7, 20.6 and 20.9 % (5-D, instances 1 to 3, three seeds), and 2 is too much
# where the optimum is on the bounds.
LEANING = 1.0
# Results from before the bounds were narrowed may lie thousands of widths beyond them, where the
# parabola would dominate the covariance. They count as lying at most one width beyond.
FARTHEST = 3.0  # in z


@dataclass(frozen=True)
class Trend:
    """The columns with a linear feature, and those with a square; without any there is no trend."""

    sloped: tuple[int, ...] = ()
    curved: tuple[int, ...] = ()

    @classmethod
    def over(cls, space: Space) -> Trend:
        """Each number that can vary has a linear feature, and a square unless it is an integer of
        two values. Options have neither, since they have no order."""
        options = {axis.start for axis in space.axes if axis.one_hot}
        straight = {axis.start for axis in space.axes if axis.cells < BENT}
        sloped = tuple(group[0] for group in space.groups if group[0] not in options)
        return cls(sloped, tuple(column for column in sloped if column not in straight))

    @cached_property
    def columns(self) -> IntArray:
        """The column that each of the p features belongs to [p]."""
        return np.array([*self.sloped, *self.curved], dtype=np.int64)

    @cached_property
    def leaning(self) -> FloatArray:
        """The coefficients' prior mean in standard deviations [p]."""
        return np.repeat([0.0, LEANING], [len(self.sloped), len(self.curved)])

    def features(self, Z: FloatArray) -> FloatArray:
        """φ [m, p] at the rows Z [m, D], which have been through T."""
        z = np.clip(2.0 * np.take(Z, self.columns, axis=1) - 1.0, -FARTHEST, FARTHEST)
        z[:, self._bends] = math.sqrt(5.0 / 3.0) * (1.5 * z[:, self._bends] ** 2 - 0.5)
        return np.asarray(self._scale * z)

    def slopes(self, Z: FloatArray) -> FloatArray:
        """dφ/du [m, p], each in its own column, for rows within the cube, where the search is."""
        slopes = np.full((len(Z), len(self.columns)), 2.0)
        slopes[:, self._bends] = math.sqrt(60.0) * (2.0 * Z[:, self.columns[self._bends]] - 1.0)
        return np.asarray(self._scale * slopes)

    @property
    def _bends(self) -> slice:
        return slice(len(self.sloped), None)

    @property
    def _scale(self) -> float:
        return math.sqrt(3.0 / max(1, len(self.columns)))
