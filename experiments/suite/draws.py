"""The paper's synthetic problems, draw by draw, with and without noise."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from experiments.suite.problems import Case, Problem
from experiments.synthetic import PROBLEMS, Objective, draw, noise

if TYPE_CHECKING:
    from collections.abc import Iterable

SET = "paper"
NOISY = "-noisy"
# Evaluations of a run: enough for the best of them to be within 1e-3 in most draws.
EVALUATIONS = {"2d": 30, "4d": 60}
NAMES = tuple(name + suffix for name in EVALUATIONS for suffix in ("", NOISY))


def cases(problems: Iterable[str], draws: Iterable[int]) -> list[Case]:
    """A draw at a time through all the problems."""
    problems = tuple(problems)
    return [Case(SET, problem, instance) for instance in draws for problem in problems]


def load(case: Case) -> Problem:
    """The same draw and the same noise for every optimiser."""
    name = case.problem.removesuffix(NOISY)
    problem, noisy = PROBLEMS[name], case.problem.endswith(NOISY)
    errors = noise(problem, case.instance, EVALUATIONS[name]) * noisy
    return Problem(
        problem.dimensions,
        _objective(name, case.instance),
        errors.tolist(),
        noise_variance=problem.noise_variance * noisy,
        recommended=True,
    )


@lru_cache(maxsize=4)
def _objective(name: str, seed: int) -> Objective:
    return draw(PROBLEMS[name], seed)
