"""What has been evaluated, made fit for a model: failures, infinities and wild outliers.

A result that is NaN or infinite means 'failed here'. The model gets the worst finite value there:
it must not go back, and it must not think that the place is better than what it knows. A value
far above all others (a diverged training run) is drawn in, because standardising with it would
make all other differences vanish; values are only changed on the bad side, never near the best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spearmint_int.space import FloatArray

# A value this many interquartile ranges above the third quartile is drawn in to that.
OUTLIER_RANGES = 20.0


@dataclass(frozen=True)
class Observations:
    """Points of the unit cube [n, D] as the model uses them, and their values [n]."""

    points: FloatArray
    values: FloatArray

    def __post_init__(self) -> None:
        if np.ndim(self.points) != 2 or len(self.points) != len(self.values):
            raise ValueError(
                f"points must be [n, D] and values [n], got {np.shape(self.points)} "
                f"and {np.shape(self.values)}"
            )

    @classmethod
    def none(cls, dimensions: int) -> Observations:
        return cls(np.empty((0, dimensions)), np.empty(0))

    @property
    def finite(self) -> int:
        """How many results are numbers."""
        return int(np.sum(np.isfinite(self.values)))


@dataclass(frozen=True)
class CleanValues:
    """Values that a GP can take, and how many had to be changed."""

    y: FloatArray
    failed: int
    drawn_in: int


def clean_values(values: FloatArray) -> CleanValues:
    """Failures at the worst finite value, outliers on the bad side drawn in."""
    finite = np.isfinite(values)
    y = np.array(values, dtype=np.float64)
    if not np.any(finite):
        return CleanValues(np.zeros(len(y)), len(y), 0)
    # halves: the difference of two numbers near the largest double overflows
    low, high = (float(q) for q in np.quantile(0.5 * y[finite], [0.25, 0.75]))
    ceiling = 2.0 * (high + OUTLIER_RANGES * (high - low)) if high > low else np.inf
    drawn_in = finite & (y > ceiling)
    y[drawn_in] = ceiling
    y[~finite] = np.max(y[finite])
    return CleanValues(y, int(np.sum(~finite)), int(np.sum(drawn_in)))
