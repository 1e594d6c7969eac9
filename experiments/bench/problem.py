"""The 4-D mixed problem that everything is timed on: 2 FLOAT, 2 INT, noisy observations."""

from __future__ import annotations

import math

import numpy as np

from experiments.dimension import Dimension, Params
from experiments.ours import space_of
from spearmint_int.chooser import Observations
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int

SIZES = (20, 50, 100, 200, 500, 1000)
NOISE = 0.05
DIMENSIONS = (
    Dimension("x1", 0, 1, integer=False),
    Dimension("x2", 0, 1, integer=False),
    Dimension("x3", 0, 3, integer=True),
    Dimension("x4", 0, 2, integer=True),
)


DIMENSION_COUNTS = (5, 10, 20, 40)  # of the wide problems, half of them integers of 16 values
RESULTS_PER_DIMENSION = 10


def space() -> Space:
    return space_of(DIMENSIONS)


def objective(params: Params, rng: np.random.Generator) -> float:
    """Smooth in the reals, with a valley in the integers."""
    x1, x2, x3, x4 = (float(params[dimension.name]) for dimension in DIMENSIONS)
    smooth = (x1 - 0.3) ** 2 + (x2 - 0.6) ** 2 + 0.3 * math.cos(6 * x1)
    return smooth + 0.2 * (x3 - 2) ** 2 + 0.1 * abs(x4 - 1) + NOISE * rng.standard_normal()


def results(n: int, seed: int = 0) -> list[tuple[Params, float]]:
    """n random points with their values."""
    rng = np.random.default_rng(seed)
    box = space()
    params = [box.decode(u) for u in rng.random((n, box.dimensions))]
    return [(p, objective(p, rng)) for p in params]


def observations(n: int) -> Observations:
    pairs, box = results(n), space()
    return Observations.of(
        np.array([box.encode(params) for params, _ in pairs]), np.array([y for _, y in pairs])
    )


def wide(dimensions: int) -> tuple[Space, Observations]:
    """A bowl with waves on it in many dimensions, and random results."""
    box = Space({f"x{d}": Int(0, 15) if d % 2 else Float(0, 1) for d in range(dimensions)})
    rng = np.random.default_rng(0)
    points = box.snap(rng.random((RESULTS_PER_DIMENSION * dimensions, dimensions)))
    values = np.sum((points - 0.4) ** 2 + 0.1 * np.cos(12 * points), axis=1)
    return box, Observations.of(points, values)
