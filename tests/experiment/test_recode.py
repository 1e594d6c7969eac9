"""Points of an earlier declaration in the cube of the present one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spearmint_int.analysis.optimum import certificate, optimum_draws
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import ChooserOptions, Observations, Problem, fit, recommend, suggest
from spearmint_int.experiment.recode import recoded
from spearmint_int.kernels import InputWarp
from spearmint_int.sampling._chain import warp_inputs
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int, Variable


def moved(value: Any, old: Variable, new: Variable) -> list[float]:
    earlier, space = Space({"v": old}), Space({"v": new})
    return [float(u) for u in recoded(earlier.encode({"v": value}), earlier, space, {})]


@pytest.mark.parametrize(
    ("value", "old", "new"),
    [
        (3, Int(1, 12), Int(1, 20)),
        (3, Int(1, 12), Int(-5, 4)),
        (0.25, Float(0, 1), Float(-1, 3)),
        (0.01, Float(1e-4, 1, log=True), Float(1e-6, 10, log=True)),
        (0.5, Float(0.1, 1), Float(0.1, 1, log=True)),
        ("b", Enum(list("abc")), Enum(list("cbad"))),
        (7, Int(7, 7), Int(1, 12)),
        (64, Int(16, 1024, base=2), Int(1, 2048, base=2)),
        (64, Int(1, 100), Int(1, 1000, log=True)),
        (6, Int(0, 10, step=2), Int(0, 20)),
    ],
)
def test_a_value_within_the_new_bounds_has_its_own_place(
    value: Any, old: Variable, new: Variable
) -> None:
    assert moved(value, old, new) == pytest.approx(new.encode(value))


@pytest.mark.parametrize(
    ("value", "old", "new", "place"),
    [
        (12, Int(1, 12), Int(1, 10), 11.5 / 10),
        (1, Int(1, 12), Int(3, 12), -1.5 / 10),
        (1.0, Float(0, 1), Float(0, 0.5), 2.0),
        (5, Int(1, 12), Int(3, 3), 2.5),
        (1024, Int(16, 1024, base=2), Int(16, 256, base=2), 6.5 / 5),
        (0.5, Float(0, 1), Float(0.25, 0.25), 1.25),
    ],
)
def test_a_value_beyond_the_new_bounds_lies_outside_and_T_leaves_it_there(
    value: Any, old: Variable, new: Variable, place: float
) -> None:
    space = Space({"v": new})
    u = np.array(moved(value, old, new))
    assert u == pytest.approx([place])
    assert space.snap(u) == pytest.approx([place])
    assert not space.inside(u[np.newaxis, :])[0]


def test_an_integer_beyond_a_log_scale_lies_outside_and_T_leaves_it_there() -> None:
    space = Space({"v": Int(1, 10, log=True)})
    u = np.array(moved(100, Int(1, 1000), Int(1, 10, log=True)))
    assert u[0] > 1.5
    assert space.snap(u).tolist() == u.tolist()


def test_an_integer_between_the_new_steps_has_no_place() -> None:
    assert np.isnan(moved(5, Int(0, 10), Int(0, 10, step=2))).all()


@pytest.mark.parametrize(
    ("value", "new"),
    [
        (13, Int(14, 30, step=2)),
        (11, Int(4, 10, step=3)),
        (15, Int(16, 64, base=2)),
        (70, Int(16, 64, base=2)),
    ],
)
def test_an_integer_right_beyond_the_new_bounds_is_not_taken_for_the_nearest(
    value: int, new: Int
) -> None:
    assert np.isnan(moved(value, Int(1, 100), new)).all()


def test_an_unrounded_point_is_that_of_its_own_option() -> None:
    earlier = Space({"v": Enum(list("abc"))})
    unrounded = np.array([0.3, 0.7, 0.1])  # b, as the basic treatment keeps it
    assert np.isnan(recoded(unrounded, earlier, Space({"v": Enum(list("ac"))}), {})).all()
    assert recoded(unrounded, earlier, Space({"v": Enum(list("ba"))}), {}).tolist() == [0.7, 0.3]


def test_an_option_that_is_gone_has_no_place() -> None:
    assert np.isnan(moved("c", Enum(list("abc")), Enum(list("ab")))).all()


def test_a_new_variable_has_the_value_that_the_config_gives() -> None:
    earlier, space = Space({"x": Float(0, 1)}), Space({"k": Int(0, 4), "x": Float(0, 1)})
    u = recoded(np.array([0.25]), earlier, space, {"k": 3})
    assert space.decode(u) == {"k": 3, "x": 0.25}


def test_vectors_are_recoded_element_by_element() -> None:
    earlier = Space({"w": Int(0, 4, size=2), "x": Float(0, 1)})
    space = Space({"w": Int(0, 9, size=2), "x": Float(0, 1)})
    u = recoded(earlier.encode({"w": [1, 4], "x": 0.5}), earlier, space, {})
    assert space.decode(u) == {"w": [1, 4], "x": 0.5}


def observed(space: Space, points: list[list[float]], values: list[float]) -> Problem:
    data = Observations.of(np.array(points), np.array(values))
    options = ChooserOptions(likelihood="NOISELESS", samples=4, burn_in=30)
    return Problem(space, data, options=options, seed=1)


def test_results_beyond_the_bounds_inform_the_model_and_are_never_suggested() -> None:
    """The slope that they show leads to the edge that is nearest to them."""
    space = Space({"x": Float(0, 1), "k": Int(0, 9)})
    points = [[x, 0.55] for x in (1.2, 1.4, 1.6, 1.8, 2.0)]
    problem = observed(space, points, [1.2, 1.0, 0.8, 0.6, 0.4])
    for suggestion in suggest(problem, 3).suggestions:
        assert space.inside(suggestion.point[np.newaxis, :])[0]
    found = recommend(problem)
    assert found is not None
    assert found.params["x"] > 0.5


def test_results_beyond_the_bounds_do_not_use_up_a_space_of_integers() -> None:
    space = Space({"k": Int(0, 2)})
    problem = observed(space, [[1.5], [1.8], [2.2]], [1.0, 2.0, 3.0])
    assert len(suggest(problem, 3).suggestions) == 3


def test_a_fixed_variable_still_explains_results_that_differ_in_it() -> None:
    space = Space({"x": Float(0, 1), "k": Int(3, 3)}, also_varying=frozenset({"k"}))
    assert space.groups == ((0,), (1,))
    rows = [[0.2, 0.5], [0.6, 0.5], [0.2, 2.5], [0.6, 2.5]]
    problem = observed(space, rows, [0.0, 1.0, 10.0, 11.0])
    found = recommend(problem)
    assert found is not None
    assert found.mean < 2.0
    assert found.params["k"] == 3


def test_a_warp_leaves_results_beyond_the_bounds_where_they_are() -> None:
    Z = np.array([[-0.3], [0.0], [0.5], [1.0], [1.7]])
    warped = InputWarp((0,), (2.0,), (3.0,)).apply(Z)[:, 0]
    assert np.all(np.diff(warped) > 0.0)
    assert warped[[0, 1, 3, 4]].tolist() == [-0.3, 0.0, 1.0, 1.7]
    assert np.allclose(warp_inputs(Z[:, 0].copy(), 2.0, 3.0), warped, atol=1e-12)


def test_both_forms_of_the_warp_agree_next_to_the_bounds() -> None:
    u = np.array([1e-300, 1e-12, 1e-9, 1.0 - 1e-9, 1.0 - 2.0**-53])
    warped = InputWarp((0,), (0.1,), (10.0,)).apply(u[:, np.newaxis])[:, 0]
    assert np.allclose(warp_inputs(u, 0.1, 10.0), warped, rtol=1e-12)


@pytest.mark.parametrize("likelihood", ["NOISELESS", "GAUSSIAN"])
def test_a_better_result_beyond_the_bounds_does_not_end_the_search_within_them(
    likelihood: str,
) -> None:
    """As the incumbent it left nothing to be improved, and the search went where it knew least."""
    space, rng = Space({"x": Float(0, 1), "y": Float(0, 1)}), np.random.default_rng(0)
    outside = np.column_stack([rng.uniform(-0.5, -0.1, 10), rng.uniform(0.2, 0.8, 10)])
    points = np.vstack([outside, rng.random((3, 2))])
    options = ChooserOptions(likelihood=likelihood, samples=5, burn_in=50)
    for _ in range(15):
        problem = Problem(space, Observations.of(points, two_wells(points)), options=options)
        points = np.vstack([points, suggest(problem).suggestions[0].point])
    assert np.min(two_wells(points[10:])) < -0.99


def two_wells(points: FloatArray) -> FloatArray:
    """−2 beyond the bounds, at (−0.3, 0.5), and −1 within them, at (0.7, 0.3)."""
    beyond, within = np.sum((points - [-0.3, 0.5]) ** 2, 1), np.sum((points - [0.7, 0.3]) ** 2, 1)
    return np.asarray(-2.0 * np.exp(-beyond / 0.05) - np.exp(-within / 0.05))


def test_with_results_beyond_the_bounds_alone_the_model_is_unsure_of_the_optimum() -> None:
    space = Space({"x": Float(0, 1)})
    problem = observed(space, [[-x] for x in np.linspace(0.1, 0.9, 8)], [-5.0] * 4 + [-4.0] * 4)
    assert space.inside(suggest(problem).suggestions[0].point[np.newaxis, :])[0]
    draws = optimum_draws(fit(problem, problem.rng()), np.random.default_rng(0))
    assert certificate(draws).bound > 0.1


def test_two_spaces_that_differ_in_what_has_varied_are_no_longer_one_problem() -> None:
    variables: dict[str, Variable] = {"x": Float(0, 1), "k": Int(3, 3)}
    data = Observations.of(np.array([[0.2, 0.5], [0.4, 1.5]]), np.array([1.0, 2.0]))
    plain, also = Space(variables), Space(variables, also_varying=frozenset({"k"}))
    assert Problem(plain, data).fingerprint != Problem(also, data).fingerprint
