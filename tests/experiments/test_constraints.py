"""The problems with constraints: their best is where it is said to be, and is just allowed."""

from __future__ import annotations

import math

import pytest

from experiments.constraints import PROBLEMS
from experiments.dimension import Params

HEIGHT = (48.0 / 460.0 * 5.0 / 3.0) ** (1 / 3)
BEST: dict[str, Params] = {
    "bridge": {"beams": 3, "steel": 1, "height": HEIGHT, "width": HEIGHT / 5.0},
    "sum": {"a": 3, "b": -4, "c": 7, "x": 1.2, "y": -2.3},
    "disc": {"x": 7.0 + math.sqrt(0.5), "n": 13},
    "vessel": {"shell": 13, "head": 7, "radius": 42.098446, "length": 176.636596},
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_best_of_a_problem_is_at_the_edge_of_what_is_allowed(name: str) -> None:
    problem, best = PROBLEMS[name], BEST[name]
    assert problem.distance(best) == pytest.approx(0.0, abs=1e-7)
    edges = [constraint(best) for constraint in problem.constraints.values()]
    assert min(map(abs, edges)) == pytest.approx(0.0, abs=1e-6)
    assert min(edges) > -1e-6


def test_what_a_constraint_forbids_is_not_allowed() -> None:
    assert PROBLEMS["sum"].allows(BEST["sum"])
    assert not PROBLEMS["sum"].allows(BEST["sum"] | {"a": 4})
