"""Test functions that everybody knows, with every second input an integer, in 6 and 10 dimensions.

Several valleys, a curved one, and a slope that leads away from the best: what bbob-mixint has among
much else, here with few integers beside many, and with budgets as people have them. The integers
stand for evenly spaced values of the input. Where the best lies is drawn anew for each repetition,
so that no optimiser gains by looking at the centre, and it can be reached: `distance` is the value
above it. (Of Styblinski and Tang's and Schwefel's, whose integers miss the best, it is the value
above that of reals.) A function that is changed gets another name: results are known by it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from experiments.dimension import Dimension, integer
from experiments.suite.problems import Case, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from experiments.dimension import Params
    from spearmint_int.arrays import FloatArray

SET = "classics"
DIMENSIONS = (6, 10)
EVALUATIONS_PER_DIMENSION = 10
# Of the integers, one after the other: each second input has so many values.
LEVELS = (3, 5, 9, 17, 33)
FAR = 0.8  # a real input's best value lies in this share of its range


@dataclass(frozen=True)
class Classic:
    """A function whose least value is 0, and the range of each of its inputs.

    One that is `centred` has it at the origin, which is moved; the others stay as they are, but
    for a mirror at the centre where they are `mirrored`.
    """

    function: Callable[[FloatArray], float]
    low: float
    high: float
    centred: bool = True
    mirrored: bool = False
    levels: tuple[int, ...] = LEVELS


def _ackley(z: FloatArray) -> float:
    root, waves = math.sqrt(np.mean(z**2)), np.mean(np.cos(2 * np.pi * z))
    return float(20 * (1 - math.exp(-0.2 * root)) + math.e - np.exp(waves))


def _rastrigin(z: FloatArray) -> float:
    return float(np.sum(z**2 + 10 * (1 - np.cos(2 * np.pi * z))))


def _griewank(z: FloatArray) -> float:
    return float(1 + np.sum(z**2) / 4000 - np.prod(np.cos(z / np.sqrt(np.arange(1, len(z) + 1)))))


def _levy(z: FloatArray) -> float:
    """With its least value at the origin instead of at (1, …, 1)."""
    w = 1 + z / 4
    inner = (w[:-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:-1] + 1) ** 2)
    last = (w[-1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[-1]) ** 2)
    return float(np.sin(np.pi * w[0]) ** 2 + np.sum(inner) + last)


def _rosenbrock(z: FloatArray) -> float:
    return float(np.sum(100 * (z[1:] - z[:-1] ** 2) ** 2 + (1 - z[:-1]) ** 2))


def _styblinski_tang(z: FloatArray) -> float:
    return float(np.sum(z**4 - 16 * z**2 + 5 * z) / 2 + 39.16616570377142 * len(z))


def _schwefel(z: FloatArray) -> float:
    return float(418.9828872724339 * len(z) - np.sum(z * np.sin(np.sqrt(np.abs(z)))))


CLASSICS = {
    "ackley": Classic(_ackley, -8, 8),
    "rastrigin": Classic(_rastrigin, -4, 4),
    "griewank": Classic(_griewank, -60, 60),
    "levy": Classic(_levy, -10, 10),
    # The curved valley is lost on a coarse grid: 17 values, and 1 is one of them.
    "rosenbrock": Classic(_rosenbrock, -2, 2, centred=False, levels=(17,)),
    "styblinski-tang": Classic(_styblinski_tang, -5, 5, centred=False, mirrored=True),
    "schwefel": Classic(_schwefel, -500, 500, centred=False, mirrored=True),
}
NAMES = tuple(f"{name}-{d}d" for d in DIMENSIONS for name in CLASSICS)


def cases(names: Iterable[str], repetitions: Iterable[int]) -> list[Case]:
    """A repetition at a time through all the functions."""
    names = tuple(names)
    return [Case(SET, name, repetition=number) for number in repetitions for name in names]


def load(case: Case) -> Problem:
    """The function with its best where this repetition has it; its values are exact."""
    name, _, dimension = case.problem.rpartition("-")
    count = int(dimension.removesuffix("d"))
    mixed = Mixed(CLASSICS[name], count, np.random.default_rng([case.repetition, count]))
    evaluations = EVALUATIONS_PER_DIMENSION * count
    return Problem(mixed.dimensions, mixed, [0.0] * evaluations, noise_variance=0.0)


class Mixed:
    """A function of integers and reals by turns."""

    def __init__(self, classic: Classic, count: int, rng: np.random.Generator) -> None:
        self._classic = classic
        self.dimensions = tuple(_dimension(classic, number) for number in range(count))
        self._best = self._origin(rng) if classic.centred else np.zeros(count)
        self._signs = rng.choice([-1.0, 1.0], size=count) if classic.mirrored else np.ones(count)

    def __call__(self, params: Params) -> float:
        x = np.array([self._value(d, params[d.name]) for d in self.dimensions])
        return self._classic.function(self._signs * x - self._best)

    def distance(self, params: Params) -> float:
        return self(params)

    def _origin(self, rng: np.random.Generator) -> FloatArray:
        """One of the values of each integer, and a real that is not at its bounds."""
        drawn = [
            d.from_uniform(u) if d.integer else FAR * (d.low + u * (d.high - d.low))
            for d, u in zip(self.dimensions, rng.random(len(self.dimensions)), strict=True)
        ]
        return np.array([self._value(d, v) for d, v in zip(self.dimensions, drawn, strict=True)])

    def _value(self, dimension: Dimension, given: float) -> float:
        """What the function sees of an input."""
        if not dimension.integer:
            return float(given)
        share = given / dimension.high
        return self._classic.low + share * (self._classic.high - self._classic.low)


def _dimension(classic: Classic, number: int) -> Dimension:
    if number % 2:
        return Dimension(f"x{number}", classic.low, classic.high)
    levels = classic.levels[number // 2 % len(classic.levels)]
    return integer(f"x{number}", 0, levels - 1)
