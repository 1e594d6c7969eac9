"""Constraints in the library: `minimize` and `Optimizer`, in memory and in a folder."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spearmint_int import Constraint, Float, Int, Optimizer, SpearmintError, minimize
from spearmint_int.cli.program import exit_code
from spearmint_int.errors import ConfigError, ResultError
from spearmint_int.variables import Params, Variable

SPACE: dict[str, Variable] = {"x": Float(0, 4), "n": Int(0, 6)}
QUICK: dict[str, Any] = {
    "samples": 4, "burn_in": 20, "candidates": 200, "likelihood": "NOISELESS", "seed": 0,
}  # fmt: skip


def bounded(params: Params) -> dict[str, float]:
    """Least where x + n is 7, which is as much as is allowed."""
    x, n = params["x"], params["n"]
    return {"main": (x - 4) ** 2 + (n - 6) ** 2, "sum": 7 - x - n}


def hopeless(params: Params) -> dict[str, float]:
    return bounded(params) | {"sum": -1.0 - params["x"]}


def told(**settings: Any) -> Optimizer:
    optimizer = Optimizer(SPACE, constraints=["sum"], **(QUICK | settings))
    for x, n in ((4.0, 6), (1.0, 2), (2.0, 5), (3.0, 5)):
        optimizer.tell({"x": x, "n": n}, bounded({"x": x, "n": n}))
    return optimizer


def test_the_least_value_that_fulfils_the_constraint_is_found() -> None:
    result = minimize(bounded, SPACE, 20, constraints=["sum"], **QUICK)
    assert result.value == pytest.approx(4.5, abs=0.6)
    assert bounded(result.params)["sum"] >= 0
    assert result.recommendation is not None
    assert result.recommendation.constraints["sum"] >= 0.99


def test_where_nothing_fulfils_the_constraint_the_result_says_so() -> None:
    result = minimize(hopeless, SPACE, 6, constraints=["sum"], **QUICK)
    assert math.isnan(result.value)
    assert result.message == "no result fulfils every constraint"
    assert result.recommendation is not None
    assert result.params == result.recommendation.params
    assert "missed by least" in result.recommendation.note


def test_what_numpy_has_masked_is_no_number() -> None:
    optimizer = Optimizer(SPACE, constraints=["sum"], **QUICK)
    nothing = np.ma.array([1.0, 2.0], mask=True)
    optimizer.tell({"x": 1.0, "n": 1}, nothing.mean())
    optimizer.tell({"x": 1.0, "n": 2}, {"main": 3.0, "sum": nothing[:1]})
    first, second = optimizer.history
    assert math.isnan(first.value)
    assert math.isnan(second.constraints["sum"])


def test_the_largest_value_is_sought_among_what_fulfils_the_constraint() -> None:
    def turned(params: Params) -> dict[str, float]:
        return bounded(params) | {"main": -bounded(params)["main"]}

    result = minimize(turned, SPACE, 20, direction="maximize", constraints=["sum"], **QUICK)
    assert result.value == pytest.approx(-4.5, abs=0.6)


def test_the_best_is_one_that_fulfils_the_constraints_and_may_be_none() -> None:
    best = told().best()
    assert best is not None
    assert (best.params, dict(best.constraints)) == ({"x": 2.0, "n": 5}, {"sum": 0.0})
    optimizer = Optimizer(SPACE, constraints=["sum"], **QUICK)
    optimizer.tell({"x": 1.0, "n": 1}, {"main": 1.0, "sum": -1.0})
    optimizer.tell({"x": 2.0, "n": 1}, {"main": 1.0, "sum": math.nan})
    optimizer.tell({"x": 3.0, "n": 1}, {"main": 1.0})
    assert optimizer.best() is None
    assert optimizer.predict({"x": 1.0, "n": 1}).mean == pytest.approx([1.0], abs=0.1)


def test_what_was_saved_goes_on_with_the_same_suggestion(tmp_path: Path) -> None:
    optimizer = told()
    optimizer.tell({"x": 0.5, "n": 0}, {"main": 40.0, "sum": math.nan})
    optimizer.save(tmp_path / "state.json")
    loaded = Optimizer.load(tmp_path / "state.json")
    copied = pickle.loads(pickle.dumps(optimizer))
    assert loaded.problem().fingerprint == optimizer.problem().fingerprint
    assert loaded.ask(2) == copied.ask(2) == optimizer.ask(2)


def test_a_name_has_the_likelihood_of_the_objective_and_a_constraint_its_own() -> None:
    own = Constraint("b", "GAUSSIAN", 0.5)
    optimizer = Optimizer(SPACE, constraints=["a", own], likelihood="NOISELESS")
    assert optimizer.constraints == (Constraint("a", "NOISELESS"), own)


@pytest.mark.parametrize("value", [1.0, {"sum": 1.0}, {"main": "x", "sum": 1.0}])
def test_a_result_without_what_is_wanted_is_refused(value: Any) -> None:
    with pytest.raises(ResultError, match="a result must be"):
        told().tell({"x": 1.0, "n": 1}, value)


def test_without_constraints_a_result_is_a_number() -> None:
    with pytest.raises(ResultError, match=r"a result must be a number, .*; give the number alone"):
        Optimizer(SPACE).tell({"x": 1.0, "n": 1}, {"main": 1.0})
    remedy = r"give the one of 'main' alone, or name the constraints: constraints=\['sum'\]"
    with pytest.raises(ResultError, match=remedy):
        Optimizer(SPACE).tell({"x": 1.0, "n": 1}, {"main": 1.0, "sum": 2.0})


def test_nan_alone_says_that_all_of_it_failed() -> None:
    optimizer = told()
    optimizer.tell({"x": 1.0, "n": 1}, math.nan)
    assert math.isnan(optimizer.history[-1].value)


@pytest.mark.parametrize("names", [["main"], ["a", "a"], [""]])
def test_constraints_have_names_of_their_own(names: list[str]) -> None:
    with pytest.raises(SpearmintError, match="name"):
        Optimizer(SPACE, constraints=names)
    with pytest.raises(TypeError, match="must be a list of names"):
        Optimizer(SPACE, constraints="sum")


def test_a_table_has_a_column_for_each_constraint() -> None:
    pytest.importorskip("pandas")
    assert list(told().to_dataframe().columns) == ["x", "n", "value", "sum"]
    assert "<th>sum</th>" in told()._repr_html_()


def test_known_results_have_the_numbers_of_constraints_too() -> None:
    known = ({"x": 2.0, "n": 5}, {"main": 5.0, "sum": 0.0})
    result = minimize(bounded, SPACE, 3, initial=[known], constraints=["sum"], **QUICK)
    assert len(result.history) == 4
    assert result.history[0].constraints == {"sum": 0.0}
    with pytest.raises(ResultError):
        minimize(bounded, SPACE, 3, initial=[({"x": 2.0, "n": 5}, 5.0)], constraints=["sum"])


def test_a_folder_keeps_the_constraints_and_goes_on_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def go(evaluations: int, constraints: list[str]) -> Any:
        return minimize(
            bounded, SPACE, evaluations, path=tmp_path, constraints=constraints, **QUICK
        )

    go(6, ["sum"])
    result = go(10, ["sum"])
    again = minimize(bounded, SPACE, 10, path=tmp_path, constraints=["sum"])  # its settings hold
    assert again.value == result.value
    assert len(result.history) == 10
    alone = minimize(bounded, SPACE, 10, constraints=["sum"], **QUICK)
    assert [e.params for e in result.history] == [e.params for e in alone.history]
    assert result.value == alone.value
    assert exit_code(["best", str(tmp_path)]) == 0
    assert "hold with a probability of: sum" in capsys.readouterr().out
    with pytest.raises(ConfigError, match="its results are of other constraints"):
        go(12, ["sum", "other"])


@pytest.mark.parametrize("folder", [None, "run"])
def test_an_infinite_number_of_a_constraint_is_none_in_memory_and_in_a_folder(
    tmp_path: Path, folder: str | None
) -> None:
    path = None if folder is None else tmp_path / folder
    result = minimize(
        lambda p: {"main": p["x"], "sum": math.inf if p["x"] > 2 else -1.0},
        SPACE, 4, path=path, constraints=["sum"], **QUICK,
    )  # fmt: skip
    assert result.message == "no result fulfils every constraint"


def test_a_constraint_may_be_called_float(tmp_path: Path) -> None:
    optimizer = Optimizer(SPACE, constraints=["float"], **QUICK)
    optimizer.tell({"x": 1.0, "n": 1}, {"main": 1.0, "float": 0.5})
    optimizer.save(tmp_path / "state.json")
    assert Optimizer.load(tmp_path / "state.json").history == optimizer.history


def test_the_search_stays_away_from_where_a_constraint_is_nan() -> None:
    tried: list[bool] = []

    def blind(params: Params) -> dict[str, float]:
        tried.append(params["n"] > 3)
        return bounded(params) | ({"sum": math.nan} if tried[-1] else {})

    result = minimize(blind, SPACE, 20, constraints=["sum"], **QUICK)
    assert sum(tried) <= 8
    assert result.value == pytest.approx(9.0, abs=0.1)
    assert result.recommendation is not None
    assert result.recommendation.params["n"] == 3


@pytest.mark.parametrize("kind", [bool, np.bool_, np.atleast_1d])
def test_true_and_false_say_whether_a_constraint_is_met(kind: Callable[[bool], Any]) -> None:
    optimizer = Optimizer(SPACE, constraints=["sum"], **QUICK)
    for x, met in ((1.0, True), (2.0, False)):
        optimizer.tell({"x": x, "n": 1}, {"main": x, "sum": kind(met)})
    assert [e.constraints["sum"] for e in optimizer.history] == [1.0, -1.0]


def test_a_constraint_by_another_name_is_told_of() -> None:
    def misspelt(params: Params) -> dict[str, float]:
        return {"main": params["x"], "smu": 1.0}

    with pytest.warns(UserWarning, match="no number for the constraint 'sum'.*it has 'smu'"):
        result = minimize(misspelt, SPACE, 4, constraints=["sum"], **QUICK)
    assert result.message == "no result fulfils every constraint; none has sum"


def in_folder(path: Path, *constraints: str | Constraint, evaluations: int = 4) -> Any:
    def function(params: Params) -> dict[str, float]:
        return bounded(params) | {"other": 1.0}

    return minimize(
        function, SPACE, evaluations, path=path, constraints=constraints, progress=False
    )


def test_the_order_of_the_constraints_does_not_matter_in_a_folder(tmp_path: Path) -> None:
    in_folder(tmp_path, "sum", "other")
    result = in_folder(tmp_path, "other", "sum", evaluations=6)
    assert len(result.history) == 6
    assert [c.task for c in result.problem.constraints] == ["sum", "other"]


def test_another_confidence_of_a_constraint_is_taken_told_and_written_down(tmp_path: Path) -> None:
    in_folder(tmp_path, "sum", "other")
    with pytest.warns(UserWarning, match=r"sum: min_confidence was 0\.99 and is 0\.9 now"):
        result = in_folder(tmp_path, Constraint("sum", min_confidence=0.9), "other")
    assert [c.min_confidence for c in result.problem.constraints] == [0.9, 0.99]
    again = in_folder(tmp_path, "sum", "other")  # what it does not name is the folder's
    assert again.problem.constraints == result.problem.constraints


@pytest.mark.parametrize("confidence", [0, 1.5, "high", None])
def test_a_confidence_lies_between_0_and_1(confidence: Any) -> None:
    with pytest.raises(SpearmintError, match="min_confidence must be above 0 and below 1, got"):
        Constraint("sum", min_confidence=confidence)
