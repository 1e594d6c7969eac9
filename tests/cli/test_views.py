"""What a run shows: lines from events, and the live view drawn on a recorded terminal."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from spearmint_int.cli.live_view import LiveView
from spearmint_int.cli.views import JsonView, PlainView
from spearmint_int.config import Config, config_from
from spearmint_int.jobs import Failure, FailureKind, Job, JobStatus, Source
from spearmint_int.manager.events import (
    Best,
    EndReason,
    Estimate,
    Event,
    JobEnded,
    JobStarted,
    Progress,
    ProgressMade,
    RunEnded,
    RunStarted,
    Stopping,
    StoreAway,
    StoreBack,
    Summary,
)

FAILURE = Failure(FailureKind.EXCEPTION, "ValueError: no (objective.py, line 2)")


@pytest.fixture
def config() -> Config:
    variables = {"depth": {"type": "INT", "min": 1, "max": 5}}
    return config_from({"main-file": "m", "variables": variables}, Path("forest"))


def job(job_id: int, **others: Any) -> Job:
    """A complete job, unless the others say otherwise."""
    given: dict[str, Any] = {
        "id": job_id, "status": JobStatus.COMPLETE, "params": {"depth": 3}, "point": (0.5,),
        "source": Source.CHOOSER, "provenance": {"why": "EI"}, "resource": "Main",
        "tasks": ("main",), "created": 0.0, "started": 1.0, "ended": 3.5, "attempts": 1,
        "values": {"main": 0.25},
    }  # fmt: skip
    return Job(**given | others)


def progress(finished: int, **others: Any) -> Progress:
    given: dict[str, Any] = {
        "counts": {JobStatus.COMPLETE: finished, JobStatus.BROKEN: 0}, "finished": finished,
        "budget": 40, "running": (), "best": Best(2, 0.25, {"depth": 3}),
        "estimate": Estimate({"depth": 4}, 0.2412, 0.013), "suggestion_seconds": 0.12,
        "job_seconds": 2.5, "elapsed_seconds": 80.0, "remaining_seconds": 45.0,
    }  # fmt: skip
    return Progress(**given | others)


def told(config: Config, events: list[Event], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What the plain view prints, without the clock."""
    view = PlainView(config)
    for event in events:
        view(event)
    return [line.split(" ", 1)[1] for line in capsys.readouterr().out.splitlines()]


def test_a_finished_job_is_told_with_its_count_and_whether_it_is_the_best(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    events: list[Event] = [JobEnded(job(2)), ProgressMade(progress(7))]
    assert told(config, events, capsys) == ["[ 7/40] job 2: 0.25 best so far (2.5 s) at depth=3"]


def test_a_best_in_the_last_digits_is_told_from_the_one_before(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    before, now = (Best(i, v, {"depth": 3}) for i, v in ((1, 0.2500000013), (2, 0.2500000001)))
    events: list[Event] = [
        RunStarted(progress(6, best=before), True, "f.sqlite"),
        JobEnded(job(2, values={"main": now.value})),
        ProgressMade(progress(7, best=now)),
        JobEnded(job(3, values={"main": now.value})),
        ProgressMade(progress(8, best=now)),
    ]
    assert told(config, events, capsys)[1:] == [
        "[ 7/40] job 2: 0.2500000001 best so far (2.5 s) at depth=3",
        "[ 8/40] job 3: 0.25 (2.5 s) at depth=3",
    ]


def test_jobs_that_end_together_count_one_by_one(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    brought = job(8, source=Source.USER)
    failed = job(9, status=JobStatus.NEW, values=None, failures=(FAILURE,))
    events: list[Event] = [*map(JobEnded, (job(3), brought, failed, job(4)))]
    lines = told(config, [*events, ProgressMade(progress(40))], capsys)
    assert [line[:8] for line in lines] == ["[39/40] ", "[39/40] ", "[39/40] ", "[40/40] "]


def test_a_budget_that_was_passed_is_not_called_a_part(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    events: list[Event] = [RunStarted(progress(15, budget=2), True, "f.sqlite")]
    (line,) = told(config, events, capsys)
    assert line == "forest: goes on: 15 jobs, beyond the budget of 2; kept in f.sqlite"


def test_a_short_wait_for_the_store_is_not_none(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    (line,) = told(config, [StoreAway("no answer", 0.5)], capsys)
    assert line == "the store is away (no answer); next try in 0.5 s"


def test_a_narrow_terminal_cuts_off_the_parameters_only(config: Config) -> None:
    console = Console(file=(file := io.StringIO()), width=60, height=30)
    many = {f"variable_{i}": 0.123456 for i in range(5)}
    view = LiveView(config, console)
    for event in (JobEnded(job(2, params=many)), ProgressMade(progress(7))):
        view(event)
    line = file.getvalue().splitlines()[0]
    assert line.startswith("job 2: 0.25 best so far (2.5 s) at variable_0=0.123456")
    assert len(line) <= 60


def test_a_failed_attempt_and_a_broken_job_are_told_apart(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = job(3, status=JobStatus.NEW, values=None, failures=(FAILURE,))
    broken = job(4, status=JobStatus.BROKEN, values=None, failures=(FAILURE,))
    events: list[Event] = [JobEnded(failed), JobEnded(broken), ProgressMade(progress(8))]
    assert told(config, events, capsys) == [
        "[ 7/40] job 3: failed, attempt 1 of 3: ValueError: no (objective.py, line 2)",
        "[ 8/40] job 4: broken: ValueError: no (objective.py, line 2) (at depth=3)",
    ]


def test_a_job_that_was_handed_back_is_no_failure(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    back = job(3, status=JobStatus.NEW, values=None, failures=(FAILURE,))  # of the attempt before
    events: list[Event] = [JobEnded(back, handed_back=True), ProgressMade(progress(8))]
    assert told(config, events, capsys) == ["[ 8/40] job 3: handed back, to be started again"]


def test_a_start_that_was_refused_is_no_attempt_also_after_one_that_failed(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Failure(FailureKind.START, "there is no main file objective.py")
    waits = job(3, status=JobStatus.NEW, values=None, failures=(FAILURE, refused))
    events: list[Event] = [JobEnded(waits), ProgressMade(progress(8))]
    assert told(config, events, capsys) == [
        "[ 8/40] job 3: can't be started, and is tried again: there is no main file objective.py"
    ]


def test_start_stop_and_outages_have_lines_of_their_own(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    events: list[Event] = [
        RunStarted(progress(5), resumed=True, store="forest/spearmint.sqlite"),
        StoreAway("connection refused", 2.0),
        StoreBack(75.0),
        Stopping((9, 10), hand_back=False),
    ]
    assert told(config, events, capsys) == [
        "forest: goes on: 5 of 40 jobs; kept in forest/spearmint.sqlite",
        "the store is away (connection refused); next try in 2 s",
        "the store is back after 1 min 15 s",
        "stopping: waiting for 2 running jobs (Ctrl-C again ends them, and hands them back)",
    ]


def test_the_end_names_the_best_and_the_models_minimum(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = Summary(EndReason.BUDGET, "the budget is spent", progress(40), (4, FAILURE))
    assert told(config, [RunEnded(summary)], capsys) == [
        "the budget is spent",
        "0.25 at depth=3 (job 2)",
        "0.241 ± 0.013 at depth=4",
        "failure: job 4: ValueError: no (objective.py, line 2)",
    ]


def test_json_lines_have_the_event_and_no_heavy_parts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    view = JsonView()
    view(JobEnded(job(2, values={"main": float("nan")})))
    view(ProgressMade(progress(7)))
    ended, made = map(json.loads, capsys.readouterr().out.splitlines())
    assert (ended["event"], ended["job"]["status"]) == ("job-ended", "complete")
    assert ended["job"]["values"] == {"main": None}
    assert "provenance" not in ended["job"]
    assert made["progress"]["best"] == {"job_id": 2, "value": 0.25, "params": {"depth": 3}}


def drawn(config: Config, events: list[Event], *, width: int) -> list[str]:
    """The lines at the bottom of the live view after these events."""
    console = Console(file=io.StringIO(), width=width, height=30, force_terminal=True)
    view = LiveView(config, console)
    for event in events:
        view(event)
    plain = Console(file=io.StringIO(), width=width, height=30)
    with plain.capture() as capture:
        plain.print(view.render())
    return [line.rstrip() for line in capture.get().splitlines()]


def test_the_live_view_shows_where_the_run_is(config: Config, tmp_path: Path) -> None:
    running = job(8, status=JobStatus.PENDING, values=None)
    events: list[Event] = [
        RunStarted(progress(7, running=(8,)), resumed=False, store="here"),
        JobStarted(running, tmp_path / "8.out"),
    ]
    lines = drawn(config, events, width=90)
    assert lines[1] == "forest: 7 of 40 jobs, 1 running"
    assert lines[2].endswith("1 min 20 s, about 45 s left")
    assert lines[3] == "best   0.25 at depth=3 (job 2)"
    assert lines[4] == "model  0.241 ± 0.013 at depth=4"
    assert lines[5].startswith("now    job 8 (")
    assert lines[6] == "pace   0.12 s per suggestion, 2.5 s per job"


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_the_live_view_keeps_its_lines_in_any_width(config: Config, width: int) -> None:
    lines = drawn(config, [RunStarted(progress(7), resumed=False, store="here")], width=width)
    assert max(map(len, lines)) <= width
    assert lines[-1].startswith("pace   0.12 s")


def test_the_live_view_of_a_run_without_budget_has_no_bar(config: Config) -> None:
    endless = progress(7, budget=None, remaining_seconds=None)
    lines = drawn(config, [RunStarted(endless, resumed=False, store="here")], width=80)
    assert lines[1:3] == ["forest: 7 jobs", "1 min 20 s"]


def test_a_terminal_made_narrower_leaves_no_rows_of_the_old_frame(config: Config) -> None:
    """Its folded lines take more rows than were drawn, and all of them have to be erased."""
    console = Console(file=(file := io.StringIO()), width=100, height=30, force_terminal=True)
    with LiveView(config, console) as view:
        view(RunStarted(progress(7), resumed=False, store="here"))
        view._live.refresh()
        drawn = view._live._drawn
        file.truncate(0)
        console.width = 30
        view._live.refresh()
        erased = file.getvalue().count("\x1b[2K")
    assert erased == sum(max(1, math.ceil(length / 30)) for length in drawn)
    assert erased > len(drawn)
