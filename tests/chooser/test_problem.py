"""What was evaluated, on its way to the model."""

from __future__ import annotations

import numpy as np
import pytest

from spearmint_int import Optimizer
from spearmint_int.chooser import Observations, Problem
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int


@pytest.mark.parametrize(
    ("points", "values", "text"),
    [((3, 2), 2, r"main must be \[3\]"), ((3,), 3, r"points must be \[n, D\]")],
)
def test_points_and_values_must_fit(points: tuple[int, ...], values: int, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Observations.of(np.zeros(points), np.zeros(values))


def test_finite_results_are_counted() -> None:
    space = Space({"x": Float(0, 1)})
    observations = Observations.of(np.zeros((3, 1)), np.array([1.0, np.nan, np.inf]))
    assert Problem(space, observations).finite == 1
    assert Problem(space, Observations.none(1)).finite == 0
    assert Observations.none(4).points.shape == (0, 4)


def test_a_problem_has_the_values_of_every_task_and_models_the_objective() -> None:
    space, tasks = Space({"x": Float(0, 1)}), {"loss": np.array([1.0]), "size": np.array([9.0])}
    observations = Observations(np.zeros((1, 1)), tasks, np.array([2.5]), np.array([True]))
    problem = Problem(space, observations, objective="loss")
    assert problem.values.tolist() == [1.0]
    assert problem.observations.values["size"].tolist() == [9.0]


def test_a_problem_has_the_fingerprint_that_stored_jobs_know_it_by() -> None:
    """It is of what variables and options show: with another repr no old job is replayed."""
    variables = {
        "x": Float(0.01, 1, log=True),
        "k": Int(1, 9, step=4),
        "j": Int(1, 8, base=2),
        "e": Enum(["a", 2], size=2),
    }
    asked = Optimizer(variables, seed=3, likelihood="NOISELESS")
    assert asked.problem().fingerprint == "af6b509ac300171a"
