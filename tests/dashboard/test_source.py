"""What the pages read of an experiment."""

from __future__ import annotations

import math
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("dash")

from spearmint_int.config import Config, load_config
from spearmint_int.dashboard.actions import SIMPLE
from spearmint_int.dashboard.source import NOTHING, Drawn, Source, matching, sorted_rows
from spearmint_int.errors import DamagedJob, SpearmintError
from spearmint_int.experiment.history import FEW_JOBS
from spearmint_int.jobs import Failure, FailureKind, JobDraft
from spearmint_int.registry import PLOTS
from spearmint_int.snapshot import Snapshot, Trial, counts_text
from spearmint_int.stores import StoreAddress, open_store
from spearmint_int.testing.drafts import add
from tests.cli.conftest import CommandLine, experiment, spearmint, with_results
from tests.cli.test_changes import X, declare
from tests.launcher.launches import eventually

__all__ = ["experiment", "spearmint", "with_results"]
ROWS = [
    Trial(1, {"k": 3, "e": "b"}, 2.0),
    Trial(2, {"k": 1, "e": "a"}, math.nan, "broken", failure="out of memory"),
    Trial(3, {"k": 2, "e": 7}, 1.0),
]
NAN = Trial(4, {"k": 2, "e": "b"}, math.nan)


@pytest.mark.parametrize(
    ("column", "descending", "ids"),
    [("value", False, [3, 1, 2]), ("value", True, [1, 3, 2]), ("k", False, [2, 3, 1]),
     ("e", False, [3, 2, 1]), ("failure", True, [2, 1, 3])],
)  # fmt: skip
def test_rows_are_sorted_and_what_is_missing_comes_last(
    column: str, descending: bool, ids: list[int]
) -> None:
    assert [row.id for row in sorted_rows(ROWS, column, descending=descending)] == ids


@pytest.mark.parametrize(
    ("wanted", "ids"), [("", [1, 2, 3]), ("BROKEN", [2]), ("k=3 e=b", [1]), ("memory", [2])]
)
def test_the_filter_wants_every_word(wanted: str, ids: list[int]) -> None:
    assert [row.id for row in matching(ROWS, wanted)] == ids


@pytest.mark.parametrize("wanted", ["failed", "nan", "complete failed"])
def test_the_filter_finds_a_job_that_answered_nan(wanted: str) -> None:
    assert matching([*ROWS[::2], NAN], wanted) == [NAN]


def test_an_experiment_without_jobs_has_nothing_to_show(experiment: Path) -> None:
    assert Source.of(load_config(experiment)).state() is NOTHING


def test_results_that_were_added_are_no_part_of_the_budget_however_many(
    experiment: Path, spearmint: CommandLine
) -> None:
    file = experiment / "many.csv"
    file.write_text("x,n,value\n" + "".join(f"{i / 999},0,{i}\n" for i in range(FEW_JOBS + 1)))
    assert spearmint("add", experiment, file).code == 0
    state = Source.of(load_config(experiment)).state()
    assert (state.finished, state.outside) == (0, FEW_JOBS + 1)


def test_jobs_are_read_again_only_when_there_is_news(
    with_results: Path,
    spearmint: CommandLine,
) -> None:
    source = Source.of(load_config(with_results))
    first = source.state()
    assert [row.value for row in first.rows[:3]] == [1.25, 0.0625, 5.0]
    assert source.state() is first
    file = with_results / "more.csv"
    file.write_text("x,n,value\n0.1,2,2.01\n")
    assert spearmint("add", with_results, file).code == 0
    assert len(source.state().rows) == len(first.rows) + 1


def test_a_figure_is_drawn_beside_and_then_there(with_results: Path) -> None:
    source = Source.of(load_config(with_results))
    assert source.figure("timeline", "light") is None
    drawn = _awaited(source)
    assert drawn.figure is not None
    assert source.figure("timeline", "light") is drawn


def test_a_figure_rests_fifty_times_what_it_took_whatever_comes(
    with_results: Path, spearmint: CommandLine
) -> None:
    source = Source.of(load_config(with_results))
    began = time.monotonic()
    drawn = _awaited(source, "variables")
    ended = time.monotonic()
    most = (os.cpu_count() or 1) * (ended - began)
    assert ended + 1.0 < drawn.again_at < ended + 50.0 * most
    assert drawn.sentence.startswith("of 4 jobs, at ")
    (with_results / "more.csv").write_text("x,n,value\n0.1,2,2.01\n")
    assert spearmint("add", with_results, with_results / "more.csv").code == 0
    assert source.figure("variables", "light") is drawn
    source.close()


def test_a_figure_that_fails_says_so_and_rests_too(
    with_results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    def failing(_: Snapshot, theme: str) -> None:
        tries.append(theme)
        time.sleep(0.1)
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(PLOTS, "_values", {})
    PLOTS.register("mine", failing)
    source = Source.of(load_config(with_results))
    drawn = _awaited(source, "mine")
    assert (drawn.figure, drawn.sentence[:20]) == (None, "it can't be drawn: Z")
    for _ in range(5):
        source.figure("mine", "light")
    assert tries == ["light"]
    assert drawn.again_at > time.monotonic()
    with monkeypatch.context() as rested:
        rested.setattr(time, "monotonic", lambda: drawn.again_at)
        source.figure("mine", "light")
    assert eventually(lambda: tries == ["light", "light"])
    source.close()


def _awaited(source: Source, kind: str = "timeline") -> Drawn:
    until = time.monotonic() + 60
    while (drawn := source.figure(kind, "light")) is None:
        assert time.monotonic() < until
        time.sleep(0.05)
    return drawn


def test_a_broken_job_that_is_tried_again_is_read_again(experiment: Path) -> None:
    config = load_config(experiment)
    store = open_store(config, create=True)
    store.add(JobDraft({"x": 0.5, "n": 1}, (0.75, 0.3)))
    claimed = store.claim("me", lease_seconds=100)
    assert claimed is not None
    store.fail(claimed.claim, Failure(FailureKind.EXIT, "it broke"), max_attempts=1)
    source = Source.of(config)
    (row,) = source.state().rows
    assert (row.status, row.failure) == ("broken", "it broke")
    source.retry(1)
    assert [row.status for row in source.state().rows] == ["new"]
    store.close()


def test_the_button_of_a_reserved_job_that_was_stopped_says_that_it_waits(
    experiment: Path,
) -> None:
    source = Source.of(load_config(experiment))
    job_id = source.reserve()
    source.stop_job(job_id)
    assert SIMPLE["retry"](source, job_id).startswith("it is reserved again, and waits")
    source.close()


def test_a_result_is_added_as_it_was_typed_and_only_once(experiment: Path) -> None:
    source = Source.of(load_config(experiment))
    assert source.cells() == {"x": "-1.0 to 1.0", "n": "0 to 4", "value": "the result"}
    typed = {"x": " 0.5", "n": "3", "value": "-2e-3"}
    assert source.add(typed) == 1
    assert source.add(typed) is None
    assert [(row.params, row.value) for row in source.state().rows] == [({"x": 0.5, "n": 3}, -2e-3)]
    source.close()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"x": "0.5", "n": "3", "value": " "}, "give the result too"),
        ({"x": "0.5", "n": "9", "value": "1"}, "n"),
        ({"x": "", "n": "3", "value": "1"}, "x"),
        ({"x": "0.5", "n": "3", "value": "<b>"}, "must be a number"),
    ],
)
def test_what_was_typed_wrongly_is_a_sentence_and_no_job(
    experiment: Path, typed: dict[str, str], sentence: str
) -> None:
    source = Source.of(load_config(experiment))
    with pytest.raises(SpearmintError, match=sentence):
        source.add(typed)
    assert source.state() is NOTHING


def test_what_a_jobs_neighbours_promised_is_drawn_where_a_model_chose_it(
    with_results: Path, spearmint: CommandLine
) -> None:
    assert spearmint("suggest", with_results, "--reserve").code == 0
    source = Source.of(load_config(with_results))
    drawn = source.choice(5, "light")
    assert drawn is not None
    assert drawn.layout.title.text.startswith("Where job 5 was chosen")
    assert source.choice(1, "light") is None
    source.close()


def test_a_reserved_point_is_told_from_a_new_job(
    with_results: Path, spearmint: CommandLine
) -> None:
    assert spearmint("suggest", with_results, "--reserve").code == 0
    source = Source.of(load_config(with_results))
    state = source.state()
    assert state.rows[4].outcome == "reserved"
    assert counts_text(state.counts, state.rows).startswith("1 reserved, 4 complete")
    source.close()


def test_a_job_has_the_variables_that_it_was_added_with(
    with_results: Path, spearmint: CommandLine
) -> None:
    assert spearmint("suggest", with_results, "--reserve").code == 0
    declare(with_results, x=X, n={"type": "INT", "min": 0, "max": 40})
    source = Source.of(load_config(with_results))
    job, listed = source.job(5), source.state().rows[4]
    assert listed.params == job.params
    drawn = source.choice(5, "light")
    assert drawn is not None
    assert drawn.layout.title.text.endswith("(variables as declared then)")
    source.close()


def test_jobs_that_are_damaged_or_removed_do_not_hide_the_others(with_results: Path) -> None:
    config = load_config(with_results)
    source, store = Source.of(config), open_store(config)
    store.remove(1)
    _edit(config, 2, point="[0.5, 7.0]")
    assert [row.id for row in source.state().rows] == [3, 4]
    add(store)
    assert [(row.id, row.status) for row in source.state().rows][2:] == [(5, "new")]
    with pytest.raises(DamagedJob, match="job 2 can't be read"):
        source.job(2)
    store.close()
    source.close()


def test_a_job_that_is_removed_goes_from_the_page_and_comes_back_with_repair(
    with_results: Path,
) -> None:
    config = load_config(with_results)
    source, store = Source.of(config), open_store(config)
    assert [row.id for row in source.state().rows] == [1, 2, 3, 4]
    taken = store.raw(2)
    store.remove(2)
    assert [row.id for row in source.state().rows] == [1, 3, 4]
    store.put_back(taken)
    assert [row.id for row in source.state().rows] == [1, 2, 3, 4]
    store.close()
    source.close()


def test_a_point_of_another_space_is_left_out_of_the_table(with_results: Path) -> None:
    config = load_config(with_results)
    store = open_store(config)
    add(store)
    add(store)
    _edit(config, 3, point="[0.5]")
    _edit(config, 5, point="[0.5]")
    source = Source.of(config)
    assert [row.id for row in source.state().rows] == [1, 2, 4, 6]
    store.close()
    source.close()


def _edit(config: Config, job_id: int, **columns: str) -> None:
    """Change a row behind the store's back."""
    path = StoreAddress.of(config).sqlite_path
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, text in columns.items():
            connection.execute(f"UPDATE jobs SET {name} = ? WHERE id = ?", (text, job_id))
