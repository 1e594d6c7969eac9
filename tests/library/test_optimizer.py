"""The ask-and-tell interface, and its state on disk."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spearmint_int import (
    ChooserOptions,
    Constraint,
    Enum,
    Float,
    Int,
    Optimizer,
    SpaceError,
    SpaceExhausted,
    SpearmintError,
)
from spearmint_int.errors import ResultError
from spearmint_int.sampling.priors import horseshoe, lognormal
from spearmint_int.variables import Params, Variable

VARIABLES: dict[str, Variable] = {
    "rate": Float(1e-4, 1.0, log=True),
    "depth": Int(1, 12),
    "weights": Float(0, 1, size=2),
    "kind": Enum(["a", "b"]),
}
QUICK: dict[str, Any] = {"samples": 4, "burn_in": 20, "candidates": 200}


def loss(params: Params) -> float:
    return float(math.log10(params["rate"]) ** 2 + params["depth"] + sum(params["weights"]))


def told(count: int = 5, **settings: Any) -> Optimizer:
    optimizer = Optimizer(VARIABLES, seed=3, **(QUICK | settings))
    for _ in range(count):
        params = optimizer.ask()[0]
        optimizer.tell(params, loss(params))
    return optimizer


def distinct(points: list[Params]) -> int:
    return len({json.dumps(params) for params in points})


# --- ask ------------------------------------------------------------------------------------------


def test_points_asked_for_are_pending_until_they_are_told() -> None:
    optimizer = Optimizer(VARIABLES)
    first, second = optimizer.ask(2)
    assert list(optimizer.pending) == [first, second]
    optimizer.tell(first, 1.0)
    assert list(optimizer.pending) == [second]


@pytest.mark.parametrize("likelihood", ["GAUSSIAN", "NOISELESS"])
@pytest.mark.parametrize(
    "variables",
    [
        VARIABLES,
        {"k": Int(0, 9), "j": Int(0, 9)},
        {"k": Int(0, 40)},
        {"x": Float(0, 1)},
        {"e": Enum(list("abcdefgh"))},
    ],
    ids=["mixed", "integers", "one integer", "one real", "enum"],
)
def test_four_points_that_are_asked_for_at_once_are_different(
    variables: dict[str, Variable], likelihood: str
) -> None:
    optimizer = Optimizer(variables, likelihood=likelihood, **QUICK)
    for params in optimizer.ask(3):
        optimizer.tell(params, float(len(json.dumps(params)) % 3))
    assert distinct(optimizer.ask(4)) == 4


def test_points_that_are_asked_for_at_once_are_apart() -> None:
    optimizer = Optimizer({"x": Float(0, 1), "z": Float(0, 1)}, likelihood="NOISELESS", **QUICK)
    for params in optimizer.ask(6):
        optimizer.tell(params, math.sin(9 * params["x"]) * math.cos(7 * params["z"]))
    points = np.array([list(params.values()) for params in optimizer.ask(4)])
    gaps = np.linalg.norm(points[:, np.newaxis] - points, axis=-1)[~np.eye(4, dtype=bool)]
    assert np.min(gaps) > 1e-3


def test_more_points_than_the_space_has_can_be_asked_for_under_noise() -> None:
    optimizer = Optimizer({"k": Int(0, 2)}, **QUICK)
    for params in optimizer.ask(3):
        optimizer.tell(params, float(params["k"]))
    assert distinct(optimizer.ask(5)) == 3


def test_without_noise_the_space_is_used_up_by_what_is_pending() -> None:
    optimizer = Optimizer({"k": Int(0, 2)}, likelihood="NOISELESS", **QUICK)
    assert sorted(params["k"] for params in optimizer.ask(3)) == [0, 1, 2]
    with pytest.raises(SpaceExhausted, match="all 3 points"):
        optimizer.ask()


def test_the_last_points_of_a_space_are_given_where_more_were_asked_for() -> None:
    optimizer = Optimizer({"k": Int(0, 4)}, likelihood="NOISELESS", **QUICK)
    optimizer.ask(3)
    assert len(optimizer.ask(4)) == 2
    with pytest.raises(SpaceExhausted):
        optimizer.ask(4)
    assert len(optimizer.pending) == 5


def test_suggestions_say_where_they_came_from() -> None:
    optimizer = told()
    suggestion = optimizer.suggestions()[0]
    assert suggestion.provenance.observations == 5
    assert optimizer.pending == (suggestion.params,)


def test_a_setting_that_does_not_exist_lists_those_that_do() -> None:
    with pytest.raises(TypeError, match="no such setting: acquisiton; did you mean 'acquisition'"):
        Optimizer(VARIABLES, acquisiton="ei")


def test_settings_change_the_options_that_are_given() -> None:
    optimizer = Optimizer(VARIABLES, options=ChooserOptions(samples=7), kernel="matern32")
    assert (optimizer.options.samples, optimizer.options.kernel) == (7, "matern32")


# --- what is handed out ---------------------------------------------------------------------------


def spoil(params: Params) -> None:
    params["weights"].append(9.0)
    params["rate"] = -1.0
    params.clear()


@pytest.mark.parametrize(
    "handed_out",
    [
        lambda o: o.best().params,
        lambda o: o.history[0].params,
        lambda o: o.recommend().params,
        lambda o: o.pending[0],
        lambda o: o.ask()[0],
        lambda o: o.suggestions()[0].params,
    ],
    ids=["best", "history", "recommend", "pending", "ask", "suggestions"],
)
def test_parameters_that_are_handed_out_may_be_changed(
    handed_out: Callable[[Optimizer], Params],
) -> None:
    optimizer, other = told(), told()
    for each in (optimizer, other):
        each.ask()
    spoil(handed_out(optimizer))
    handed_out(other)
    assert (optimizer.best(), optimizer.pending) == (other.best(), other.pending)
    assert optimizer.history == other.history
    assert optimizer.recommend().params == other.recommend().params  # type: ignore[union-attr]
    assert optimizer.ask() == other.ask()


def test_points_that_are_handed_out_may_be_changed() -> None:
    optimizer, other = told(), told()
    for each in (optimizer, other):
        points = [each.history[0].point, each.suggestions()[0].point]
    for point in points:
        point[:] = 0.5
    assert optimizer.ask() == other.ask()


def test_a_table_that_is_handed_out_may_be_changed() -> None:
    pytest.importorskip("pandas")
    optimizer = told()
    optimizer.to_dataframe()["weights"][0].append(9.0)
    assert optimizer.history == told().history


def test_priors_that_were_given_may_be_changed() -> None:
    priors = {"noise": horseshoe(0.1)}
    optimizer = Optimizer(VARIABLES, priors=priors)
    priors.clear()
    assert optimizer.options.priors == {"noise": horseshoe(0.1)}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy], ids=["copy", "deepcopy"])
def test_what_is_told_to_a_copy_is_nothing_to_the_other_one(
    copied: Callable[[Optimizer], Optimizer],
) -> None:
    optimizer = told()
    params = copied(optimizer).ask()[0]
    twin = copied(optimizer)
    twin.tell(params, 0.0)
    assert (len(optimizer.history), len(optimizer.pending), len(twin.history)) == (5, 0, 6)
    assert optimizer.ask() == [params]


# --- tell -----------------------------------------------------------------------------------------


def test_results_at_points_of_ones_own_are_taken() -> None:
    optimizer = Optimizer({"k": Int(0, 9)}, **QUICK)
    for k in range(4):
        optimizer.tell({"k": np.int64(k)}, np.float32(k))
    assert [e.params for e in optimizer.history] == [{"k": k} for k in range(4)]
    assert optimizer.ask()[0]["k"] in range(10)


def test_a_result_outside_of_the_space_is_refused_and_changes_nothing() -> None:
    optimizer = Optimizer({"k": Int(0, 9)})
    with pytest.raises(SpaceError, match="k: must lie in"):
        optimizer.tell({"k": 10}, 1.0)
    assert optimizer.history == ()


def test_a_value_that_is_no_number_is_refused_and_stays_pending() -> None:
    optimizer = Optimizer({"k": Int(0, 9)})
    params = optimizer.ask()[0]
    with pytest.raises((TypeError, ValueError)):
        optimizer.tell(params, "much")  # type: ignore[arg-type]
    assert optimizer.pending == (params,)


def test_basic_remembers_the_unrounded_point_of_what_it_asked_for() -> None:
    optimizer = Optimizer({"k": Int(0, 4)}, treatment="basic", **QUICK)
    suggestion = optimizer.suggestions()[0]
    optimizer.tell(suggestion.params, 1.0)
    assert np.array_equal(optimizer.history[0].point, suggestion.point)


def test_the_best_is_the_least_finite_value() -> None:
    optimizer = Optimizer({"k": Int(0, 9)})
    assert optimizer.best() is None
    for k, value in enumerate([3.0, math.nan, 1.0, -math.inf, 2.0]):
        optimizer.tell({"k": k}, value)
    best = optimizer.best()
    assert best is not None
    assert (best.params, best.value) == ({"k": 2}, 1.0)


def test_there_is_no_recommendation_without_two_results() -> None:
    optimizer = Optimizer({"k": Int(0, 9)})
    assert optimizer.recommend() is None
    optimizer.tell({"k": 1}, math.nan)
    optimizer.tell({"k": 2}, 1.0)
    assert optimizer.recommend() is None
    optimizer.tell({"k": 3}, 2.0)
    assert optimizer.recommend() is not None


# --- on disk --------------------------------------------------------------------------------------


@pytest.mark.parametrize("treatment", ["proposed", "basic", "naive"])
def test_a_loaded_optimizer_goes_on_with_the_same_suggestions(
    treatment: str, tmp_path: Path
) -> None:
    optimizer = told(treatment=treatment)
    optimizer.ask(2)
    optimizer.save(tmp_path / "state.json")
    loaded = Optimizer.load(tmp_path / "state.json")
    for _ in range(3):
        one, two = optimizer.ask()[0], loaded.ask()[0]
        assert one == two
        optimizer.tell(one, loss(one))
        loaded.tell(two, loss(two))
    assert optimizer.recommend() is not None
    assert str(optimizer.recommend()) == str(loaded.recommend())


def test_everything_survives_saving(tmp_path: Path) -> None:
    priors = {"noise": horseshoe(0.2), "length_scale": lognormal(-1.0, 1.0)}
    optimizer = told(priors=priors, acquisition="pi", likelihood="NOISELESS")
    optimizer.ask(2)
    optimizer.save(tmp_path / "state.json")
    loaded = Optimizer.load(tmp_path / "state.json")
    assert loaded.space == optimizer.space
    assert loaded.options == optimizer.options
    assert loaded.seed == optimizer.seed
    assert loaded.pending == optimizer.pending
    assert str(loaded.history) == str(optimizer.history)


def test_what_was_asked_for_and_what_was_known_survive_saving(tmp_path: Path) -> None:
    optimizer = Optimizer({"k": Int(1, 9)})
    for params in [*optimizer.ask(), {"k": 9}]:
        optimizer.tell(params, 1.0)
    optimizer.save(tmp_path / "state.json")
    saved = Optimizer.load(tmp_path / "state.json").history
    assert [e.was_asked for e in saved] == [e.was_asked for e in optimizer.history] == [True, False]


def test_failures_survive_saving(tmp_path: Path) -> None:
    optimizer = Optimizer({"k": Int(0, 9)})
    for k, value in enumerate([math.nan, math.inf, -math.inf, 1e300, 5e-324]):
        optimizer.tell({"k": k}, value)
    optimizer.save(tmp_path / "state.json")
    values = [e.value for e in Optimizer.load(tmp_path / "state.json").history]
    assert str(values) == "[nan, inf, -inf, 1e+300, 5e-324]"


def test_a_saved_optimizer_is_strict_json_and_nothing_else_is_left(tmp_path: Path) -> None:
    optimizer = told()
    optimizer.tell({**optimizer.history[0].params}, math.nan)
    optimizer.save(tmp_path / "state.json")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads((tmp_path / "state.json").read_text(), parse_constant=refuse)
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_saving_again_replaces_the_file(tmp_path: Path) -> None:
    optimizer = told(2)
    optimizer.save(tmp_path / "state.json")
    optimizer.tell(optimizer.ask()[0], 1.0)
    optimizer.save(str(tmp_path / "state.json"))
    assert len(Optimizer.load(tmp_path / "state.json").history) == 3


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"format": 99}', b'{"format": 1}', b"\x80\x04\x95",
     b'{"format": 1, "options": 3}'],
)  # fmt: skip
def test_a_file_of_another_kind_is_refused_by_its_name(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(SpearmintError, match=r"other.json: not a saved optimizer"):
        Optimizer.load(path)


@pytest.mark.parametrize(
    "evaluation",
    [{"point": [0.5]}, {"point": ["a"] * 5}, {"value": "a"}, {"value": None}],
)
def test_a_file_whose_evaluations_cant_be_is_refused_by_its_name(
    evaluation: dict[str, Any], tmp_path: Path
) -> None:
    told(1).save(tmp_path / "state.json")
    stored = json.loads((tmp_path / "state.json").read_text())
    stored["evaluations"][0] |= evaluation
    (tmp_path / "state.json").write_text(json.dumps(stored))
    with pytest.raises(SpearmintError, match=r"state.json: not a saved optimizer"):
        Optimizer.load(tmp_path / "state.json")


# --- at its edges ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"direction": None}, "unknown direction None; there are minimize, maximize"),
        ({"kernel": 3}, "unknown kernel 3; there are"),
        ({"priors": {3: horseshoe(0.1)}}, "unknown hyperparameter 3; there are"),
        ({"priors": None}, "priors must map hyperparameters to priors, got None"),
    ],
)
def test_what_is_no_name_is_refused_as_an_unknown_one(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SpearmintError, match=sentence):
        Optimizer(VARIABLES, **given)


def test_a_space_that_is_a_list_is_refused_with_what_it_must_be() -> None:
    with pytest.raises(SpaceError, match=r"a space maps names to variables, .* got a list"):
        Optimizer([Float(0, 1)])  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, -1, 2.5, True])
def test_only_a_count_from_one_on_can_be_asked_for(count: Any) -> None:
    with pytest.raises(SpearmintError, match="a whole number from 1 on, got"):
        Optimizer(VARIABLES).ask(count)
    with pytest.raises(SpearmintError, match="whole number from 1 on"):
        Optimizer(VARIABLES).suggestions(count)


@pytest.mark.parametrize(
    "value", [None, "low", [1.0, 2.0], 1j, np.complex128(1.0), np.array([1.0 + 2j])]
)
def test_a_result_that_is_no_number_is_refused_and_changes_nothing(value: Any) -> None:
    optimizer = Optimizer(VARIABLES)
    params = optimizer.ask()[0]
    with pytest.raises(SpearmintError, match=r"a result must be a number, got .*; NaN says"):
        optimizer.tell(params, value)
    assert optimizer.pending == (params,)
    assert optimizer.history == ()


def test_parameters_and_results_of_pandas_are_taken() -> None:
    pd = pytest.importorskip("pandas")
    optimizer = Optimizer({"w": Float(0, 1, size=2), "k": Int(0, 9)})
    optimizer.tell({"w": pd.Series([0.25, 0.5]), "k": pd.Series([3])[0]}, pd.Series([7.0]))
    assert [(e.params, e.value) for e in optimizer.history] == [({"w": [0.25, 0.5], "k": 3}, 7.0)]


def test_what_is_no_parameters_is_refused_by_predict_too() -> None:
    with pytest.raises(SpaceError, match="parameters must map names to values, got a"):
        told().predict(3)  # type: ignore[arg-type]


def test_a_folder_that_is_not_there_is_named_when_it_is_saved_into(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no such folder: .*/none'"):
        told(1).save(tmp_path / "none" / "run.json")


def test_a_point_whose_worker_died_can_be_forgotten() -> None:
    optimizer = Optimizer({"k": Int(0, 1)}, likelihood="NOISELESS")
    first, _ = optimizer.ask(2)
    optimizer.forget(first)
    assert optimizer.ask() == [first]


def test_what_nobody_has_asked_for_cant_be_forgotten() -> None:
    with pytest.raises(SpearmintError, match="nobody has asked for"):
        Optimizer({"k": Int(0, 9)}).forget({"k": 3})


def test_guesses_are_asked_first_and_survive_a_save(tmp_path: Path) -> None:
    guesses = [{"k": 7, "x": 0.5}, {"k": 2, "x": 0.25}]
    optimizer = Optimizer({"k": Int(0, 9), "x": Float(0, 1)}, initial=guesses, **QUICK)
    assert optimizer.ask() == guesses[:1]
    optimizer.save(tmp_path / "saved.json")
    loaded = Optimizer.load(tmp_path / "saved.json")
    assert loaded.ask(2)[0] == guesses[1]


def test_a_list_where_a_number_of_points_belongs_names_the_right_argument() -> None:
    with pytest.raises(TypeError, match="give guesses as initial="):
        Optimizer(VARIABLES, initial_points=[{"rate": 0.1}])


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(SpearmintError, match="did you mean 'maximize'"):
        Optimizer(VARIABLES, direction="maximise")


def test_the_direction_survives_a_save(tmp_path: Path) -> None:
    Optimizer(VARIABLES, direction="maximize").save(tmp_path / "saved.json")
    assert Optimizer.load(tmp_path / "saved.json").direction == "maximize"


def test_a_pool_of_threads_may_share_it() -> None:
    optimizer = Optimizer({"k": Int(0, 50), "x": Float(0, 1)}, likelihood="NOISELESS", **QUICK)

    def work(_: int) -> None:
        params = optimizer.ask()[0]
        optimizer.tell(params, params["k"] + params["x"])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(16)))
    assert len(optimizer.history) == 16
    assert optimizer.pending == ()
    assert distinct([e.params for e in optimizer.history]) == 16


def test_it_prints_where_it_stands() -> None:
    optimizer = Optimizer({"k": Int(0, 9)})
    assert repr(optimizer) == "<Optimizer: 0 told, 0 pending, no result yet>"
    optimizer.tell({"k": 3}, 0.5)
    assert repr(optimizer) == "<Optimizer: 1 told, 0 pending, best 0.5 at {'k': 3}>"
    assert repr(optimizer.history[0]) == "Evaluation(params={'k': 3}, value=0.5)"


def test_a_notebook_shows_the_evaluations_as_a_table() -> None:
    optimizer = Optimizer({"<k>": Int(0, 9)})
    optimizer.tell({"<k>": 3}, 0.5)
    optimizer.tell({"<k>": 4}, 0.25)
    shown = optimizer._repr_html_()
    assert "<tr><th>2</th><th>4</th><th>0.25</th></tr>" in shown
    assert "&lt;k&gt;" in shown


def test_a_variable_called_value_has_a_column_of_its_own_in_the_table() -> None:
    pytest.importorskip("pandas")
    optimizer = Optimizer({"value": Int(1, 9)})
    optimizer.tell({"value": 7}, 0.5)
    assert optimizer.to_dataframe().to_dict("list") == {"params.value": [7], "value": [0.5]}


def test_the_evaluations_are_a_table_of_pandas() -> None:
    table = told(3).to_dataframe()
    assert list(table.columns) == [*VARIABLES, "value"]
    assert table["value"].tolist() == [e.value for e in told(3).history]


@pytest.mark.parametrize("bound", [1e-4, 0.3, 7e-5])
def test_a_bound_on_a_log_scale_comes_back_as_itself(bound: float) -> None:
    for variable in (Float(bound, 10.0, log=True), Float(1e-9, bound, log=True)):
        optimizer = Optimizer({"x": variable})
        optimizer.tell({"x": bound}, 1.0)
        assert optimizer.history[0].params == {"x": bound}


def test_a_pickled_copy_asks_for_the_same_points() -> None:
    optimizer = told(4)
    copy = pickle.loads(pickle.dumps(optimizer))
    assert copy.ask(2) == optimizer.ask(2)


@pytest.mark.parametrize("likelihood", ["noiseless", "Noiseless", "NOISELESS"])
def test_a_likelihood_may_be_spelt_in_any_case(likelihood: str) -> None:
    assert Optimizer(VARIABLES, likelihood=likelihood).options.noiseless


def test_every_setting_of_a_chooser_has_its_sentence() -> None:
    source = ast.parse(inspect.getsource(ChooserOptions))
    body = source.body[0].body  # type: ignore[attr-defined]
    fields = [n for n, node in enumerate(body) if isinstance(node, ast.AnnAssign)]
    for n in fields:
        following = body[n + 1]
        assert isinstance(following, ast.Expr)
        assert isinstance(following.value, ast.Constant)


def test_guesses_are_given_where_the_space_has_nothing_beside_them() -> None:
    both = [{"k": 0}, {"k": 1}]
    optimizer = Optimizer({"k": Int(0, 1)}, likelihood="NOISELESS", initial=both)
    assert optimizer.ask(3) == both


def test_without_noise_a_guess_is_asked_for_once_and_not_where_it_was_told() -> None:
    optimizer = Optimizer({"k": Int(0, 5)}, likelihood="NOISELESS", initial=[{"k": 3}, {"k": 3}])
    assert [params["k"] for params in optimizer.ask(2)].count(3) == 1
    told = Optimizer({"k": Int(0, 5)}, likelihood="NOISELESS", initial=[{"k": 3}])
    told.tell({"k": 3}, 1.0)
    assert told.ask() != [{"k": 3}]


def test_under_noise_a_guess_may_be_meant_twice() -> None:
    optimizer = Optimizer({"k": Int(0, 5)}, initial=[{"k": 3}, {"k": 3}])
    assert optimizer.ask(2) == [{"k": 3}, {"k": 3}]


# --- what is handed out and taken -----------------------------------------------------------------

SMALL: dict[str, Variable] = {"a": Int(1, 12), "b": Int(1, 12)}


def test_what_was_asked_for_may_be_changed_and_is_told_as_it_is_then() -> None:
    optimizer = Optimizer(SMALL)
    first, second = optimizer.ask(2)
    first["a"] = 13 - first["a"]
    optimizer.tell(first, 2.0)
    assert optimizer.history[-1].params == first
    second.pop("a")
    assert len(optimizer.pending) == 2
    assert all(set(params) == {"a", "b"} for params in optimizer.pending)


def test_a_pending_point_is_not_the_suggestions_own_dictionary() -> None:
    optimizer = Optimizer(SMALL)
    (suggestion,) = optimizer.suggestions()
    suggestion.params.clear()
    assert set(optimizer.pending[0]) == {"a", "b"}


def test_parameters_of_ones_own_come_back_as_they_were_given() -> None:
    """The way into the cube and back costs the last digits."""
    space = {"x": Float(1e-4, 1, log=True), "y": Float(-3, 7), "w": Float(0, 3, size=2)}
    given = {"x": 0.1, "y": 0.3, "w": [0.1, 0.7]}
    optimizer = Optimizer(space, initial=[given])
    assert optimizer.ask() == [given]
    optimizer.tell(given, 1.0)
    optimizer.tell({**given, "y": 0.6}, 2.0)
    assert [e.params for e in optimizer.history] == [given, {**given, "y": 0.6}]


def test_two_evaluations_are_equal_by_their_parameters_and_value() -> None:
    one, other = Optimizer(SMALL), Optimizer(SMALL)
    for optimizer in (one, other):
        optimizer.tell({"a": 1, "b": 2}, 3.0)
    assert one.best() == other.best()


@pytest.mark.parametrize(
    ("params", "text"),
    [([{"a": 1, "b": 2}], "got a list; give one of them"), (3, "got a int"), (None, "NoneType")],
)
def test_parameters_that_are_no_mapping_are_refused_in_a_sentence(params: Any, text: str) -> None:
    with pytest.raises(SpaceError, match=text):
        Optimizer(SMALL).tell(params, 1.0)


def test_a_number_beyond_the_floats_is_a_failure_and_a_text_is_none() -> None:
    optimizer = Optimizer(SMALL)
    results: list[Any] = [10**400, np.array([3.0])]
    for b, result in enumerate(results, start=1):
        optimizer.tell({"a": 1, "b": b}, result)
    assert [e.value for e in optimizer.history] == [math.inf, 3.0]
    text: Any = " 7 "
    with pytest.raises(ResultError, match="must be a number, got ' 7 '"):
        optimizer.tell({"a": 1, "b": 3}, text)


def test_numpys_integers_count_too() -> None:
    two: Any = np.int64(2)
    assert len(Optimizer(SMALL).ask(two)) == 2


def test_a_seed_of_none_is_another_each_time_and_others_are_whole_numbers() -> None:
    assert Optimizer(SMALL, seed=None).seed != Optimizer(SMALL, seed=None).seed
    impossible: list[Any] = [1.5, -1, "0", True]
    for seed in impossible:
        with pytest.raises(SpearmintError, match="seed must be a whole number"):
            Optimizer(SMALL, seed=seed)


@pytest.mark.parametrize(
    ("initial", "text"),
    [([({"a": 1, "b": 2}, 0.5)], "known goes to tell"), (3, "list of guesses, got 3")],
)
def test_what_is_no_guess_is_refused_with_where_it_belongs(initial: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        Optimizer(SMALL, initial=initial)


def test_options_in_a_dictionary_are_refused_with_how_to_give_them() -> None:
    options: Any = {"likelihood": "NOISELESS"}
    with pytest.raises(TypeError, match="give each setting by its name"):
        Optimizer(SMALL, options=options)


def test_pandas_rows_are_refused_with_how_to_give_them() -> None:
    table = pytest.importorskip("pandas").DataFrame({"a": [1, 2], "b": [2, 3]})
    optimizer = Optimizer(SMALL)
    with pytest.raises(SpaceError, match=r"got a Series; give its \.to_dict\(\)"):
        optimizer.tell(table.loc[0], 1.0)
    optimizer.tell(table.loc[0].to_dict(), 1.0)
    with pytest.raises(SpaceError, match=r"got a DataFrame; give \.to_dict\('records'\)"):
        optimizer.predict(table)


def test_numpys_reals_as_settings_can_be_saved(tmp_path: Path) -> None:
    half: Any = np.float32(0.5)
    sure = Constraint("sure", min_confidence=half)
    Optimizer(VARIABLES, spray_std=half, constraints=[sure]).save(tmp_path / "o.json")
    assert Optimizer.load(tmp_path / "o.json").options.spray_std == 0.5


def test_numpys_integers_as_settings_can_be_saved(tmp_path: Path) -> None:
    samples: Any = np.int64(3)
    Optimizer(SMALL, samples=samples).save(tmp_path / "state.json")
    assert Optimizer.load(tmp_path / "state.json").options.samples == 3


def test_a_single_guess_is_told_to_be_a_list() -> None:
    guess: Any = {"a": 1, "b": 2}
    with pytest.raises(TypeError, match="list of guesses"):
        Optimizer(SMALL, initial=guess)


def test_the_name_of_a_variable_is_a_text() -> None:
    variables: Any = {1: Int(1, 5)}
    with pytest.raises(SpaceError, match="must be a text"):
        Optimizer(variables)
