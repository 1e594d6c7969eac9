"""The shortest way: minimise a function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from spearmint_int import Enum, Float, Int, Space, SpaceError, minimize
from spearmint_int.chooser import Recommendation
from spearmint_int.space import Params

QUICK: dict[str, Any] = {"samples": 4, "burn_in": 20, "candidates": 300}


def bowl(params: Params) -> float:
    return float((params["x"] - 0.3) ** 2 + (params["k"] - 2) ** 2)


def test_a_function_of_a_real_and_an_integer_is_minimised() -> None:
    result = minimize(
        bowl, {"x": Float(0, 1), "k": Int(0, 5)}, evaluations=20, likelihood="NOISELESS", **QUICK
    )
    assert result.value < 0.05
    assert result.params["k"] == 2
    assert len(result.history) == 20
    assert result.message == "20 evaluations done"


def test_the_result_is_the_best_of_its_history() -> None:
    result = minimize(bowl, {"x": Float(0, 1), "k": Int(0, 5)}, evaluations=8, **QUICK)
    assert result.value == min(e.value for e in result.history) == bowl(result.params)
    assert result.recommendation is not None


def test_a_recommendation_prints_as_the_minimum_with_its_sd_and_its_place() -> None:
    shown = str(Recommendation({"x": 0.25, "k": 2}, np.array([0.25, 0.4]), 0.123456789, 0.0123))
    assert shown == "0.123457 ± 0.012 at x=0.25, k=2"


def test_the_same_seed_gives_the_same_history() -> None:
    space = Space({"x": Float(0, 1), "k": Int(0, 5)})
    one, two, other = (minimize(bowl, space, 6, seed, **QUICK) for seed in (0, 0, 1))
    assert [e.params for e in one.history] == [e.params for e in two.history]
    assert [e.params for e in one.history] != [e.params for e in other.history]


def test_a_space_that_is_used_up_ends_the_search_with_that_message() -> None:
    result = minimize(
        lambda p: p["k"] + len(p["e"]),
        {"k": Int(0, 2), "e": Enum(["a", "bb"])},
        evaluations=50,
        likelihood="NOISELESS",
        **QUICK,
    )
    assert len(result.history) == 6
    assert "all 6 points" in result.message
    assert result.params == {"k": 0, "e": "a"}


def test_failures_are_told_as_nan_and_left_out_of_the_result() -> None:
    result = minimize(
        lambda p: math.nan if p["k"] < 3 else float(p["k"]), {"k": Int(0, 9)}, 8, **QUICK
    )
    assert math.isfinite(result.value)
    assert any(math.isnan(e.value) for e in result.history)


def test_where_all_failed_the_result_says_so() -> None:
    result = minimize(lambda _: math.inf, {"k": Int(0, 9)}, 3, **QUICK)
    assert result.message == "all failed"
    assert result.recommendation is None


def test_an_exception_is_the_callers() -> None:
    def broken(params: Params) -> float:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        minimize(broken, {"k": Int(0, 9)}, 3)


def test_under_noise_the_recommendation_is_the_models_and_not_the_luckiest_value() -> None:
    rng = np.random.default_rng(0)
    result = minimize(
        lambda p: float((p["k"] - 4) ** 2 + rng.standard_normal()), {"k": Int(0, 9)}, 25, **QUICK
    )
    assert result.recommendation is not None
    assert abs(result.recommendation.params["k"] - 4) <= 1
    assert result.recommendation.mean > result.value


@pytest.mark.parametrize("evaluations", [0, -3])
def test_at_least_one_evaluation_must_be_asked_for(evaluations: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1, got {evaluations}"):
        minimize(bowl, {"x": Float(0, 1)}, evaluations)


def test_an_empty_space_is_refused() -> None:
    with pytest.raises(SpaceError, match="at least one variable"):
        minimize(bowl, {}, 3)


def test_a_bar_is_shown_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    minimize(bowl, {"x": Float(0, 1), "k": Int(0, 5)}, 3, progress=True, **QUICK)
    printed = capsys.readouterr()
    assert "3/3" in printed.out + printed.err


def test_nothing_is_printed_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    minimize(bowl, {"x": Float(0, 1), "k": Int(0, 5)}, 3, **QUICK)
    printed = capsys.readouterr()
    assert printed.out + printed.err == ""
