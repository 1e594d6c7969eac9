"""What a GP is conditioned on: outputs in its units, and rows without replicates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from spearmint_int.arrays import FloatArray


@dataclass(frozen=True)
class Standardizer:
    """y ↦ (y − shift) / scale."""

    shift: float
    scale: float

    @classmethod
    def of(cls, y: FloatArray) -> Standardizer:
        """Zero mean and unit variance; a constant keeps its scale of 1."""
        if len(y) == 0 or np.min(y) == np.max(y):
            return cls(float(y[0]) if len(y) else 0.0, 1.0)
        # in units of a power of two: the squares of 1e300 and of 1e-300 are no doubles
        exponent = math.frexp(float(np.max(np.abs(y))))[1]
        relative = np.ldexp(y, -exponent)
        shift, scale = (math.ldexp(float(f(relative)), exponent) for f in (np.mean, np.std))
        return cls(shift, scale if scale > 0.0 else 1.0)

    def apply(self, y: FloatArray) -> FloatArray:
        # halves: the difference of two numbers near the largest double overflows
        return 2.0 * ((0.5 * y - 0.5 * self.shift) / self.scale)

    def undo(self, y: FloatArray) -> FloatArray:
        return self.shift + self.scale * y


@dataclass(frozen=True)
class TrainingData:
    """The unique rows, their mean values and counts, and what the means leave out."""

    X: FloatArray
    y: FloatArray
    counts: FloatArray
    scatter: float

    @classmethod
    def collapse(cls, X: FloatArray, y: FloatArray) -> TrainingData:
        """Rows that T makes equal become one: exact, by sufficiency of mean, count and scatter.

        The rows keep the order in which they first appeared.
        """
        if len(X) == 0:
            return cls(np.empty(np.shape(X)), np.empty(0), np.empty(0), 0.0)
        _, first, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        member = rank[np.reshape(inverse, -1)]
        counts = np.bincount(member).astype(np.float64)
        means = np.bincount(member, weights=y) / counts
        scatter = float(np.sum((y - means[member]) ** 2))
        return cls(np.ascontiguousarray(X[first[order]]), means, counts, scatter)

    def subsample(self, count: int, rng: np.random.Generator) -> TrainingData:
        """`count` of the rows, chosen at random, with their share of the scatter."""
        rows = np.sort(rng.choice(len(self.y), count, replace=False))
        kept, all_repeats = self.counts[rows], np.sum(self.counts - 1.0)
        share = float(np.sum(kept - 1.0) / all_repeats) if all_repeats > 0 else 0.0
        X = np.ascontiguousarray(self.X[rows])
        return TrainingData(X, self.y[rows], kept, share * self.scatter)
