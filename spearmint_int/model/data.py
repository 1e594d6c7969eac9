"""What a GP is conditioned on: rows without replicates, and the observations of each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spearmint_int.arrays import FloatArray, IntArray
from spearmint_int.model.outputs import OutputWarp

_NONE = np.empty(0)


@dataclass(frozen=True)
class TrainingData:
    """The unique rows `X` = T(x) [n, D], the outputs `y` [N] of all observations, and their `rows`.

    `reference` has the outputs whose mean and variance a warp standardises by; where it is empty,
    the outputs are warped but not standardised.
    """

    X: FloatArray
    y: FloatArray
    rows: IntArray
    reference: FloatArray = field(default_factory=lambda: _NONE)

    @classmethod
    def collapse(cls, X: FloatArray, y: FloatArray, reference: FloatArray = _NONE) -> TrainingData:
        """Rows that T makes equal become one; they keep the order in which they first appeared."""
        if len(X) == 0:
            return cls(np.empty(np.shape(X)), np.empty(0), np.empty(0, dtype=np.int64), reference)
        _, first, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        rows = rank[np.reshape(inverse, -1)].astype(np.int64)
        return cls(np.ascontiguousarray(X[first[order]]), np.asarray(y), rows, reference)

    @property
    def counts(self) -> FloatArray:
        """Observations of each row [n]."""
        return np.bincount(self.rows, minlength=len(self.X)).astype(np.float64)

    def row_means(self, outputs: FloatArray) -> FloatArray:
        """The mean of outputs [N] on each row [n]: all that the GP needs, with the counts."""
        return np.asarray(np.bincount(self.rows, outputs, minlength=len(self.X)) / self.counts)

    def without_replicates(self) -> TrainingData:
        """One observation for each row, the mean of its outputs: without noise they are equal."""
        if len(self.y) == len(self.X):
            return self
        means = self.row_means(self.y)
        return TrainingData(self.X, means, np.arange(len(means)), self.reference)

    def subsample(self, count: int, rng: np.random.Generator) -> TrainingData:
        """`count` of the rows, chosen at random, with all their observations."""
        chosen = np.sort(rng.choice(len(self.X), count, replace=False))
        place = np.full(len(self.X), -1)
        place[chosen] = np.arange(count)
        kept = place[self.rows] >= 0
        rows = place[self.rows[kept]]
        return TrainingData(
            np.ascontiguousarray(self.X[chosen]), self.y[kept], rows, self.reference
        )

    def warp(self, power: float) -> OutputWarp:
        """The warp of this power, from the outputs' units to the model's."""
        return OutputWarp.standardising(power, self.reference)
