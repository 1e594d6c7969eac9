"""The unit cube, T and the lattice."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spearmint_int.arrays import FloatArray
from spearmint_int.errors import SpaceError
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int, Params, Variable

# The same examples everywhere: a red build must mean a change, and a busy machine is no failure.
PROPERTY = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


@st.composite
def real_variables(draw: st.DrawFn) -> Float:
    log = draw(st.booleans())
    low = draw(st.floats(1e-6, 1e6) if log else st.floats(-1e6, 1e6))
    width = draw(st.just(0.0) | st.floats(1e-3, 1e6))
    return Float(low, low + width, size=draw(st.integers(1, 3)), log=log)


@st.composite
def integer_variables(draw: st.DrawFn) -> Int:
    scale = draw(st.sampled_from(["linear", "step", "log", "base"]))
    positive = scale in ("log", "base")
    low = draw(st.integers(1, 10**6) if positive else st.integers(-(10**6), 10**6))
    size = draw(st.integers(1, 3))
    if scale == "base":
        base = draw(st.integers(2, 10))
        return Int(low, low * base ** draw(st.integers(0, 5)), size=size, base=base)
    cells = draw(st.sampled_from([1, 2, 3, 7, 10, 1000, 10**6 + 3, 10**9 + 1]))
    step = draw(st.integers(2, 50)) if scale == "step" else 1
    high = low + step * (cells - 1)
    return Int(low, high, size=size, log=scale == "log", step=step)


@st.composite
def enum_variables(draw: st.DrawFn) -> Enum:
    options = draw(st.lists(st.text(max_size=4) | st.integers(-5, 5), min_size=1, unique=True))
    return Enum(options, size=draw(st.integers(1, 2)))


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    one = real_variables() | integer_variables() | enum_variables()
    variables: list[Variable] = draw(st.lists(one, min_size=1, max_size=4))
    return Space({f"v{i}": variable for i, variable in enumerate(variables)})


@st.composite
def spaces_with_points(draw: st.DrawFn) -> tuple[Space, FloatArray]:
    space = draw(spaces())
    unit = st.floats(0.0, 1.0)
    u = draw(st.lists(unit, min_size=space.dimensions, max_size=space.dimensions))
    return space, np.array(u)


def close(a: Any, b: Any) -> bool:
    if isinstance(a, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    return a == b or (isinstance(a, float) and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9))


# --- round trips ----------------------------------------------------------------------------------


@PROPERTY
@given(spaces_with_points())
def test_parameters_survive_the_way_into_the_cube_and_back(given: tuple[Space, FloatArray]) -> None:
    space, u = given
    params = space.decode(u)
    again = space.decode(space.encode(params))
    assert all(close(params[name], again[name]) for name in params)


@PROPERTY
@given(spaces_with_points())
def test_encoding_what_was_decoded_gives_the_canonical_point_of_every_discrete_column(
    given: tuple[Space, FloatArray],
) -> None:
    space, u = given
    discrete = np.setdiff1d(np.arange(space.dimensions), space.real_columns)
    assert np.array_equal(space.encode(space.decode(u))[discrete], space.snap(u)[discrete])


@PROPERTY
@given(spaces_with_points())
def test_real_columns_survive_the_way_out_of_the_cube_and_back(
    given: tuple[Space, FloatArray],
) -> None:
    space, u = given
    reals = space.real_columns
    assert np.allclose(space.encode(space.decode(u))[reals], u[reals], atol=1e-6)


@PROPERTY
@given(spaces_with_points())
def test_snapping_is_idempotent_to_the_bit(given: tuple[Space, FloatArray]) -> None:
    space, u = given
    once = space.snap(u)
    assert np.array_equal(space.snap(once), once)


@PROPERTY
@given(spaces_with_points())
def test_snapping_does_not_change_what_the_objective_gets(given: tuple[Space, FloatArray]) -> None:
    space, u = given
    assert space.decode(space.snap(u)) == space.decode(u)


@PROPERTY
@given(spaces_with_points())
def test_parameters_are_plain_json_values(given: tuple[Space, FloatArray]) -> None:
    space, u = given
    params = space.decode(u)
    assert json.loads(json.dumps(params, allow_nan=False)) == params


@PROPERTY
@given(spaces_with_points())
def test_decoded_values_lie_inside_of_their_bounds(given: tuple[Space, FloatArray]) -> None:
    space, u = given
    for name, value in space.decode(u).items():
        variable = space.variables[name]
        for x in value if isinstance(value, list) else [value]:
            if isinstance(variable, Enum):
                assert x in variable.options
            else:
                assert variable.min <= x <= variable.max


@PROPERTY
@given(spaces_with_points())
def test_snapping_many_rows_is_snapping_each(given: tuple[Space, FloatArray]) -> None:
    space, u = given
    rows = np.array([u, 1.0 - u, np.roll(u, 1)])
    assert np.array_equal(space.snap(rows), np.array([space.snap(row) for row in rows]))


# --- T --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [1, 2, 3, 5, 10, 1000, 10**9 + 1])
def test_every_integer_sits_at_the_centre_of_its_cell(cells: int) -> None:
    space = Space({"k": Int(7, 6 + cells)})
    for value in {7, 6 + cells, 7 + cells // 2, 7 + cells // 3}:
        assert space.encode({"k": value})[0] == (value - 7 + 0.5) / cells


@pytest.mark.parametrize("u", [0.0, 0.19, 0.2, 0.5, 0.79, 0.8, 0.999, 1.0])
def test_t_rounds_to_the_closest_integer_of_the_widened_range(u: float) -> None:
    space = Space({"k": Int(0, 4)})
    on_the_axis = -0.5 + 5.0 * u  # [min − ½, max + ½]
    assert space.decode(np.array([u]))["k"] == min(math.floor(on_the_axis + 0.5), 4)


def test_cells_have_equal_width() -> None:
    space = Space({"k": Int(1, 8)})
    U = np.linspace(0.0, 1.0, 8000, endpoint=False)[:, np.newaxis]
    counts = np.unique(space.snap(U), return_counts=True)[1]
    assert np.array_equal(counts, np.full(8, 1000))


def test_t_of_an_enum_sets_the_largest_column_to_one() -> None:
    space = Space({"kind": Enum(["a", "b", "c"])})
    assert np.array_equal(space.snap(np.array([0.2, 0.7, 0.6])), [0.0, 1.0, 0.0])


def test_reals_are_left_alone_by_t() -> None:
    space = Space({"x": Float(0, 1), "k": Int(0, 3), "z": Float(0, 1)})
    u = np.array([0.123, 0.9, 0.456])
    assert np.array_equal(space.snap(u)[[0, 2]], u[[0, 2]])


def test_snapping_does_not_write_into_its_argument() -> None:
    u = np.array([0.9])
    Space({"k": Int(0, 3)}).snap(u)
    assert u[0] == 0.9


@pytest.mark.parametrize("value", [0, 1, 499_999_999, 500_000_000, 10**9 - 1, 10**9])
def test_a_range_of_a_billion_keeps_every_integer(value: int) -> None:
    space = Space({"k": Int(0, 10**9)})
    assert space.decode(space.encode({"k": value})) == {"k": value}


def test_neighbouring_integers_of_a_billion_have_different_points() -> None:
    space = Space({"k": Int(0, 10**9)})
    points = [space.encode({"k": 123_456_789 + i})[0] for i in range(50)]
    assert len(set(points)) == 50


# --- shapes ---------------------------------------------------------------------------------------


def test_an_enum_has_a_column_for_each_option_and_one_length_scale() -> None:
    space = Space({"x": Float(0, 1), "kind": Enum(list("abc"), size=2)})
    assert space.dimensions == 7
    assert space.groups == ((0,), (1, 2, 3), (4, 5, 6))


def test_variables_that_cannot_vary_have_no_length_scale() -> None:
    space = Space({"c": Float(2, 2), "k": Int(3, 3), "one": Enum(["a"]), "x": Float(0, 1)})
    assert space.groups == ((3,),)
    assert space.group_names == ("x",)


def test_elements_of_a_vector_are_named_by_their_position() -> None:
    space = Space({"w": Float(0, 1, size=2), "k": Int(0, 1)})
    assert space.group_names == ("w[0]", "w[1]", "k")


def test_vectors_decode_to_lists_and_single_values_to_scalars() -> None:
    space = Space({"w": Int(0, 9, size=3), "k": Int(0, 9)})
    assert space.decode(np.array([0.05, 0.15, 0.95, 0.55])) == {"w": [0, 1, 9], "k": 5}


@pytest.mark.parametrize("value", [[1, 2], (1, 2), np.array([1, 2]), np.array([[1.0], [2.0]])])
def test_vectors_are_taken_from_lists_tuples_and_arrays(value: Any) -> None:
    space = Space({"w": Int(0, 3, size=2)})
    assert space.decode(space.encode({"w": value})) == {"w": [1, 2]}


@pytest.mark.parametrize(
    "value", [2, 2.0, np.int32(2), np.float64(2), np.array(2), [2], np.array([2])]
)
def test_a_scalar_is_taken_from_all_that_looks_like_one(value: Any) -> None:
    space = Space({"k": Int(0, 3)})
    assert space.decode(space.encode({"k": value})) == {"k": 2}


def test_integers_stay_python_integers() -> None:
    value = Space({"k": Int(0, 3)}).decode(np.array([0.99]))["k"]
    assert type(value) is int


def test_a_space_without_varying_reals_is_discrete() -> None:
    assert Space({"k": Int(0, 3), "c": Float(1, 1)}).is_discrete
    assert not Space({"k": Int(0, 3), "x": Float(0, 1)}).is_discrete


def test_a_log_scale_puts_the_geometric_mean_in_the_middle() -> None:
    space = Space({"rate": Float(1e-4, 1.0, log=True)})
    assert space.encode({"rate": 1e-2})[0] == pytest.approx(0.5)


def test_a_fixed_float_always_decodes_to_its_value() -> None:
    space = Space({"c": Float(0.1, 0.1), "x": Float(0, 1)})
    assert space.decode(np.array([0.9, 0.2]))["c"] == 0.1


def test_equal_spaces_are_equal_and_hash_alike() -> None:
    one, two = (Space({"k": Int(0, 3), "e": Enum(["a", "b"])}) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != Space({"k": Int(0, 4), "e": Enum(["a", "b"])})


# --- the lattice ----------------------------------------------------------------------------------

LATTICE = Space({"k": Int(1, 3), "x": Float(0, 1), "e": Enum(list("ab")), "j": Int(0, 1)})


def test_the_lattice_has_every_combination_once() -> None:
    combinations = {
        tuple(v for n, v in LATTICE.decode(u).items() if n != "x") for u in LATTICE.lattice()
    }
    assert len(LATTICE.lattice()) == LATTICE.cells == len(combinations) == 12


def test_lattice_points_are_canonical() -> None:
    assert np.array_equal(LATTICE.snap(LATTICE.lattice()), LATTICE.lattice())


def test_spaces_with_their_columns_in_another_order_differ() -> None:
    x, k = Float(0, 1), Int(0, 4)
    assert Space({"x": x, "k": k}) == Space({"x": x, "k": k})
    assert Space({"x": x, "k": k}) != Space({"k": k, "x": x})


def test_a_walk_in_blocks_visits_the_lattice_in_order() -> None:
    assert np.array_equal(np.array(list(LATTICE.walk(block=5))), LATTICE.lattice())


def test_a_huge_lattice_can_be_counted_and_walked_into() -> None:
    space = Space({"k": Int(0, 10**9, size=8)})
    assert space.cells == (10**9 + 1) ** 8
    first, second = (next(walk) for walk in [space.walk()] * 2)
    assert space.decode(first) == {"k": [0] * 8}
    assert space.decode(second) == {"k": [0] * 7 + [1]}


def test_neighbours_differ_in_one_discrete_element() -> None:
    here = LATTICE.lattice()[5]
    params = LATTICE.decode(here)
    for row in LATTICE.neighbours(here):
        assert sum(LATTICE.decode(row)[name] != params[name] for name in params) == 1


def test_neighbours_of_an_integer_are_one_step_away_and_inside() -> None:
    space = Space({"k": Int(0, 4)})
    reach = [
        {space.decode(u)["k"] for u in space.neighbours(space.encode({"k": k}))} for k in (0, 2, 4)
    ]
    assert reach == [{1}, {1, 3}, {3}]


def test_neighbours_of_an_enum_are_all_other_options() -> None:
    space = Space({"e": Enum(list("abcd"))})
    assert [space.decode(u)["e"] for u in space.neighbours(space.encode({"e": "b"}))] == [
        "a",
        "c",
        "d",
    ]


def test_strides_reach_further_in_a_long_range() -> None:
    space = Space({"k": Int(0, 100)})
    rows = space.neighbours(space.encode({"k": 50}), strides=(1, 16))
    assert sorted(space.decode(u)["k"] for u in rows) == [34, 49, 51, 66]


def test_neighbours_in_a_very_long_range_are_those_that_a_model_tells_apart() -> None:
    space = Space({"k": Int(0, 10**6)})
    rows = space.neighbours(space.encode({"k": 500}), strides=(1, 16, 4096))
    assert [space.decode(u)["k"] for u in rows] == [4596]


def test_on_a_log_scale_small_integers_are_told_apart_and_large_ones_are_not() -> None:
    space = Space({"k": Int(1, 10**6, log=True)})
    near = [space.neighbours(space.encode({"k": k})) for k in (2, 10**5)]
    assert [[space.decode(u)["k"] for u in rows] for rows in near] == [[1, 3], []]


def test_an_integer_of_very_many_values_is_searched_with_the_reals() -> None:
    space = Space({"few": Int(0, 100), "many": Int(0, 10**6), "x": Float(0, 1)})
    assert space.smooth_columns.tolist() == [1, 2]


def test_a_space_of_reals_has_one_cell_and_no_neighbours() -> None:
    space = Space({"x": Float(0, 1)})
    assert space.cells == 1
    assert space.neighbours(np.array([0.3])).shape == (0, 1)


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({}, "at least one variable"),
        ({"x": (0, 1)}, "x: must be a Float, Int or Enum"),
    ],
)
def test_a_space_of_something_else_than_variables_is_refused(variables: Any, text: str) -> None:
    with pytest.raises(SpaceError, match=text):
        Space(variables)


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"x": 2.0, "k": 1, "e": "a"}, r"x: must lie in \[0, 1\], got 2.0"),
        ({"x": math.nan, "k": 1, "e": "a"}, "x: must be finite"),
        ({"x": 10**400, "k": 1, "e": "a"}, "x: must be finite, got a number of more than 300"),
        ({"x": "0.5", "k": 1, "e": "a"}, "x: must be a number, got '0.5'"),
        ({"x": None, "k": 1, "e": "a"}, "x: must be a number, got None"),
        ({"x": 0.5, "k": 1.5, "e": "a"}, "k: must be a whole number"),
        ({"x": 0.5, "k": 9, "e": "a"}, "k: must lie in {0, …, 3}, got 9"),
        ({"x": 0.5, "k": True, "e": "a"}, "k: must be a number"),
        ({"x": 0.5, "k": [1, 2], "e": "a"}, "k: must have 1 value, got 2"),
        ({"x": 0.5, "k": 1, "e": "gelo"}, "e: must be one of .*did you mean 'gelu'"),
        ({"x": 0.5, "k": 1}, "e: a value is missing"),
        ({"x": 0.5, "kk": 1, "e": "a"}, "kk: no such variable; did you mean 'k'"),
    ],
)
def test_parameters_outside_of_the_space_are_refused_by_name(params: Params, text: str) -> None:
    space = Space({"x": Float(0, 1), "k": Int(0, 3), "e": Enum(["a", "gelu"])})
    with pytest.raises(SpaceError, match=text):
        space.encode(params)
