"""Constraints: what is suggested and recommended where some tasks have to be at least 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from spearmint_int.acquisition import ACQUISITIONS
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import (
    FEASIBILITY,
    ChooserOptions,
    Constraint,
    Observations,
    Problem,
    Suggestion,
    recommend,
    suggest,
)
from spearmint_int.chooser.fitted import fit, fit_for_search
from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int, Params

QUICK = ChooserOptions(samples=4, burn_in=20, candidates=300)
NOISELESS = replace(QUICK, likelihood="NOISELESS")
BOTH = pytest.mark.parametrize("options", [QUICK, NOISELESS], ids=["gaussian", "noiseless"])
ELEVEN = Space({"k": Int(0, 10)})
LATTICE = Space({"a": Int(0, 11), "b": Int(0, 11)})
MIXED = Space({"x": Float(-5, 10), "n": Int(0, 15)})

Functions = Mapping[str, Callable[[Params], float]]


def branin(p: Params) -> float:
    x, n = p["x"], p["n"]
    return float((n - 0.129 * x * x + 1.6 * x - 6) ** 2 + 9.6 * math.cos(x) + 10)


def observations(points: FloatArray, values: Mapping[str, list[float]]) -> Observations:
    columns = {task: np.array(column, dtype=np.float64) for task, column in values.items()}
    return Observations(
        points, columns, np.full(len(points), np.nan), np.ones(len(points), dtype=np.bool_)
    )


def problem_of(
    space: Space, points: FloatArray, values: Mapping[str, list[float]], options: ChooserOptions
) -> Problem:
    """The first task is the objective, the others are constraints."""
    objective, *others = values
    constraints = tuple(Constraint(task, options.likelihood) for task in others)
    known = observations(points, values)
    return Problem(space, known, options=options, objective=objective, constraints=constraints)


def run(
    space: Space, functions: Functions, evaluations: int, options: ChooserOptions
) -> tuple[list[Suggestion], Problem]:
    """A whole optimisation, and the problem at its end."""
    problem = problem_of(
        space, np.empty((0, space.dimensions)), {task: [] for task in functions}, options
    )
    made: list[Suggestion] = []
    for _ in range(evaluations):
        answer = suggest(problem)
        made += answer.suggestions
        values = {task: [function(s.params) for s in made] for task, function in functions.items()}
        known = observations(np.array([s.point for s in made]), values)
        problem = replace(problem, observations=known, chain=answer.chain)
    return made, problem


def best_fulfilling(problem: Problem) -> float:
    return float(np.min(problem.values, where=problem.fulfilled, initial=np.inf))


def acquisitions(made: list[Suggestion]) -> list[str | None]:
    return [s.provenance.to_json().get("acquisition") for s in made]


# --- what is found --------------------------------------------------------------------------------


@BOTH
def test_the_best_of_a_lattice_that_fulfils_two_constraints_is_found(
    options: ChooserOptions,
) -> None:
    """Right at the limit of one: a + b is 13 there, where it may not be more."""
    functions: Functions = {
        "f": lambda p: (p["a"] - 10) ** 2 + (p["b"] - 9) ** 2 + 3 * math.sin(p["a"] * p["b"] / 9),
        "sum": lambda p: 13 - p["a"] - p["b"],
        "least": lambda p: p["a"] - 0.8 * p["b"],
    }
    cells = [LATTICE.decode(u) for u in LATTICE.lattice()]
    fulfilling = [p for p in cells if functions["sum"](p) >= 0 and functions["least"](p) >= 0]
    least = min(functions["f"](p) for p in fulfilling)
    _, problem = run(LATTICE, functions, 25, options)
    assert best_fulfilling(problem) == least


def test_the_best_of_a_mixed_space_within_a_disc_is_found_and_recommended() -> None:
    functions: Functions = {
        "f": branin,
        "disc": lambda p: 0.5 - (p["x"] - 7) ** 2 - (p["n"] - 13) ** 2,
    }
    best = branin({"x": 7 + math.sqrt(0.5), "n": 13})
    made, problem = run(MIXED, functions, 25, NOISELESS)
    assert best_fulfilling(problem) == pytest.approx(best, abs=0.1)
    assert acquisitions(made)[2] == FEASIBILITY
    assert acquisitions(made)[-1] == "ei"
    found = recommend(problem)
    assert found is not None
    assert functions["disc"](found.params) >= 0
    assert found.mean == pytest.approx(best, abs=0.1)
    assert found.constraints["disc"] > 0.9


@pytest.mark.parametrize("always", [lambda _: 5.0, lambda p: 1.0 + p["x"] ** 2])
def test_a_constraint_that_always_holds_costs_next_to_nothing(
    always: Callable[[Params], float],
) -> None:
    _, free = run(MIXED, {"f": branin}, 20, NOISELESS)
    made, bound = run(MIXED, {"f": branin, "c": always}, 20, NOISELESS)
    assert best_fulfilling(bound) < best_fulfilling(free) + 0.2
    assert FEASIBILITY not in acquisitions(made)


@BOTH
def test_where_nothing_holds_the_likeliest_places_are_tried_and_one_is_recommended(
    options: ChooserOptions,
) -> None:
    made, problem = run(MIXED, {"f": branin, "c": lambda p: -1.0 - p["x"] ** 2}, 8, options)
    assert acquisitions(made)[2:] == [FEASIBILITY] * 6
    assert all(0.0 <= s.provenance.to_json()["value"] <= 1.0 for s in made[2:])
    found = recommend(problem)
    assert found is not None
    assert "nowhere is the model sure enough" in found.note
    assert found.note in str(found)
    assert found.constraints["c"] < 0.99


# --- one answer -----------------------------------------------------------------------------------


@BOTH
def test_a_constraint_that_is_not_a_number_leaves_the_other_numbers_standing(
    options: ChooserOptions,
) -> None:
    points = ELEVEN.lattice()
    nan = math.nan
    values = {
        "f": [float(k) for k in range(11)],
        "low": [nan, -2.0, -1.0, 0.5, 1.0, 2.0, 3.0, nan, 5.0, 6.0, 7.0],
        "high": [9.0, 8.0, 7.0, nan, 5.0, 4.0, 3.0, 2.0, 1.0, -1.0, nan],
    }
    model = fit(problem := problem_of(ELEVEN, points, values, options), problem.rng())
    assert len(model.data.X) == 11
    assert [len(c.ensemble.posteriors[0].X) for c in model.constraints.values()] == [9, 9]
    assert model.feasibility is None
    found = recommend(problem)
    assert found is not None
    assert found.params["k"] in (3, 4)


def test_a_constraint_without_any_number_is_no_constraint_yet() -> None:
    values = {"f": [3.0, 1.0, 2.0], "c": [math.nan] * 3}
    problem = problem_of(ELEVEN, ELEVEN.lattice()[:3], values, NOISELESS)
    assert suggest(problem).suggestions[0].provenance.to_json()["acquisition"] == "ei"
    assert recommend(problem) is not None


@BOTH
def test_a_failure_of_the_objective_leaves_the_constraint_standing(
    options: ChooserOptions,
) -> None:
    values = {"f": [3.0, math.nan, 1.0, 2.0, math.nan], "c": [1.0, 0.5, 2.0, -1.0, -2.0]}
    problem = problem_of(ELEVEN, ELEVEN.lattice()[[0, 2, 4, 6, 8]], values, options)
    model = fit_for_search(problem, problem.rng())
    assert model.feasibility is not None
    assert len(model.constraints["c"].ensemble.posteriors[0].X) == 5


@BOTH
def test_the_incumbent_is_the_best_of_what_holds(options: ChooserOptions) -> None:
    values = {"f": [9.0, 7.0, 8.0, 1.0, 0.0], "c": [5.0, 4.0, 3.0, -3.0, -5.0]}
    problem = problem_of(ELEVEN, ELEVEN.lattice()[[0, 2, 4, 8, 10]], values, options)
    model = fit_for_search(problem, problem.rng())
    assert model.feasible_rows.tolist() == [True, True, True, False, False]
    shift, scale = model.ensemble.output_units
    incumbents = model.scale.undo(shift[..., 0] + scale[..., 0] * model.ensemble.incumbents)
    assert np.all(incumbents > 5.0)
    assert model.anchors[:3, 0].tolist() == ELEVEN.lattice()[[2, 4, 0], 0].tolist()


@BOTH
def test_a_value_of_0_fulfils_a_constraint(options: ChooserOptions) -> None:
    values = {"f": [4.0, 3.0, 2.0, 1.0, 0.0], "c": [4.0, 2.0, 0.0, -2.0, -4.0]}
    problem = problem_of(ELEVEN, ELEVEN.lattice()[:10:2], values, options)
    assert problem.fulfilled.tolist() == [True, True, True, False, False]
    assert fit_for_search(problem, problem.rng()).feasible_rows[2]


@pytest.mark.parametrize("name", sorted(ACQUISITIONS.built_in))
def test_every_acquisition_takes_constraints_into_account(name: str) -> None:
    """All that is good violates the constraint by far."""
    values = {"f": [9.0, 8.0, 7.0, 3.0, 1.0, 0.0], "c": [9.0, 9.0, 9.0, -9.0, -9.0, -9.0]}
    points = ELEVEN.lattice()[[0, 2, 4, 6, 8, 10]]
    problem = problem_of(ELEVEN, points, values, replace(NOISELESS, acquisition=name))
    assert suggest(problem).suggestions[0].params["k"] <= 5


@BOTH
@pytest.mark.parametrize("offset", [0.0, 20.0], ids=["some hold", "none holds"])
def test_points_under_way_are_not_chosen_again_and_those_of_a_batch_differ(
    options: ChooserOptions, offset: float
) -> None:
    rng = np.random.default_rng(0)
    points = MIXED.snap(rng.random((8, 2)))
    values = {
        "f": [branin(MIXED.decode(u)) for u in points],
        "c": [10.0 * u[0] - 5.0 - offset for u in points],
    }
    problem = problem_of(MIXED, points, values, options)
    first = suggest(problem).suggestions[0]
    assert (acquisitions([first])[0] == FEASIBILITY) == (offset > 0)
    then = suggest(problem.after(first.point, None), 4).suggestions
    all_points = np.array([first.point, *(s.point for s in then)])
    apart = np.abs(all_points[:, np.newaxis] - all_points).max(axis=-1)
    assert np.min(apart[~np.eye(5, dtype=bool)]) > 1e-3


@pytest.mark.parametrize("factor", [1e-300, 1.0, 1e300])
def test_a_constraint_may_be_of_any_size(factor: float) -> None:
    values = {"f": [4.0, 3.0, 2.0, 1.0, 0.0], "c": [factor * c for c in (5, 3, 1, -1, -3)]}
    problem = problem_of(ELEVEN, ELEVEN.lattice()[:10:2], values, NOISELESS)
    model = fit_for_search(problem, problem.rng())
    assert model.feasible_rows.tolist() == [True, True, True, False, False]


def test_a_penalty_in_place_of_a_constraint_leaves_its_edge_where_it_is() -> None:
    points = ELEVEN.lattice()[[0, 1, 2, 3, 4, 6, 8, 10]]
    values = {"f": [8.0 - k for k in range(8)], "c": [4.0, 3.0, 2.0, 1.0, -1.0, -1e9, -1e9, -1e9]}
    model = fit(problem := problem_of(ELEVEN, points, values, NOISELESS), problem.rng())
    hold = [model.probabilities(u)["c"] for u in ELEVEN.lattice()]
    assert min(hold[:4]) > 0.9
    assert max(hold[4:]) < 0.1


def test_the_number_0_is_where_it_was_for_the_model_of_a_constraint() -> None:
    """Not at the mean, which is far on one side."""
    values = {"f": [0.0] * 6, "c": [10.0, 11.0, 12.0, 11.0, 10.0, 12.0]}
    model = fit(problem := problem_of(ELEVEN, ELEVEN.lattice()[:6], values, QUICK), problem.rng())
    assert model.probabilities(ELEVEN.lattice()[10])["c"] > 0.95


# --- the problem ----------------------------------------------------------------------------------


def test_the_fingerprint_is_another_with_constraints_and_with_their_values() -> None:
    values = {"f": [3.0, 1.0, 2.0], "c": [1.0, 2.0, 3.0]}
    bound = problem_of(ELEVEN, ELEVEN.lattice()[:3], values, NOISELESS)
    free = replace(bound, constraints=())
    surer = replace(bound, constraints=(Constraint("c", "NOISELESS", 0.5),))
    other = problem_of(ELEVEN, ELEVEN.lattice()[:3], values | {"c": [1.0, 2.0, 4.0]}, NOISELESS)
    assert len({p.fingerprint for p in (bound, free, surer, other)}) == 4


def test_numbers_that_are_no_constraints_are_not_in_the_fingerprint() -> None:
    points, values = ELEVEN.lattice()[:3], {"main": [3.0, 1.0, 2.0]}
    one, two = (observations(points, v) for v in (values, values | {"c": [1.0, 2.0, 3.0]}))
    assert Problem(ELEVEN, one).fingerprint == Problem(ELEVEN, two).fingerprint


def test_a_constraint_that_can_not_be_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="BINOMIAL"):
        Constraint("c", "BINOMIAL")
    with pytest.raises(SpearmintError, match="above 0 and below 1, got 1"):
        Constraint("c", min_confidence=1.0)
    with pytest.raises(SpearmintError, match="must have a name"):
        Constraint("")


@BOTH
@pytest.mark.parametrize(
    "lacking",
    [[-0.3, -0.30000000000000004, -0.3], [-1000.0, -1000.001, -1000.002], [-1.7e308] * 3],
    ids=["rounding", "nearly constant", "largest"],
)
def test_a_constraint_that_is_far_from_holding_spoils_no_suggestion(
    options: ChooserOptions, lacking: list[float]
) -> None:
    points = np.array([[0.1, 0.2], [0.5, 0.4], [0.9, 0.7]])
    problem = problem_of(MIXED, points, {"f": [1.0, 2.0, 3.0], "c": lacking}, options)
    answer = suggest(problem, 3)
    assert acquisitions(list(answer.suggestions)) == [FEASIBILITY] * 3
    assert recommend(problem) is not None


def test_under_noise_a_place_that_is_known_to_violate_a_constraint_is_not_gone_back_to() -> None:
    """Of three cells that are all known, the best is the only one that is not allowed."""
    noise = np.random.default_rng(0).standard_normal(12).tolist()
    functions: Functions = {"f": lambda p: p["k"] + 0.1 * noise.pop(), "c": lambda p: p["k"] - 0.9}
    space, told = Space({"k": Int(0, 2)}), list[Params]()
    values: dict[str, list[float]] = {task: [] for task in functions}
    for _ in range(10):
        points = np.array([space.encode(p) for p in told]).reshape(-1, 1)
        told += [s.params for s in suggest(problem_of(space, points, values, QUICK)).suggestions]
        for task, function in functions.items():
            values[task].append(function(told[-1]))
    assert [p["k"] for p in told].count(0) <= 3


@BOTH
def test_what_is_recommended_holds_as_it_is_rounded(options: ChooserOptions) -> None:
    functions: Functions = {
        "f": lambda p: (p["x"] - 4) ** 2 + (p["n"] - 6) ** 2,
        "sum": lambda p: 7 - p["x"] - p["n"],
    }
    space = Space({"x": Float(0, 4), "n": Int(0, 6)})
    _, problem = run(space, functions, 12, replace(options, treatment="naive"))
    found = recommend(problem)
    assert found is not None
    assert found.constraints["sum"] >= 0.99


@BOTH
def test_where_there_is_no_hope_the_constraints_are_missed_by_least(
    options: ChooserOptions,
) -> None:
    space = Space({"x": Float(0, 4), "n": Int(0, 6)})
    points = space.snap(np.random.default_rng(0).random((10, 2)))
    places = [space.decode(u) for u in points]
    values = {
        "main": [(p["x"] - 4) ** 2 + (p["n"] - 6) ** 2 for p in places],
        "sum": [-50.0 - p["x"] - p["n"] for p in places],
        "enough": [p["x"] - 1.0 for p in places],
    }
    found = recommend(problem_of(space, points, values, options))
    assert found is not None
    assert "missed by least" in found.note
    assert found.params["n"] <= 1
    assert found.params["x"] == pytest.approx(1.0, abs=0.6)
