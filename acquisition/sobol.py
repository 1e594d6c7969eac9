"""Sobol points in the unit cube: the candidates of a search, and the initial design."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from spearmint_int.arrays import FloatArray


def shifted_sobol(
    count: int, dimensions: int, *, seed: int, rng: np.random.Generator
) -> FloatArray:
    """`count` points of one scrambled sequence, shifted as a whole by a random vector, mod 1.

    The sequence is computed once; the shift gives each search other points.
    """
    return np.asarray((_sequence(count, dimensions, seed) + rng.random(dimensions)) % 1.0)


def sobol_design(count: int, dimensions: int, *, seed: int) -> FloatArray:
    """The first `count` points of the scrambled sequence of this seed."""
    return _sequence(count, dimensions, seed)


@lru_cache(maxsize=8)
def _sequence(count: int, dimensions: int, seed: int) -> FloatArray:
    from scipy.stats import qmc  # noqa: PLC0415 - half a second of imports, only when it is needed

    power = max(0, math.ceil(math.log2(max(count, 1))))
    engine = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(seed))
    points = np.asarray(engine.random_base2(power), dtype=np.float64)[:count]
    points.flags.writeable = False
    return points
