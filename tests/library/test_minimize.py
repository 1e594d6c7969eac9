"""The shortest way: minimise a function."""

from __future__ import annotations

import itertools
import math
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from traceback import format_exception
from typing import Any

import numpy as np
import pytest

from spearmint_int import Enum, Float, Int, Optimizer, Space, SpaceError, Stop, minimize
from spearmint_int.chooser import Recommendation
from spearmint_int.cli.program import exit_code
from spearmint_int.errors import ConfigError, ResultError, SpearmintError
from spearmint_int.variables import Params

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
    params, point = {"x": 0.25, "k": 2}, np.array([0.25, 0.4])
    assert str(Recommendation(params, point, 0.123456789, 0.0123)) == "0.123 ± 0.012 at x=0.25, k=2"
    assert str(Recommendation(params, point, 5.0, 6.7e-17)) == "5 at x=0.25, k=2"  # rounding


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


def fails_at(number: int) -> Callable[[Params], float]:
    """A function whose call of this number raises."""
    calls = itertools.count(1)

    def function(params: Params) -> float:
        if next(calls) == number:
            raise ZeroDivisionError
        return float(params["k"])

    return function


def test_an_exception_is_the_callers_and_has_the_result_so_far() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        minimize(fails_at(4), {"k": Int(0, 9)}, 8, **QUICK)
    result = caught.value.result  # type: ignore[attr-defined]
    assert len(result.history) == 3
    assert result.value == min(e.value for e in result.history)
    assert result.message == "ended by ZeroDivisionError"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes from 3.11 on")
def test_the_traceback_says_where_the_result_so_far_is() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        minimize(fails_at(4), {"k": Int(0, 9)}, 8, **QUICK)
    assert "`result`" in "".join(format_exception(caught.value))


def test_a_figure_without_plotly_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "spearmint_int.plots", raising=False)
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(SpearmintError, match=r"pip install 'spearmint-int\[plots\]'"):
        minimize(bowl, BOWL, 1, **QUICK).plot()


def test_an_exception_at_the_first_evaluation_has_an_empty_result() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        minimize(fails_at(1), {"k": Int(0, 9)}, 8, **QUICK)
    assert caught.value.result.history == ()  # type: ignore[attr-defined]


def test_ctrl_c_gives_back_the_result_so_far() -> None:
    calls = itertools.count(1)

    def function(params: Params) -> float:
        if next(calls) == 5:
            raise KeyboardInterrupt
        return float(params["k"])

    result = minimize(function, {"k": Int(0, 9)}, 8, **QUICK)
    assert len(result.history) == 4
    assert result.message == "interrupted"
    assert result.recommendation is not None


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


# --- how it begins and ends -----------------------------------------------------------------------

BOWL: dict[str, Any] = {"x": Float(0, 1), "k": Int(0, 5)}


def test_guesses_are_evaluated_first_and_known_results_not_at_all() -> None:
    asked: list[Params] = []

    def function(params: Params) -> float:
        asked.append(params)
        return bowl(params)

    known = ({"x": 0.9, "k": 5}, 9.36)
    result = minimize(function, BOWL, 4, initial=[{"x": 0.5, "k": 1}, known], **QUICK)
    assert asked[0] == {"x": 0.5, "k": 1}
    assert known[0] not in asked
    assert len(asked) == 4
    assert len(result.history) == 5


def test_no_evaluation_begins_after_the_timeout() -> None:
    def slow(params: Params) -> float:
        time.sleep(0.1)
        return bowl(params)

    result = minimize(slow, BOWL, 500, timeout=0.3, **QUICK)
    assert 1 <= len(result.history) < 10
    assert result.message == "the time is over"


def test_a_value_that_is_good_enough_ends_the_search() -> None:
    result = minimize(lambda p: float(p["k"]), {"k": Int(0, 9)}, 50, stop=Stop(value=1.0), **QUICK)
    assert len(result.history) < 50
    assert result.value <= 1.0
    assert result.message == "a value as good as 1 was found"


def test_no_improvement_for_a_while_ends_the_search() -> None:
    result = minimize(lambda _: 1.0, {"x": Float(0, 1)}, 50, stop=Stop(no_improvement=3), **QUICK)
    assert len(result.history) == 4
    assert result.message == "no improvement in 3 evaluations"


KNOWN: list[Any] = [({"k": 1}, 1.0), *(({"k": k}, 5.0) for k in range(2, 9))]


def test_results_that_were_known_beforehand_are_not_without_improvement() -> None:
    stop = Stop(no_improvement=3)
    result = minimize(lambda _: 2.0, {"k": Int(0, 99)}, 50, initial=KNOWN, stop=stop, **QUICK)
    assert len(result.history) == len(KNOWN) + 3


def test_evaluations_of_earlier_calls_are_without_improvement_and_what_they_knew_is_not(
    tmp_path: Path,
) -> None:
    given: dict[str, Any] = {"path": tmp_path, **QUICK}
    minimize(lambda _: 2.0, {"k": Int(0, 99)}, 2, initial=KNOWN, **given)
    stop = Stop(no_improvement=4)
    result = minimize(lambda _: 2.0, {"k": Int(0, 99)}, 50, stop=stop, **given)
    assert len(result.history) == len(KNOWN) + 4


def test_a_callback_sees_every_evaluation_and_may_end_the_search() -> None:
    seen: list[int] = []

    def callback(optimizer: Optimizer) -> bool:
        seen.append(len(optimizer.history))
        return len(seen) == 3

    result = minimize(bowl, BOWL, 20, callback=callback, **QUICK)
    assert seen == [1, 2, 3]
    assert result.message == "stopped by the callback"


def test_a_callback_may_end_the_search_with_a_true_of_numpys() -> None:
    result = minimize(bowl, BOWL, 20, callback=lambda _: np.float64(1) < 2, **QUICK)
    assert result.message == "stopped by the callback"


def test_what_else_a_callback_returns_does_not_end_the_search() -> None:
    assert len(minimize(bowl, BOWL, 3, callback=lambda o: o, **QUICK).history) == 3


def test_the_largest_value_is_found_where_that_is_asked_for() -> None:
    result = minimize(lambda p: -bowl(p), BOWL, 15, direction="maximize", **QUICK)
    assert result.value == max(e.value for e in result.history)
    assert result.value > -0.5


def test_threads_evaluate_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=20)  # passes when two evaluations wait at it

    def function(params: Params) -> float:
        both.wait()
        return bowl(params)

    result = minimize(function, BOWL, 6, n_jobs=2, **QUICK)
    assert len(result.history) == 6
    assert result.message == "6 evaluations done"


@pytest.mark.usefixtures("listens_to_ctrl_c")
def test_a_second_ctrl_c_does_not_wait_for_what_threads_evaluate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls, free = itertools.count(1), threading.Event()
    ended: list[Params] = []

    def function(params: Params) -> float:
        if next(calls) == 4:
            for _ in range(2):
                time.sleep(0.5)
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            free.wait(20)
            ended.append(params)
        return float(params["k"])

    try:
        result = minimize(
            function, {"k": Int(0, 999)}, 4, n_jobs=2, initial_points=9, progress=True
        )
        assert not ended
    finally:
        free.set()
    assert result.message == "interrupted"
    assert len(result.history) == 3
    out, err = capsys.readouterr()
    assert "waiting for 1 evaluation under way (Ctrl-C again leaves" in err
    assert out == ""


def test_an_exception_in_a_thread_loses_no_other_result() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        minimize(fails_at(3), {"k": Int(0, 9)}, 8, n_jobs=2, **QUICK)
    assert len(caught.value.result.history) >= 2  # type: ignore[attr-defined]


def test_a_result_in_a_thread_that_is_no_number_loses_no_other() -> None:
    calls = itertools.count(1)

    def function(params: Params) -> Any:
        return None if next(calls) in range(3, 9) else float(params["k"])

    with pytest.raises(ResultError) as caught:  # all have ended when the first callback has
        minimize(function, {"k": Int(0, 999)}, 16, n_jobs=16, callback=lambda _: time.sleep(0.1),
                 initial_points=20)  # fmt: skip
    assert len(caught.value.result.history) == 10  # type: ignore[attr-defined]


def test_the_number_of_threads_must_make_sense() -> None:
    with pytest.raises(ValueError, match="n_jobs must be at least 1"):
        minimize(bowl, BOWL, 3, n_jobs=0)


# --- in a folder ----------------------------------------------------------------------------------


def test_a_run_in_a_folder_goes_on_as_if_it_had_never_ended(tmp_path: Path) -> None:
    whole = minimize(bowl, BOWL, 8, **QUICK)
    minimize(bowl, BOWL, 5, path=tmp_path / "run", **QUICK)
    rest = minimize(bowl, BOWL, 8, path=tmp_path / "run", **QUICK)
    assert [e.params for e in rest.history] == [e.params for e in whole.history]


def test_nothing_is_evaluated_again_once_all_is_done(tmp_path: Path) -> None:
    minimize(bowl, BOWL, 3, path=tmp_path, **QUICK)
    result = minimize(fails_at(1), BOWL, 3, path=tmp_path, **QUICK)
    assert len(result.history) == 3


def test_what_was_evaluated_before_an_exception_is_in_the_folder(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        minimize(fails_at(4), {"k": Int(0, 9)}, 8, path=tmp_path, **QUICK)
    assert len(minimize(fails_at(99), {"k": Int(0, 9)}, 4, path=tmp_path, **QUICK).history) == 4


def test_guesses_and_known_results_are_there_once_after_a_resume(tmp_path: Path) -> None:
    initial: list[Any] = [{"x": 0.5, "k": 1}, ({"x": 0.75, "k": 5}, 9.0)]
    for evaluations in (2, 3):
        result = minimize(bowl, BOWL, evaluations, initial=initial, path=tmp_path, **QUICK)
    params = [e.params for e in result.history]
    assert len(params) == 4
    assert params.count({"x": 0.5, "k": 1}) == params.count({"x": 0.75, "k": 5}) == 1


def test_the_command_line_reads_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = minimize(bowl, BOWL, 4, path=tmp_path, likelihood="NOISELESS", **QUICK)
    for command in ("status", "jobs", "best", "export", "suggest"):
        assert exit_code([command, str(tmp_path)]) == 0
    assert f"{result.value:.6g}" in capsys.readouterr().out


def test_evaluations_are_a_whole_number_and_numpys_are_too() -> None:
    space = {"k": Int(0, 9)}
    assert minimize(lambda p: float(p["k"]), space, np.int64(3)).message == "3 evaluations done"  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"evaluations must be a whole number, got 2\.5"):
        minimize(lambda p: float(p["k"]), space, 2.5)  # type: ignore[arg-type]


def test_a_function_may_do_with_its_parameters_what_it_likes() -> None:
    def careless(params: Params) -> float:
        return float(params.pop("a"))

    result = minimize(careless, {"a": Int(1, 12)}, evaluations=4, progress=False)
    assert [e.value for e in result.history] == [e.params["a"] for e in result.history]


def test_a_result_may_be_changed_and_its_history_stays(tmp_path: Path) -> None:
    def spoil(optimizer: Optimizer) -> None:
        for evaluation in (optimizer.best(), *optimizer.history):
            assert evaluation is not None
            evaluation.params["k"] = 99

    space = {"x": Float(0, 1), "k": Int(0, 5)}
    for path in (None, tmp_path):
        result = minimize(bowl, space, 6, path=path, callback=spoil, **QUICK)
        result.params.clear()
        assert result.history == minimize(bowl, space, 6, **QUICK).history


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_function_that_exits_leaves_what_was_evaluated(n_jobs: int) -> None:
    calls = itertools.count(1)

    def leaving(params: Params) -> float:
        if next(calls) >= 4:
            sys.exit(3)
        return float(params["a"])

    with pytest.raises(SystemExit) as caught:
        minimize(leaving, {"a": Int(1, 12)}, evaluations=9, n_jobs=n_jobs, progress=False)
    assert len(caught.value.result.history) == 3  # type: ignore[attr-defined]


def test_a_path_that_is_a_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="must be a folder"):
        minimize(bowl, {"a": Int(0, 5)}, evaluations=2, path=tmp_path / "file", progress=False)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"timeout": "1h"}, "seconds"),
        ({"initial": {"a": 1}}, "a list"),
        ({"initial": 3}, "a list of guesses and results, got 3"),
        ({"initial": [({"a": 1},)]}, r"results \({…}, value\), got \({'a': 1},\)"),
        ({"initial": [({"a": 1}, "2")]}, "must be a number, got '2'"),
        ({"stop": {"value": 3}}, r"stop must be Stop\(value=…\) .* got {'value': 3}"),
        ({"options": {"samples": 3}}, r"options must be ChooserOptions\(…\), got a dict"),
        ({"callback": 3}, "callback must be a function, got 3"),
        ({"path": 3}, "path must name a folder, got 3"),
        ({"progress": "no"}, "progress must be True or False, got 'no'"),
        ({"maximize": True}, 'no such setting: maximize; give direction="maximize"'),
        ({"n_trials": 9}, "no such setting: n_trials; give evaluations=…"),
        ({"noisy": False}, 'no such setting: noisy; give likelihood="GAUSSIAN" with noise'),
        ({"n_job": 2}, "no such setting: n_job; did you mean 'n_jobs' of minimize?"),
        ({"inital": []}, "no such setting: inital; did you mean 'initial' of minimize and Opt"),
    ],
)
def test_likely_mistakes_are_told_in_a_sentence(given: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        minimize(fails_at(1), {"a": Int(0, 5)}, **({"evaluations": 2, "progress": False} | given))


def test_what_is_no_function_is_refused_before_any_work() -> None:
    with pytest.raises(TypeError, match="function must be a function, got 3"):
        minimize(3, {"a": Int(0, 5)}, 2)  # type: ignore[arg-type]


def test_a_time_that_was_over_before_it_began_is_refused() -> None:
    with pytest.raises(ValueError, match="timeout must be at least 0 seconds, got -1"):
        minimize(bowl, {"a": Int(0, 5)}, 2, timeout=-1)


def test_a_result_is_a_table_for_pandas() -> None:
    pytest.importorskip("pandas")
    result = minimize(bowl, {"x": Float(0, 1), "k": Int(0, 5)}, 3, **QUICK)
    table = result.to_dataframe()
    assert list(table.columns) == ["x", "k", "value"]
    assert table["value"].tolist() == [e.value for e in result.history]


def test_a_result_without_an_evaluation_says_so() -> None:
    assert str(minimize(bowl, {"a": Int(0, 5)}, 2, timeout=0)) == "no evaluation (the time is over)"


def test_results_can_be_compared_and_are_shown_in_one_line() -> None:
    one, two = (minimize(bowl, {"x": Float(0, 1), "k": Int(0, 5)}, 4, **QUICK) for _ in range(2))
    assert one == two
    assert "array" not in repr(one)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"value": "3"}, "value must be a number, got '3'"),
        ({"value": math.nan}, "value must be a number, got nan"),
        ({"no_improvement": "3"}, "no_improvement must be a whole number, got '3'"),
        ({"no_improvement": 0}, "no_improvement must be at least 1, got 0"),
    ],
)
def test_when_to_stop_is_said_in_numbers(given: dict[str, Any], text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=text):
        Stop(**given)


def bowl_in_a_plateau(params: Params) -> float:
    """With a penalty where x is too large, as people return it."""
    if params["x"] > 0.97:
        return 1e6
    return float(min(1.0, ((params["x"] - 0.3) ** 2 + (params["y"] - 0.62) ** 2) / 0.09))


@pytest.mark.parametrize("seed", range(3))
def test_a_penalty_does_not_flatten_all_other_results(seed: int) -> None:
    """With a power of the outputs that could not be negative it ended at 5e-3 to 3e-2."""
    tried = [(0.99, 0.1), (0.9, 0.1), (0.8, 0.9), (0.7, 0.2), (0.1, 0.1), (0.9, 0.5), (0.2, 0.5)]
    found = minimize(
        bowl_in_a_plateau,
        {"x": Float(0, 1), "y": Float(0, 1)},
        evaluations=30,
        seed=seed,
        initial=[{"x": x, "y": y} for x, y in tried],
        progress=False,
    )
    assert found.value < 2e-3


@pytest.mark.parametrize("likelihood", ["GAUSSIAN", "NOISELESS"])
def test_in_a_very_long_range_no_budget_is_spent_on_neighbours_of_the_best(likelihood: str) -> None:
    result = minimize(
        lambda p: abs(p["q"] - 123_456), {"q": Int(0, 10**9)}, 25, likelihood=likelihood
    )
    asked = [evaluation.params["q"] for evaluation in result.history]
    assert sum(q < 1000 for q in asked) < 5
    assert result.value < 60_000


def up_to_its_memory(params: dict[str, Any]) -> float:
    """The larger the better, until it fails: the optimum is on the edge."""
    layers, width, rate = params["layers"], params["width"], params["rate"]
    if layers * width > 400:
        return math.nan
    return float((rate - 0.3) ** 2 - math.log(layers * width) + (layers - 8) ** 2 / 40)


@pytest.mark.parametrize("seed", range(3))
def test_the_edge_of_what_works_is_found_where_the_best_lies_there(seed: int) -> None:
    space = Space({"layers": Int(1, 20), "width": Int(1, 100), "rate": Float(0, 1)})
    result = minimize(up_to_its_memory, space, 35, seed=seed)
    assert result.value < 0.1 - math.log(400)


@pytest.mark.parametrize("seed", range(3))
def test_a_place_that_fails_is_not_tried_again_and_again_where_the_best_would_be(seed: int) -> None:
    result = minimize(
        lambda p: math.nan if p["x"] == 7 else float((p["x"] - 7) ** 2),
        {"x": Int(0, 20)},
        20,
        seed=seed,
    )
    asked = [evaluation.params["x"] for evaluation in result.history]
    assert asked.count(7) <= 4
    assert result.value == 1.0
