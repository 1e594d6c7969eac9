"""COCO's bbob-mixint: 24 functions of integers and reals, in instances; package coco-experiment.

Four fifths of the variables are integers of 2, 4, 8 or 16 values, the rest reals in [−5, 5]. The
measure of a run is the share of 51 targets f − f* from 10² to 10⁻⁸, log-uniform, that is reached,
averaged over its evaluations: the area under the curve of targets reached.

The suite doesn't tell f*. It does write where the optimum is, to a file in the working directory
(`_best_parameter`), and f* is the value there; the suite's own `final_target_hit`, which is true
below f* + 10⁻⁸, has to agree.
"""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.dimension import Dimension
from experiments.suite.problems import Case, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from experiments.dimension import Params

SET = "coco"
DIMENSIONS = (5, 10, 20)
FUNCTIONS = tuple(range(1, 25))
INSTANCES = tuple(range(1, 11))
EVALUATIONS_PER_DIMENSION = 10
TARGETS = 10.0 ** np.linspace(2, -8, 51)
OPTIMUM_FILE = "._bbob_problem_best_parameter.txt"


class InstanceRefused(ValueError):
    """An instance that is kept for checks from outside."""


def cases(
    dimensions: Iterable[int], functions: Iterable[int], instances: Iterable[int]
) -> list[Case]:
    """An instance at a time through all the functions: what is unfinished is still balanced."""
    functions = tuple(functions)
    return [
        Case(SET, problem_name(function, dimension), _allowed(instance))
        for dimension in dimensions
        for instance in instances
        for function in functions
    ]


def problem_name(function: int, dimension: int) -> str:
    return f"f{function:02d}-d{dimension:02d}"


def function_and_dimension(problem: str) -> tuple[int, int]:
    """The inverse of `problem_name`."""
    function, dimension = problem.split("-")
    return int(function[1:]), int(dimension[1:])


def load(case: Case) -> Problem:
    """The problem of the suite; a fresh target for each run."""
    target = CocoTarget(case)
    evaluations = EVALUATIONS_PER_DIMENSION * len(target.dimensions)
    return Problem(target.dimensions, target, [0.0] * evaluations, noise_variance=0.0)


class CocoTarget:
    """One problem of the suite; each point is evaluated once, as its values are exact."""

    def __init__(self, case: Case) -> None:
        self._coco, self._minimum = _problem(case.problem, _allowed(case.instance))
        self._values: dict[tuple[float, ...], float] = {}
        low, high = self._coco.lower_bounds, self._coco.upper_bounds
        self.dimensions = tuple(
            Dimension(f"x{i + 1}", low[i], high[i], i < self._coco.number_of_integer_variables)
            for i in range(self._coco.dimension)
        )

    def __call__(self, params: Params) -> float:
        point = tuple(float(params[d.name]) for d in self.dimensions)
        if point not in self._values:
            self._values[point] = float(self._coco(np.array(point)))
        return self._values[point]

    def distance(self, params: Params) -> float:
        return max(self(params) - self._minimum, 0.0)


def area(best_so_far: Sequence[float]) -> float:
    """The share of the targets reached, averaged over the evaluations."""
    return float(np.mean(np.asarray(best_so_far)[:, None] <= TARGETS))


def _allowed(instance: int) -> int:
    if instance not in INSTANCES:
        raise InstanceRefused(
            f"bbob-mixint instance {instance}: only 1 to {INSTANCES[-1]} may be run; "
            "the others are kept for checks from outside."
        )
    return instance


@lru_cache(maxsize=4)
def _problem(name: str, instance: int) -> tuple[Any, float]:
    """The suite's problem and f*."""
    import cocoex  # noqa: PLC0415  only this set needs it

    function, dimension = function_and_dimension(name)
    suite = cocoex.Suite(
        "bbob-mixint",
        f"instances: {_allowed(instance)}",
        f"dimensions: {dimension} function_indices: {function}",
    )
    problem = suite[0]
    minimum = float(problem(_optimum(problem)))
    if (problem.id_function, problem.id_instance) != (function, instance):
        raise RuntimeError(f"{problem.id}: asked for {name}, instance {instance}.")
    if not problem.final_target_hit:
        raise RuntimeError(f"{problem.id}: f* is not the value at the suite's own optimum.")
    return problem, minimum


def _optimum(problem: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Where the optimum is; the suite writes it to the working directory, under a fixed name."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            problem._best_parameter("print")
            text = Path(OPTIMUM_FILE).read_text(encoding="utf-8")
        finally:
            os.chdir(before)
    return np.array(text.split(), dtype=float)
