"""Problems in which few of many variables matter: the others are integers without any effect.

- `f01-d05` to `f24-d05`: bbob-mixint's functions of five variables among ten idle integers of 16
  values, in an order that is shuffled. Instances are COCO's.
- `valleys`: two of fifteen integers matter, (u − a)² + (v − b)² − 0.3 cos 9(u + v − a − b) with u
  and v as shares of their range: beside the best valley there are others. The instance is a seed.

Nobody tells an optimiser which variables are idle. The measure is the area as of `coco`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from experiments.dimension import integer
from experiments.suite import coco
from experiments.suite.problems import Case, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from experiments.dimension import Params

SET = "idle"
MATTERING, IDLE, LARGEST = 5, 10, 15
EVALUATIONS = 5 * (MATTERING + IDLE)
FUNCTIONS = tuple(coco.problem_name(function, MATTERING) for function in coco.FUNCTIONS)
VALLEYS = "valleys"
NAMES = (*FUNCTIONS, VALLEYS)
VALLEYS_EVALUATIONS, VALLEYS_VARIABLES, VALLEYS_LARGEST = 50, 15, 30


def cases(problems: Iterable[str], instances: Iterable[int]) -> list[Case]:
    """An instance at a time through all the problems."""
    problems = tuple(problems)
    return [Case(SET, problem, instance) for instance in instances for problem in problems]


def load(case: Case) -> Problem:
    """The same problem for every optimiser."""
    if case.problem == VALLEYS:
        valleys = Valleys(case.instance)
        return Problem(valleys.dimensions, valleys, [0.0] * VALLEYS_EVALUATIONS, 0.0)
    target = AmongIdle(case)
    return Problem(target.dimensions, target, [0.0] * EVALUATIONS, 0.0)


class AmongIdle:
    """A problem of COCO's whose variables stand among others that it doesn't look at."""

    def __init__(self, case: Case) -> None:
        self._inner = coco.CocoTarget(case)
        idle = [integer(f"idle{i + 1}", 0, LARGEST) for i in range(IDLE)]
        dimensions = [*self._inner.dimensions, *idle]
        function, _ = coco.function_and_dimension(case.problem)
        order = np.random.default_rng([function, case.instance]).permutation(len(dimensions))
        self.dimensions = tuple(dimensions[i] for i in order)

    def __call__(self, params: Params) -> float:
        return self._inner(params)

    def distance(self, params: Params) -> float:
        return self._inner.distance(params)


class Valleys:
    """Two integers of many, and a cosine across their bowl."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        names = [f"x{i + 1}" for i in range(VALLEYS_VARIABLES)]
        self._mattering = [names[i] for i in rng.choice(VALLEYS_VARIABLES, 2, replace=False)]
        self._best = rng.integers(3, VALLEYS_LARGEST - 2, 2)
        self.dimensions = tuple(integer(name, 0, VALLEYS_LARGEST) for name in names)

    def __call__(self, params: Params) -> float:
        chosen = np.array([params[name] for name in self._mattering])
        u, v = (chosen - self._best) / VALLEYS_LARGEST
        return float(u * u + v * v - 0.3 * math.cos(9.0 * (u + v)))

    def distance(self, params: Params) -> float:
        return self(params) + 0.3
