"""Variables: what is refused, and integers with a scale of their own."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from spearmint_int.errors import SpaceError
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Float(1, 0), "max must be at least min"),
        (lambda: Float(0, math.inf), "finite"),
        (lambda: Float(math.nan, 1), "finite"),
        (lambda: Float(-1e308, 1e308), "finite"),
        (lambda: Float(0, 1, log=True), "above 0 on a log scale"),
        (lambda: Float("0", 1), "must be a number"),  # type: ignore[arg-type]
        (lambda: Int(3, 2), "max must be at least min"),
        (lambda: Int(0.5, 2), "whole numbers"),  # type: ignore[arg-type]
        (lambda: Int(True, 2), "must be a number"),
        (lambda: Int(0, math.inf), "finite"),  # type: ignore[arg-type]
        (lambda: Int(0, 2**70), "told apart"),
        (lambda: Int(0, 10**16), "told apart"),
        (lambda: Int(1, 10**15, log=True), "told apart"),
        (lambda: Enum([]), "at least one"),
        (lambda: Enum(["a", "a"]), "differ"),
        (lambda: Enum([["a"]]), "numbers or texts"),  # type: ignore[list-item]
        (lambda: Int(0, 1, size=0), "size"),
        (lambda: Float(0, 1, size=1.5), "size"),  # type: ignore[arg-type]
        (lambda: Enum("abc"), "options must be a list, .*, got 'abc'"),
        (lambda: Enum({"a"}), "options must be a list, .*, got {'a'}"),  # type: ignore[arg-type]
        (lambda: Enum([None]), "numbers or texts, got .None.; give each a name"),  # type: ignore[list-item]
        (lambda: Enum(5), "options must be a list, .*, got 5"),  # type: ignore[arg-type]
        (lambda: Int(1, 10, log="yes"), "log must be True or False, got 'yes'"),  # type: ignore[arg-type]
        (lambda: Float(1, 10, log=2), "log must be True or False, got 2"),  # type: ignore[arg-type]
    ],
)
def test_an_impossible_variable_is_refused_with_the_reason(make: Any, text: str) -> None:
    with pytest.raises(SpaceError, match=text):
        make()


@pytest.mark.parametrize(
    "variable", [Int(0, 10**15 - 1), Int(1, 10**13, log=True), Int(-(2**53), 2**53, step=2**20)]
)
def test_the_widest_integers_that_there_may_be_come_back_from_the_cube(variable: Int) -> None:
    rng, space = np.random.default_rng(0), Space({"k": variable})
    for index in [0, variable.cells - 1, *rng.integers(variable.cells, size=200).tolist()]:
        value = variable.value(index)
        assert space.decode(space.encode({"k": value})) == {"k": value}


def test_bounds_that_have_one_logarithm_can_be_told() -> None:
    above = math.nextafter(1e10, math.inf)
    assert Float(1e10, above, log=True).encode(above) == [0.5]


def test_minus_zero_is_zero() -> None:
    assert math.copysign(1.0, Float(0, 1).encode(-0.0)[0]) == 1.0


def test_more_options_than_the_design_has_columns_for_are_refused() -> None:
    with pytest.raises(SpaceError, match="21201 columns"):
        Space({"e": Enum(list(range(22_000)))})


def test_numpy_bounds_and_options_become_plain_values() -> None:
    low, high, options = np.int64(0), np.int64(3), np.array([1, 2])
    bounds: Any = (low, high)
    space = Space({"k": Int(*bounds), "e": Enum(list(options))})
    assert json.dumps(space.decode(np.array([0.5, 0.0, 1.0]))) == '{"k": 2, "e": 2}'


def test_numpys_numbers_count_as_steps_sizes_and_scales() -> None:
    three: Any = np.int64(3)
    assert Int(1, 10, step=three, size=three) == Int(1, 10, step=3, size=3)
    assert json.dumps(vars(Int(1, 27, base=three))) == json.dumps(vars(Int(1, 27, base=3)))
    assert Float(1, 10, log=np.bool_(True)).log is True  # type: ignore[arg-type]


# --- integers with a scale ------------------------------------------------------------------------


def test_powers_of_two_are_cells_of_equal_width() -> None:
    space = Space({"batch": Int(16, 1024, base=2)})
    values = [space.decode(u)["batch"] for u in space.lattice()]
    assert values == [16, 32, 64, 128, 256, 512, 1024]
    assert np.allclose(np.diff(space.lattice()[:, 0]), 1 / 7)


def test_every_step_of_an_integer_is_a_cell() -> None:
    space = Space({"k": Int(10, 50, step=20)})
    assert [space.decode(u)["k"] for u in space.lattice()] == [10, 30, 50]
    with pytest.raises(SpaceError, match="10 and 30 are the nearest"):
        space.encode({"k": 20})


def test_integers_on_a_log_scale_are_as_far_apart_as_their_logarithms() -> None:
    space = Space({"k": Int(1, 100, log=True)})
    at = {k: space.encode({"k": k})[0] for k in (1, 2, 4, 50, 100)}
    assert at[2] - at[1] == pytest.approx(at[4] - at[2])
    assert at[2] - at[1] == pytest.approx(at[100] - at[50])
    assert space.decode(np.array([0.0]))["k"] == 1
    assert space.decode(np.array([1.0]))["k"] == 100


def test_rounding_on_a_log_scale_is_to_the_closest_integer() -> None:
    space = Space({"k": Int(1, 1000, log=True)})
    low, high = math.log(0.5), math.log(1000.5)
    for value in (1.4, 1.6, 7.49, 7.51, 999.6):
        u = np.array([(math.log(value) - low) / (high - low)])
        assert space.decode(u)["k"] == math.floor(value + 0.5)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"min": 0, "max": 8, "log": True}, "min must be at least 1 on a log scale, got 0"),
        ({"min": 0, "max": 8, "base": 2}, "min must be at least 1 on a log scale, got 0"),
        ({"min": 1, "max": 10, "step": 4}, "by steps of 4, got 10; use 9"),
        ({"min": 16, "max": 1000, "base": 2}, "by powers of 2, got 1000; use 512"),
        ({"min": 1, "max": 9, "step": 0}, "step must be a whole number from 1 on, got 0"),
        ({"min": 1, "max": 9, "base": 1}, "base must be a whole number from 2 on, got 1"),
        ({"min": 1, "max": 9, "log": True, "step": 2}, "give one of step, base and log"),
    ],
)
def test_an_impossible_scale_is_refused(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(SpaceError, match=text):
        Int(**arguments)
