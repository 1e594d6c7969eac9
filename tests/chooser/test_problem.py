"""What was evaluated, on its way to the model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spearmint_int.chooser import Observations, Problem
from spearmint_int.chooser.problem import clean_values
from spearmint_int.space import Space
from spearmint_int.variables import Float


def test_a_failure_gets_the_worst_finite_value() -> None:
    clean = clean_values(np.array([1.0, np.nan, 3.0, np.inf, -np.inf]))
    assert clean.tolist() == [1.0, 3.0, 3.0, 3.0, 3.0]


def test_where_all_failed_all_are_alike() -> None:
    clean = clean_values(np.array([np.nan, np.inf]))
    assert clean.tolist() == [0.0, 0.0]


def test_values_that_are_numbers_are_never_changed() -> None:
    values = np.array([-1e6, 1.0, 2.0, 3.0, 4.0, 5.0])
    assert np.array_equal(clean_values(values), values)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=12))
def test_cleaned_values_are_finite_and_those_that_were_stay(values: list[float]) -> None:
    given = np.array(values, dtype=np.float64)
    clean = clean_values(given)
    finite = np.isfinite(given)
    assert np.all(np.isfinite(clean))
    assert np.array_equal(clean[finite], given[finite])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=12))
def test_the_best_value_survives_cleaning(values: list[float]) -> None:
    given = np.array(values, dtype=np.float64)
    assert np.min(clean_values(given)) == np.min(given)


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
