"""`minimize` in a folder: what the next call, another process and the command line make of it."""

from __future__ import annotations

import json
import pickle
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spearmint_int import (
    ChooserOptions,
    Enum,
    Float,
    Int,
    Optimizer,
    SpaceExhausted,
    SpearmintError,
    Stop,
    load_config,
    minimize,
    open_store,
)
from spearmint_int.errors import ConfigError, StoreError
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.reservation import reserve, tell
from spearmint_int.jobs import JobStatus, Source
from spearmint_int.library.folder import FolderLock, optimizer_in
from spearmint_int.library.folder_config import KEYS, NOT_WRITTEN, config_document
from spearmint_int.library.result import MinimizeResult
from spearmint_int.library.stored_optimizer import StoredOptimizer
from spearmint_int.sampling.priors import gamma, lognormal, normal, uniform
from spearmint_int.variables import Params
from tests.cli.conftest import CommandLine, spearmint

__all__ = ["spearmint"]
QUICK: dict[str, Any] = {"samples": 4, "burn_in": 20, "candidates": 100}
SPACE: dict[str, Any] = {"d": Int(1, 50), "r": Float(0, 1)}


def bowl(params: Params) -> float:
    return float((params["d"] - 20) ** 2 + abs(params["r"] - 0.3))


def run(path: Path, evaluations: int, space: dict[str, Any] | None = None, **other: Any) -> Any:
    return minimize(bowl, space or SPACE, evaluations, path=path, **{**QUICK, **other})


def modelled(result: MinimizeResult) -> list[list[float]]:
    points: list[list[float]] = result.problem.observations.points.tolist()
    return points


# --- other variables ------------------------------------------------------------------------------


def test_results_keep_their_place_when_the_config_is_edited(tmp_path: Path) -> None:
    run(tmp_path, 6)
    config = json.loads((tmp_path / "config.json").read_text())
    config["variables"]["d"]["max"] = 100
    (tmp_path / "config.json").write_text(json.dumps(config))
    result = run(tmp_path, 8, {"d": Int(1, 100), "r": Float(0, 1)})
    places = [[(e.params["d"] - 0.5) / 100, e.params["r"]] for e in result.history]
    np.testing.assert_allclose(modelled(result), places, atol=1e-9)


def test_wider_bounds_of_the_call_are_taken_told_and_written_down(tmp_path: Path) -> None:
    run(tmp_path, 4)
    with pytest.warns(UserWarning, match="d was 1 to 50 and is 1 to 100 now: all results are kept"):
        result = run(tmp_path, 6, {"d": Int(1, 100), "r": Float(0, 1)})
    assert len(result.history) == 6
    assert load_config(tmp_path).space().variables["d"] == Int(1, 100)
    assert run(tmp_path, 6, {"d": Int(1, 100), "r": Float(0, 1)}).history == result.history


def test_the_best_of_a_call_lies_within_its_bounds(tmp_path: Path) -> None:
    minimize(bowl, SPACE, 2, path=tmp_path, initial=[{"d": 20, "r": 0.5}], **QUICK)
    with pytest.warns(UserWarning, match="outside of the new bounds"):
        result = run(tmp_path, 4, {"d": Int(30, 50), "r": Float(0, 1)})
    assert len(result.history) == 4
    assert result.params["d"] >= 30


def test_options_may_come_and_go(tmp_path: Path) -> None:
    def length(params: Params) -> float:
        return float(len(params["e"]) + params["x"])

    def after(evaluations: int, *options: str) -> MinimizeResult:
        space: dict[str, Any] = {"x": Float(0, 1), "e": Enum(options)}
        return minimize(length, space, evaluations, path=tmp_path, **QUICK)

    first = after(6, "a", "bb")
    with pytest.warns(UserWarning, match="e has other options"):
        more = after(8, "ccc", "a", "bb")
    assert more.history[:6] == first.history
    with pytest.warns(UserWarning, match='the model leaves out results with "a"'):
        less = after(9, "bb", "ccc")
    assert all(e.params["e"] != "a" for e in less.history)
    assert len(modelled(less)) == len(less.history)


def test_results_that_a_log_scale_has_no_place_for_are_told_of(tmp_path: Path) -> None:
    run(tmp_path, 4, initial=[{"d": 20, "r": 0.0}])
    with pytest.warns(UserWarning, match="but for those at 0 and below, for which a log scale has"):
        result = run(tmp_path, 4, {**SPACE, "r": Float(0.1, 1, log=True)})
    assert len(modelled(result)) == 3


def test_a_call_that_is_refused_leaves_the_config_as_it_was(tmp_path: Path) -> None:
    run(tmp_path, 3)
    (tmp_path / "config.json").unlink()
    with pytest.raises(ConfigError, match=r"variables\.z: is new"):
        run(tmp_path, 4, {"z": Int(0, 5)})
    assert len(run(tmp_path, 4).history) == 4


def test_the_order_of_the_variables_does_not_matter(tmp_path: Path) -> None:
    first = run(tmp_path, 4)
    assert run(tmp_path, 4, dict(reversed(SPACE.items()))).history == first.history


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        ({"d": Int(1, 50)}, "r is missing in the call"),
        ({**SPACE, "new": Int(0, 1)}, "new is new in the call"),
        ({"d": Float(1, 50), "r": Float(0, 1)}, "d is Int there, and Float in the call"),
        ({"d": Int(1, 50), "r": Float(0, 1, size=2)}, "and Float of size 2 in the call"),
    ],
)
def test_other_variables_are_refused_by_name(
    tmp_path: Path, space: dict[str, Any], sentence: str
) -> None:
    run(tmp_path, 2)
    before = (tmp_path / "config.json").read_text()
    with pytest.raises(ConfigError, match=f"{sentence}; take another folder"):
        run(tmp_path, 3, space)
    assert (tmp_path / "config.json").read_text() == before


def test_the_other_direction_is_refused(tmp_path: Path) -> None:
    run(tmp_path, 2)
    with pytest.raises(ConfigError, match='of direction="minimize", got "maximize"; give that'):
        run(tmp_path, 3, direction="maximize")


def test_a_config_that_was_written_by_hand_is_not_written_to(tmp_path: Path) -> None:
    run(tmp_path, 2)
    by_hand = (tmp_path / "config.json").read_text().replace("called-by-minimize.py", "mine.py")
    (tmp_path / "config.json").write_text(by_hand)
    with pytest.raises(ConfigError, match="something else of d than the call"):
        run(tmp_path, 3, {"d": Int(1, 60), "r": Float(0, 1)})
    assert (tmp_path / "config.json").read_text() == by_hand


# --- settings -------------------------------------------------------------------------------------

OTHERS: dict[str, Any] = {
    "treatment": "basic",
    "likelihood": "NOISELESS",
    "kernel": "matern32",
    "acquisition": "ei",
    "priors": {
        "noise": lognormal(-3, 2, upper=0.5),
        "mean": normal(0, 2),
        "length_scale": gamma(2, 3),
        "output_power": uniform(0, 1),
    },
    "output_warp": False,
    "trend": False,
    "input_warp": "auto",
    "samples": 3,
    "burn_in": 7,
    "thinning": 1,
    "chains": 2,
    "fantasies": 2,
    "candidates": 77,
    "candidates_seed": 3,
    "spray": 4,
    "spray_std": 0.25,
    "initial_points": 5,
}


def test_every_option_is_written_down_or_is_known_not_to_be() -> None:
    assert {*KEYS, NOT_WRITTEN} == {field.name for field in fields(ChooserOptions)}
    assert KEYS.keys() == OTHERS.keys()


def test_a_config_says_every_option_that_has_a_key(tmp_path: Path) -> None:
    optimizer = Optimizer(SPACE, **OTHERS)
    (tmp_path / "config.json").write_text(json.dumps(config_document(optimizer)))
    assert load_config(tmp_path).chooser_options() == optimizer.options


def test_the_command_line_has_the_model_of_the_run(tmp_path: Path, spearmint: CommandLine) -> None:
    result = run(tmp_path, 5, trend=False, priors={"noise": lognormal(-3, 2)})
    assert result.recommendation is not None
    model = spearmint("best", "--json", tmp_path).json["model"]
    assert model["params"] == result.recommendation.params
    assert model["mean"] == result.recommendation.mean


def test_what_a_call_does_not_say_is_as_in_the_folder(tmp_path: Path) -> None:
    run(tmp_path, 3, likelihood="NOISELESS", trend=False, chains=2, initial_points=3)
    options = minimize(bowl, SPACE, 3, path=tmp_path).problem.options
    told = ChooserOptions(likelihood="NOISELESS", trend=False, chains=2, initial_points=3)
    assert options == replace(told, **QUICK)


def test_threads_are_each_calls_own_and_nothing_to_the_folder(tmp_path: Path) -> None:
    run(tmp_path, 3, chains=2, threads=2)
    written = (tmp_path / "config.json").read_text()
    assert minimize(bowl, SPACE, 3, path=tmp_path, threads=3).problem.options.threads == 3
    assert minimize(bowl, SPACE, 3, path=tmp_path).problem.options.threads == 1
    assert (tmp_path / "config.json").read_text() == written


def test_what_a_call_says_otherwise_is_told_and_written_down(tmp_path: Path) -> None:
    run(tmp_path, 3)
    with pytest.warns(UserWarning, match='likelihood was "GAUSSIAN" and is "NOISELESS" now'):
        minimize(bowl, SPACE, 4, path=tmp_path, options=ChooserOptions(likelihood="NOISELESS"))
    assert load_config(tmp_path).likelihood == "NOISELESS"
    assert run(tmp_path, 4).problem.options.noiseless


def test_a_seed_that_is_not_the_folders_is_told_to_have_no_effect(tmp_path: Path) -> None:
    run(tmp_path, 3, seed=3)
    with pytest.warns(UserWarning, match="its seed is 3, that of the first call; seed=5 has no"):
        run(tmp_path, 3, seed=5)
    for seed in (3, None):  # without any warning
        run(tmp_path, 3, seed=seed)
    assert run(tmp_path, 3).problem.seed == 3


@pytest.mark.parametrize("other", [{"seed": 5}, {"samples": 5}])
def test_a_warning_is_told_at_the_line_that_called(tmp_path: Path, other: dict[str, Any]) -> None:
    minimize(bowl, SPACE, 3, path=tmp_path)
    with pytest.warns(UserWarning, match=str(tmp_path)) as told:
        minimize(bowl, SPACE, 3, path=tmp_path, **other)
    assert [each.filename for each in told] == [__file__]


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        ({"f": Enum([True, False])}, r"with path=, variables.f.options\[0\]: must be text or a"),
        ({"a b": Int(0, 5)}, "with path=, variables: a name must be without"),
        ({"e": Enum([float("inf"), 1.0])}, "with path=, .* or leave out path="),
    ],
)
def test_what_a_folder_cant_keep_is_told_of_the_call(
    tmp_path: Path, space: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ConfigError, match=sentence) as told:
        run(tmp_path, 2, space)
    assert "config.json" not in str(told.value)
    assert len(run(tmp_path, 2).history) == 2


def test_a_config_of_another_program_is_told_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(ConfigError, match=r": config\.json: .* another program's"):
        run(tmp_path, 2)
    assert (tmp_path / "config.json").read_text() == '{"model_type": "bert"}'


def test_a_folder_that_cant_be_made_is_told_in_a_sentence() -> None:
    with pytest.raises(ConfigError, match="/proc/none: can't be made: "):
        run(Path("/proc/none"), 2)


def test_no_path_is_not_the_present_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="path must name a folder, got ''"):
        minimize(bowl, SPACE, 2, path="")
    assert list(tmp_path.iterdir()) == []


def test_an_option_that_is_no_option_leaves_no_folder_behind(tmp_path: Path) -> None:
    with pytest.raises(SpearmintError, match="burn_in must be at least 0, got -1"):
        run(tmp_path / "new", 2, burn_in=-1)
    assert not (tmp_path / "new").exists()


# --- what was told, and the store -----------------------------------------------------------------


@pytest.fixture
def in_folder(tmp_path: Path) -> Iterator[StoredOptimizer]:
    asked = Optimizer(SPACE, **QUICK)
    with optimizer_in(tmp_path, asked, given=QUICK, initial=[{"d": 3, "r": 0.5}]) as optimizer:
        yield optimizer


def test_a_suggestion_is_not_confused_with_what_was_left(in_folder: StoredOptimizer) -> None:
    left = in_folder.ask()[0]
    in_folder.forget(left)
    chosen = in_folder.suggestions()[0].params
    assert in_folder.pending == (chosen,)
    in_folder.tell(chosen, 1.0)
    assert [e.was_asked for e in in_folder.history] == [True]
    assert in_folder.ask() == [left]


def test_a_result_that_the_store_did_not_take_is_written_later_and_once(
    in_folder: StoredOptimizer, tmp_path: Path
) -> None:
    params = in_folder.ask()[0]
    with closing(sqlite3.connect(tmp_path / "spearmint.sqlite")) as connection:
        refuse = "CREATE TRIGGER no BEFORE UPDATE ON jobs BEGIN SELECT RAISE(ABORT, 'no'); END"
        connection.execute(refuse)
        with pytest.raises(StoreError):
            in_folder.tell(params, 2.0)
        connection.execute("DROP TRIGGER no")
    in_folder.ask()
    assert [e.value for e in in_folder.history] == [2.0]
    with closing(open_store(load_config(tmp_path))) as store:
        assert store.job(1).values == {"main": 2.0}


def test_a_result_of_a_job_that_was_deleted_is_kept(
    in_folder: StoredOptimizer, tmp_path: Path
) -> None:
    params = in_folder.ask()[0]
    with closing(open_store(load_config(tmp_path))) as store:
        store.remove(1)
        in_folder.tell(params, 2.0)
        assert [(job.source, job.values) for job in store.jobs()] == [(Source.USER, {"main": 2.0})]


def test_no_guess_is_added_to_variables_that_were_declared_anew(
    in_folder: StoredOptimizer, tmp_path: Path
) -> None:
    config = load_config(tmp_path)
    wider = config.variables["d"].model_copy(update={"max": 99})
    other = config.model_copy(update={"variables": {**config.variables, "d": wider}})
    with closing(open_store(config)) as store:
        StoredExperiment.begin(other, store)
        with pytest.raises(ConfigError, match="declared them otherwise"):
            in_folder.ask()
        assert store.jobs() == []


# --- one at a time --------------------------------------------------------------------------------


def test_a_folder_in_use_is_refused_and_says_by_whom(tmp_path: Path) -> None:
    def reentrant(params: Params) -> float:
        with pytest.raises(SpearmintError, match=r"another minimize .* \(process \d+ on .*; wait"):
            run(tmp_path, 4)
        return bowl(params)

    assert len(minimize(reentrant, SPACE, 4, path=tmp_path, **QUICK).history) == 4


KILLED = textwrap.dedent("""
    import os, signal, sys, time
    from spearmint_int import Float, Int, minimize

    def function(params):
        function.calls += 1
        if function.calls == 4:
            if sys.argv[2] == "forked" and os.fork() == 0:
                time.sleep(20)
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        return float((params["d"] - 20) ** 2 + abs(params["r"] - 0.3))

    function.calls = 0
    quick = {"samples": 4, "burn_in": 20, "candidates": 100}
    minimize(function, {"d": Int(1, 50), "r": Float(0, 1)}, 6, path=sys.argv[1], **quick)
""")


def kill_one(path: Path, how: str = "alone") -> None:
    """A run of six evaluations, killed in the fourth."""
    command = [sys.executable, "-c", KILLED, str(path), how]
    ended = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    assert ended.returncode == -signal.SIGKILL


@pytest.mark.parametrize("how", ["alone", "forked"])
def test_a_run_that_was_killed_is_gone_on_from_where_it_was(tmp_path: Path, how: str) -> None:
    kill_one(tmp_path / "killed", how)
    result = run(tmp_path / "killed", 6)
    assert result.history == run(tmp_path / "whole", 6).history
    store = open_store(load_config(tmp_path / "killed"))
    assert [job.status for job in store.jobs()] == [JobStatus.COMPLETE] * 6


LEFT_LOCKED = textwrap.dedent("""
    import os, signal, subprocess, sys
    from pathlib import Path
    from spearmint_int.library.folder import FolderLock

    lock = FolderLock(Path(sys.argv[1]))
    subprocess.Popen(["sleep", "1"], pass_fds=[lock._fd])
    os.kill(os.getpid(), signal.SIGKILL)
""")


def test_a_lock_that_a_killed_run_left_to_a_child_is_awaited_for_a_moment(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", LEFT_LOCKED, str(tmp_path)], check=False)
    began = time.monotonic()
    FolderLock(tmp_path).close()
    assert time.monotonic() - began > 0.1


def test_a_folder_whose_run_was_killed_can_be_cleaned(
    tmp_path: Path, spearmint: CommandLine
) -> None:
    kill_one(tmp_path)
    assert spearmint("status", "--json", tmp_path).json["jobs"]["pending"] == 1
    assert spearmint("clean", "--yes", tmp_path).code == 0


def test_a_point_whose_evaluation_failed_comes_first_the_next_time(tmp_path: Path) -> None:
    asked: list[Params] = []

    def fails(params: Params) -> float:
        asked.append(params)
        if len(asked) == 4:
            raise ZeroDivisionError
        return bowl(params)

    with pytest.raises(ZeroDivisionError):
        minimize(fails, SPACE, 6, path=tmp_path, **QUICK)
    result = minimize(fails, SPACE, 6, path=tmp_path, **QUICK)
    assert asked[3] == asked[4]
    assert len(asked) == 7
    assert len(result.history) == 6


def test_what_was_left_is_not_begun_again_outside_of_the_bounds(tmp_path: Path) -> None:
    def refuses(params: Params) -> float:
        raise ZeroDivisionError(params["d"])

    with pytest.raises(ZeroDivisionError):
        minimize(refuses, SPACE, 1, path=tmp_path, initial=[{"d": 1, "r": 0.5}], **QUICK)
    with pytest.warns(UserWarning, match="d was 1 to 50"):
        result = run(tmp_path, 3, {"d": Int(10, 50), "r": Float(0, 1)})
    again = run(tmp_path, 5, {"d": Int(10, 50), "r": Float(0, 1)})
    assert [len(result.history), len(again.history)] == [
        3,
        5,
    ]  # it is no evaluation, and no failure
    assert min(e.params["d"] for e in again.history) >= 10


def test_a_goal_that_a_folder_has_reached_ends_the_next_call_at_once(tmp_path: Path) -> None:
    run(tmp_path, 3)
    result = run(tmp_path, 6, stop=Stop(value=1e6))
    assert result.message == "a value as good as 1e+06 was found"
    assert len(result.history) == 3


def test_a_folder_that_cant_be_locked_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / ".minimize.lock").mkdir()
    with pytest.raises(SpearmintError, match=r"\.minimize\.lock: can't be written: Is a directory"):
        run(tmp_path, 2)


def test_a_folder_at_work_is_not_cleaned(tmp_path: Path, spearmint: CommandLine) -> None:
    answers = []

    def cleaning(params: Params) -> float:
        answers.append(spearmint("clean", tmp_path, "--yes"))
        return bowl(params)

    minimize(cleaning, SPACE, 1, path=tmp_path, **QUICK)
    assert (answers[0].code, "another minimize is at work" in answers[0].err) == (2, True)


# --- with others ----------------------------------------------------------------------------------


def test_points_that_others_reserved_are_pending_and_cost_nothing(tmp_path: Path) -> None:
    space = {"d": Int(1, 6)}
    exact: dict[str, Any] = {**QUICK, "path": tmp_path, "likelihood": "NOISELESS"}
    minimize(lambda p: float(p["d"]), space, 2, **exact)
    config = load_config(tmp_path)
    store = open_store(config)
    [reserved] = reserve(config, store, 1)
    ran = minimize(lambda p: float(p["d"]), space, 5, **exact)
    assert len(ran.history) == 5
    assert reserved.params not in [e.params for e in ran.history]
    tell(store, reserved.id, {"main": 0.5})
    result = minimize(lambda p: float(p["d"]), space, 5, **exact)
    assert (result.value, result.params) == (0.5, reserved.params)
    assert result.message == "5 evaluations done"
    assert len(result.history) == 6


def test_a_result_that_is_told_meanwhile_is_known_to_the_next_suggestion(tmp_path: Path) -> None:
    run(tmp_path, 2)
    config = load_config(tmp_path)
    store = open_store(config)
    [reserved] = reserve(config, store, 1)
    tell_it = iter([lambda: tell(store, reserved.id, {"main": 7.0})])

    def function(params: Params) -> float:
        next(tell_it, lambda: None)()
        return bowl(params)

    minimize(function, SPACE, 4, path=tmp_path, **QUICK)
    first, second = store.jobs(after_id=reserved.id)
    assert (first.provenance["observations"], first.provenance["pending"]) == (2, 1)
    assert (second.provenance["observations"], second.provenance["pending"]) == (4, 0)


def test_a_point_is_a_pending_job_while_it_is_evaluated(tmp_path: Path) -> None:
    seen: list[list[Params]] = []

    def function(params: Params) -> float:
        store = open_store(load_config(tmp_path))
        seen.append([job.params for job in store.jobs(JobStatus.PENDING)])
        store.close()
        assert seen[-1] == [params]
        return bowl(params)

    minimize(function, SPACE, 3, path=tmp_path, **QUICK)
    assert len(seen) == 3


# --- what the command line says of it -------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_suggestion_is_computed_again(
    tmp_path: Path, spearmint: CommandLine, n_jobs: int
) -> None:
    run(tmp_path, 8, n_jobs=n_jobs, initial=[{"d": 3, "r": 0.5}, ({"d": 4, "r": 0.5}, 256.2)])
    answer = spearmint("replay", "--json", tmp_path)
    assert answer.code == 0
    assert len(answer.json) >= 6


def test_suggestions_of_several_chains_and_of_a_longer_beginning_are_computed_again(
    tmp_path: Path, spearmint: CommandLine
) -> None:
    run(tmp_path, 6, chains=2, initial_points=4)
    sources = [job.provenance["source"] for job in open_store(load_config(tmp_path)).jobs()]
    assert (sources[:4], "initial design" in sources[4:]) == (["initial design"] * 4, False)
    assert spearmint("replay", tmp_path).code == 0


def test_a_job_says_why_it_was_chosen_and_what_it_took(
    tmp_path: Path, spearmint: CommandLine
) -> None:
    run(tmp_path, 6)
    job = spearmint("show", "--json", tmp_path, "6").json
    assert job["attempts"] == 1
    assert job["seconds"] >= 0
    assert "it turned out" in spearmint("explain", tmp_path, "6").out
    assert "would have been repeats" in spearmint("audit", tmp_path).out


def test_guesses_and_results_that_were_brought_are_told_apart(
    tmp_path: Path, spearmint: CommandLine
) -> None:
    run(tmp_path, 2, initial=[{"d": 3, "r": 0.5}, ({"d": 4, "r": 0.5}, 256.2)])
    store = open_store(load_config(tmp_path))
    sources = [job.source for job in store.jobs()]
    assert sources == [Source.USER, Source.INITIAL, Source.CHOOSER]
    assert "its result was added" in spearmint("explain", tmp_path, "1").out
    assert "it is a guess" in spearmint("explain", tmp_path, "2").out


def test_jobs_of_an_earlier_version_are_told_to_have_kept_too_little(
    tmp_path: Path, spearmint: CommandLine
) -> None:
    run(tmp_path, 1)
    store = open_store(load_config(tmp_path))
    store.put_back({**store.raw(1), "id": 2, "provenance": "{}"})
    store.remove(1)
    assert "in a version that did not keep why" in spearmint("explain", tmp_path, "2").out
    assert "the version that chose it kept too little" in spearmint("replay", tmp_path).out


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_folder_of_the_library_says_how_to_go_on(
    tmp_path: Path, spearmint: CommandLine, command: str
) -> None:
    run(tmp_path, 1)
    assert "run that program again to go on" in spearmint(command, tmp_path).err


# --- the optimizer --------------------------------------------------------------------------------


def test_the_optimizer_can_be_copied_and_outlives_its_run(tmp_path: Path) -> None:
    seen: list[Optimizer] = []
    result = run(tmp_path, 4, callback=lambda o: seen.extend([o, pickle.loads(pickle.dumps(o))]))
    kept, copied = seen[-2:]
    assert str(kept.recommend()) == str(copied.recommend()) == str(result.recommendation)
    assert len(copied.ask(2)) == 2
    assert copied.history == result.history


def test_suggestions_are_new_points_and_what_an_earlier_run_left_is_asked_first(
    tmp_path: Path,
) -> None:
    quick = Optimizer(SPACE, **QUICK)
    with optimizer_in(tmp_path, quick, given=()) as killed:
        left = killed.ask(2)  # handed back at the end, as those of a killed run are
    with optimizer_in(tmp_path, quick, given=()) as optimizer:
        [suggestion] = optimizer.suggestions()
        assert optimizer.pending == (suggestion.params,)
        optimizer.tell(suggestion.params, 1.0)
        assert optimizer.ask(2) == left
        assert (optimizer.spent, len(optimizer.history)) == (1, 1)


def test_suggestions_of_a_space_that_is_used_up_hand_back_what_an_earlier_run_left(
    tmp_path: Path,
) -> None:
    small = Optimizer({"d": Int(1, 2)}, likelihood="NOISELESS", **QUICK)
    with optimizer_in(tmp_path, small, given=()) as killed:
        killed.ask(2)
    with optimizer_in(tmp_path, small, given=()) as optimizer:
        with pytest.raises(SpaceExhausted):
            optimizer.suggestions()
        assert optimizer.pending == ()
        assert len(optimizer.ask(2)) == 2


# --- edited by hand -------------------------------------------------------------------------------


def test_a_huge_id_of_a_job_takes_no_memory(tmp_path: Path, spearmint: CommandLine) -> None:
    run(tmp_path, 4)
    with closing(sqlite3.connect(tmp_path / "spearmint.sqlite")) as database, database:
        database.execute("UPDATE jobs SET id = 1000000000000 WHERE id = 4")
    result = run(tmp_path, 6)
    assert [e.was_asked for e in result.history] == [True] * 6
    assert len(result.problem.observations.points) == 6
    assert spearmint("best", "--json", tmp_path).code == 0
