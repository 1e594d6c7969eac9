"""The best result: which results count, and which of them is the best."""

from __future__ import annotations

import math

import pytest

from spearmint_int.best import best_of, fulfils

RESULTS = [("a", 2.0), ("b", 1.0), ("c", 3.0), ("d", 1.0), ("e", 3.0)]


def best(*, maximize: bool = False, within: list[bool] | None = None) -> str | None:
    found = best_of(RESULTS, value=lambda result: result[1], maximize=maximize, within=within)
    return None if found is None else found[0]


def test_the_first_of_equal_results_is_the_best() -> None:
    assert (best(), best(maximize=True)) == ("b", "c")


def test_a_worse_result_within_the_bounds_goes_before_a_better_one_outside() -> None:
    assert best(within=[True, False, True, False, False]) == "a"


def test_where_no_result_is_within_the_bounds_all_of_them_count() -> None:
    assert best(within=[False] * 5) == "b"


def test_without_results_none_is_the_best() -> None:
    assert best_of([], value=float, maximize=False) is None


@pytest.mark.parametrize(
    ("value", "numbers", "expected"),
    [
        (1.0, {"disk": 0.0}, True),
        (1.0, {"disk": -0.1}, False),
        (1.0, {}, False),
        (math.nan, {"disk": 1.0}, False),
        (math.inf, {"disk": 1.0}, False),
    ],
)
def test_a_result_counts_with_a_finite_value_where_each_constraint_is_at_least_0(
    value: float, numbers: dict[str, float], expected: bool
) -> None:
    assert fulfils(value, numbers, ["disk"]) is expected
