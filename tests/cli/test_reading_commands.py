"""The commands that read the store: status, jobs, best, show, export."""

from __future__ import annotations

import csv
import errno
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from spearmint_int.cli.program import exit_code
from spearmint_int.config import load_config
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.goal import Goal, keep_goal
from spearmint_int.jobs import Failure, FailureKind, JobDraft, ProcessInfo, Source
from spearmint_int.stores import open_store
from tests.cli.conftest import CommandLine


def break_a_job(folder: Path) -> int:
    """Store a job whose only attempt failed."""
    store = open_store(load_config(folder))
    added = store.add(JobDraft({"x": 0.1, "n": 2}, (0.55, 0.5)))
    job = store.claim("test", lease_seconds=60)
    assert added is not None
    assert job is not None
    failure = Failure(FailureKind.EXCEPTION, "ValueError: no (objective.py, line 2)", 1, "Trace…")
    store.fail(job.claim, failure, max_attempts=1)
    store.close()
    return job.id


def test_status_says_how_far_it_is_and_the_best(spearmint: CommandLine, with_results: Path) -> None:
    out = spearmint("status", with_results).out
    assert "finished    0 of 3 (4 complete; 4 outside of the budget)" in out  # brought
    assert "best        0.0625 at x=-0.25 n=0 (job 2)" in out


def test_status_for_programs_has_the_same(spearmint: CommandLine, with_results: Path) -> None:
    status = spearmint("status", with_results, "--json").json
    assert status["jobs"] == {"new": 0, "pending": 0, "complete": 4, "broken": 0}
    assert status["best"]["params"] == {"x": -0.25, "n": 0}
    assert (status["experiment"], status["budget"]) == ("parabola", 3)


def test_status_says_how_far_the_goal_is(spearmint: CommandLine, with_results: Path) -> None:
    path = with_results / "config.json"
    document = json.loads(path.read_text()) | {"stop-when": "regret below 0.01 with 95 %"}
    path.write_text(json.dumps(document))
    assert "goal" not in spearmint("status", with_results).out
    store = open_store(load_config(with_results))
    keep_goal(store, Goal(results=4, bound=0.5, confidence=0.95, wanted=0.01))
    store.close()
    assert "goal        95 % sure that no point is better" in spearmint("status", with_results).out
    assert spearmint("status", with_results, "--json").json["goal"]["bound"] == 0.5


@pytest.mark.parametrize(
    ("bound", "wanted", "is_over"), [(0.009, 0.01, True), (0.02, 0.01, False), (0.02, 0.05, False)]
)
def test_a_goal_that_is_reached_leaves_no_time(
    spearmint: CommandLine, with_results: Path, bound: float, wanted: float, is_over: bool
) -> None:
    """The last is of another sentence than the config has now."""
    finish_a_job(with_results)
    path = with_results / "config.json"
    document = json.loads(path.read_text()) | {"stop-when": "regret below 0.01 with 95 %"}
    path.write_text(json.dumps(document))
    store = open_store(load_config(with_results))
    keep_goal(store, Goal(results=4, bound=bound, confidence=0.95, wanted=wanted))
    store.close()
    assert ("time left" not in spearmint("status", with_results).out) == is_over
    assert (spearmint("status", with_results, "--json").json["seconds_left"] is None) == is_over


def test_status_shows_the_last_broken_job(spearmint: CommandLine, with_results: Path) -> None:
    job_id = break_a_job(with_results)
    out = spearmint("status", with_results).out
    assert f"last broken  job {job_id}: ValueError: no (objective.py, line 2)" in out


def test_status_before_the_first_run_says_what_to_do(
    spearmint: CommandLine, experiment: Path
) -> None:
    answer = spearmint("status", experiment)
    assert answer.code == 0
    assert "0 of 3 (no jobs yet)" in answer.out
    assert "spearmint-int run" in answer.out


@pytest.mark.parametrize("command", ["status", "jobs", "best", "export"])
def test_an_experiment_without_jobs_is_no_error_and_gets_no_store(
    spearmint: CommandLine, experiment: Path, command: str
) -> None:
    before = sorted(experiment.iterdir())
    answer = spearmint(command, experiment, "--json")
    assert (answer.code, answer.err) == (0, "")
    none = {"observed": None, "observed_within_bounds": None, "model": None}
    assert answer.json in ([], none) or command == "status"
    assert sorted(experiment.iterdir()) == before


def test_suggest_makes_no_store_where_there_is_none(
    spearmint: CommandLine, experiment: Path
) -> None:
    before = sorted(experiment.iterdir())
    assert spearmint("suggest", experiment).code == 0
    assert sorted(experiment.iterdir()) == before


def finish_a_job(folder: Path) -> None:
    """One that took a tenth of a second."""
    store = open_store(load_config(folder))
    store.add(JobDraft({"x": 0.1, "n": 2}, (0.55, 0.5)))
    job = store.claim("test", lease_seconds=60)
    assert job is not None
    time.sleep(0.1)
    store.complete(job.claim, {"main": 1.0})
    store.close()


def test_status_tells_the_time_left(spearmint: CommandLine, with_results: Path) -> None:
    finish_a_job(with_results)
    assert spearmint("status", with_results, "--json").json["seconds_left"] > 0.2  # two more jobs
    assert "time left   about 0." in spearmint("status", with_results).out


def retyped(variables: dict[str, Any]) -> dict[str, Any]:
    return variables | {"n": {"type": "ENUM", "options": [0, 1]}}


def added(variables: dict[str, Any]) -> dict[str, Any]:
    return variables | {"k": {"type": "INT", "min": 0, "max": 9}}


def removed(variables: dict[str, Any]) -> dict[str, Any]:
    return {"x": variables["x"]}


@pytest.mark.parametrize("change", [retyped, added, removed])
@pytest.mark.parametrize("command", ["best", "suggest", "add", "status", "export", "run"])
def test_variables_that_cant_follow_are_one_sentence_and_nothing_is_lost(
    spearmint: CommandLine, with_results: Path, command: str, change: Callable[..., Any]
) -> None:
    before = spearmint("export", with_results).out
    config = with_results / "config.json"
    original = config.read_text()
    document = json.loads(original)
    variables = change(document["variables"])
    config.write_text(json.dumps(document | {"variables": variables}))
    brought = with_results / "more.json"
    params = dict.fromkeys(variables, 1)
    brought.write_text(json.dumps([{"params": params, "value": 1.0}]))
    more = [brought] if command == "add" else []
    answer = spearmint(command, with_results, *more)
    assert answer.code == 2
    assert answer.err.startswith("error: config.json: variables.")
    assert answer.err.count("\n") == 1
    config.write_text(original)
    assert spearmint("export", with_results).out == before


def test_jobs_has_a_line_for_each_job(spearmint: CommandLine, with_results: Path) -> None:
    lines = spearmint("jobs", with_results).out.splitlines()
    assert lines[0].split() == ["id", "value", "seconds", "status", "x", "n"]
    assert lines[2].split() == ["2", "0.0625", "complete", "-0.25", "0"]
    assert lines[4].split()[:3] == ["4", "NaN", "complete"]


@pytest.mark.parametrize("width", [30, 40, 60, 120])
def test_jobs_keeps_its_table_in_any_width(
    spearmint: CommandLine, with_results: Path, columns: Callable[[int], None], width: int
) -> None:
    break_a_job(with_results)
    columns(width)
    lines = spearmint("jobs", with_results).out.splitlines()
    assert max(map(len, lines)) <= max(width, 44)  # four short columns, and a glimpse of the rest
    assert len(lines) == 6
    assert "0.0625" in lines[2]


def test_parameters_share_a_column_where_the_terminal_is_narrow(
    spearmint: CommandLine, with_results: Path, columns: Callable[[int], None]
) -> None:
    columns(40)
    lines = spearmint("jobs", with_results).out.splitlines()
    assert lines[0].split() == ["id", "value", "seconds", "status", "parameters"]
    assert lines[2].split() == ["2", "0.0625", "complete", "x=-0.25", "n=0"]


def test_facts_are_folded_between_words(
    spearmint: CommandLine, with_results: Path, columns: Callable[[int], None]
) -> None:
    columns(30)
    lines = spearmint("status", with_results).out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("best"))
    assert lines[at : at + 2] == ["best        0.0625 at x=-0.25", "            n=0 (job 2)"]


def test_a_pending_job_shows_how_long_it_has_run(
    spearmint: CommandLine, with_results: Path
) -> None:
    store = open_store(load_config(with_results))
    store.add(JobDraft({"x": 0.1, "n": 2}, (0.55, 0.5)))
    store.claim("test", lease_seconds=60)
    store.close()
    pending = spearmint("jobs", with_results).out.splitlines()[-1].split()
    assert pending[0] == "5"
    assert pending[1].endswith("…")
    assert float(pending[1].rstrip("…")) < 60


def test_a_job_in_a_schedulers_queue_is_told_apart_from_one_that_runs(
    spearmint: CommandLine, with_results: Path
) -> None:
    with closing(open_store(load_config(with_results))) as store:
        for _ in range(2):
            store.add(JobDraft({"x": 0.5, "n": 1}, (0.75, 0.3)))
            job = store.claim("a manager", lease_seconds=60)
            assert job is not None
            store.attach(job.claim, ProcessInfo(proc_id=str(700 + job.id)))
        assert job is not None
        store.attach(job.claim, ProcessInfo(pid=1, host="node7"))
    assert "1 queued, 1 pending, 4 complete" in spearmint("status", with_results).out
    assert spearmint("status", with_results, "--json").json["queued"] == 1
    lines = spearmint("jobs", with_results).out.splitlines()
    assert [word for line in lines[-2:] for word in line.split() if word.isalpha()] == [
        "queued",
        "pending",
    ]
    shown = spearmint("show", with_results, "5").out
    assert "5 (queued" in shown
    assert "batch job" in shown


def test_jobs_can_be_limited_and_filtered(spearmint: CommandLine, with_results: Path) -> None:
    job_id = break_a_job(with_results)
    newest = spearmint("jobs", with_results, "--limit", "2", "--json").json
    broken = spearmint("jobs", with_results, "--status", "broken", "--json").json
    assert [job["id"] for job in newest] == [4, job_id]
    assert [job["id"] for job in broken] == [job_id]
    assert "(3 jobs not shown, older: --all)" in spearmint("jobs", with_results, "-n", "2").out


def test_best_names_the_lowest_value_and_the_models_minimum(
    spearmint: CommandLine, with_results: Path
) -> None:
    out = spearmint("best", with_results).out
    assert "lowest value     0.0625 (job 2)" in out
    assert "model's minimum" in out
    answer = spearmint("best", with_results, "--json").json
    assert answer["observed"]["id"] == 2
    assert set(answer["model"]) == {"params", "mean", "sd"}


def test_best_shows_what_was_observed_before_the_model_is_there(
    spearmint: CommandLine, with_results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: StoredExperiment) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(StoredExperiment, "recommend", interrupted)
    answer = spearmint("best", with_results)
    assert answer.code == 130
    assert "lowest value     0.0625 (job 2)" in answer.out


def test_show_tells_everything_about_a_job(spearmint: CommandLine, with_results: Path) -> None:
    job_id = break_a_job(with_results)
    out = spearmint("show", with_results, str(job_id)).out
    assert f"{job_id} (broken, from the chooser)" in out
    assert "failure 1: ValueError: no (objective.py, line 2) [exception]" in out
    assert "  Trace…" in out


@pytest.mark.parametrize("folder_first", [True, False])
def test_show_takes_job_and_folder_in_any_order(
    spearmint: CommandLine, with_results: Path, folder_first: bool
) -> None:
    folder = str(with_results)
    arguments = [folder, "2"] if folder_first else ["2", folder]
    document = spearmint("show", *arguments, "--json").json
    assert (document["id"], document["value"]) == (2, 0.0625)
    assert len(document["point"]) == 2


def test_show_of_a_job_that_is_not_there_is_one_sentence(
    spearmint: CommandLine, with_results: Path
) -> None:
    answer = spearmint("show", with_results, "99")
    assert answer.code == 2
    assert "99" in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["show"], ["explain"], ["replay"], ["retry"], ["stop"], ["tell", "0.5"]]
)
def test_a_jobs_number_may_be_of_any_size(
    spearmint: CommandLine, with_results: Path, arguments: list[str]
) -> None:
    command, *value = arguments
    answer = spearmint(command, with_results, str(2**63), *value)
    assert answer.code == 2
    assert answer.err.startswith(f"error: there is no job {2**63};")


def test_the_newest_jobs_may_be_any_number(spearmint: CommandLine, with_results: Path) -> None:
    assert len(spearmint("jobs", with_results, "-n", str(2**63), "--json").json) == 4


def test_export_writes_a_row_for_each_job(spearmint: CommandLine, with_results: Path) -> None:
    rows = list(csv.DictReader(spearmint("export", with_results).out.splitlines()))
    assert [row["x"] for row in rows] == ["0.5", "-0.25", "1.0", "0.0"]
    assert rows[1]["value"] == "0.0625"


def test_export_to_a_json_file_goes_by_its_ending(
    spearmint: CommandLine, with_results: Path, tmp_path: Path
) -> None:
    file = tmp_path / "jobs.json"
    assert spearmint("export", with_results, "-o", file).code == 0
    jobs = json.loads(file.read_text())
    assert [job["value"] for job in jobs] == [1.25, 0.0625, 5.0, None]


def test_an_export_that_fails_leaves_the_file_that_was_there(
    spearmint: CommandLine, with_results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = with_results / "jobs.csv"
    assert spearmint("export", with_results, "-o", file).code == 0
    before = file.read_text()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    answer = spearmint("export", with_results, "-o", file)
    assert (answer.code, "jobs.csv can't be written: No space" in answer.err) == (2, True)
    assert file.read_text() == before


def test_export_to_a_format_that_it_does_not_know_is_refused(
    spearmint: CommandLine, with_results: Path, tmp_path: Path
) -> None:
    answer = spearmint("export", with_results, "-o", tmp_path / "jobs.xlsx")
    assert answer.code == 2
    assert "jobs.xlsx must end in .csv or .json" in answer.err
    assert not (tmp_path / "jobs.xlsx").exists()


def test_ten_thousand_jobs_are_answered_within_a_second(
    spearmint: CommandLine, experiment: Path
) -> None:
    store = open_store(load_config(experiment))
    provenance = {"hyperparameters": [{"length_scales": [0.1] * 4} for _ in range(10)]}
    drafts = [
        JobDraft({"x": i / 10_000, "n": i % 5}, (i / 10_000, 0.5), Source.USER, provenance)
        for i in range(10_000)
    ]
    store.add_all_complete([(draft, {"main": float(i)}) for i, draft in enumerate(drafts)])
    store.close()
    for command in ("status", "jobs"):
        seconds = []
        for _ in range(3):  # of the processor, and the best of them: others share the machine
            began = time.process_time()
            assert spearmint(command, experiment).code == 0
            seconds.append(time.process_time() - began)
        assert min(seconds) < 1.0


@pytest.fixture
def read_only(with_results: Path) -> Iterator[Path]:
    """The experiment in a folder that nobody but root may write, and everybody may read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "experiment"
        shutil.copytree(with_results, folder)
        folder.chmod(0o555)
        folder.parent.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def run_as_nobody(command: list[str]) -> int:
    """The exit code of a command whose process is not root (and has loaded its modules before)."""
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setuid(65534)
        os._exit(exit_code(command))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("command", ["status", "jobs", "best", "export", "show"])
def test_a_folder_that_cant_be_written_can_be_read(
    with_results: Path, read_only: Path, command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    job = ["2"] if command == "show" else []
    assert exit_code([command, str(with_results), *job]) == 0
    expected = capfd.readouterr().out.replace(str(with_results), str(read_only))
    assert run_as_nobody([command, str(read_only), *job]) == 0
    printed = capfd.readouterr()
    assert printed.err == ""
    assert printed.out.splitlines()[1:] == expected.splitlines()[1:]


@pytest.mark.parametrize("place", [".", "output", "spearmint.sqlite"])
def test_check_refuses_a_folder_in_which_a_run_could_not_write(
    read_only: Path, place: str, capfd: pytest.CaptureFixture[str]
) -> None:
    read_only.chmod(0o755)
    (read_only / "output").mkdir(exist_ok=True)
    for path in (read_only, read_only / "output", read_only / "spearmint.sqlite"):
        path.chmod(0o777)
    (read_only / place).chmod(0o555)
    assert run_as_nobody(["check", str(read_only)]) == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"error: {read_only / place}: can't be written, but a run keeps")


def test_status_says_how_many_jobs_gave_no_number(spearmint: CommandLine, experiment: Path) -> None:
    (experiment / "failed.csv").write_text("x,n,value\n0.5,1,\n-0.25,0,nan\n")
    assert spearmint("add", experiment, experiment / "failed.csv").code == 0
    out = spearmint("status", experiment).out
    assert "no number   2 of 2 complete jobs failed here" in out
    assert spearmint("status", experiment, "--json").json["without_number"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("jobs", "-n", "2", "--all"), "--limit and --all exclude each other"),
        (("export", "--csv", "--json"), "--csv and --json exclude each other"),
        (("export", "--csv", "-o", "z.json"), "z.json ends in .json, but --csv was given"),
        (("export", "--json", "-o", "z.csv"), "z.csv ends in .csv, but --json was given"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    spearmint: CommandLine, with_results: Path, arguments: tuple[str, ...], words: str
) -> None:
    answer = spearmint(*arguments, with_results)
    assert answer.code == 2
    assert words in answer.err
    assert not Path("z.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("jobs", "-n", "0"), "error: --limit must be a whole number from 1 on, got '0' (see"),
        (("suggest", "-n", "two"), "error: -n must be a whole number from 1 on, got 'two' (see"),
        (("tell",), "error: give the number of one job, and its result (see"),
    ],
)
def test_numbers_that_are_wrong_or_missing_are_asked_for(
    spearmint: CommandLine, with_results: Path, arguments: tuple[str, ...], words: str
) -> None:
    answer = spearmint(*arguments, with_results)
    assert answer.code == 2
    assert answer.err.startswith(words)


def test_a_format_may_be_said_of_a_file_with_another_ending(
    spearmint: CommandLine, with_results: Path
) -> None:
    file = with_results / "jobs.txt"
    assert spearmint("export", with_results, "--json", "-o", file).code == 0
    assert len(json.loads(file.read_text())) == 4


def test_status_gives_no_time_for_a_space_that_is_used_up(
    spearmint: CommandLine, experiment: Path
) -> None:
    config = json.loads((experiment / "config.json").read_text())
    config |= {"variables": {"n": {"type": "INT", "min": 0, "max": 1}}, "max-finished-jobs": 9}
    (experiment / "config.json").write_text(json.dumps(config))
    (experiment / "objective.py").write_text("def main(job_id, params): return params['n'][0]")
    assert spearmint("run", experiment).code == 0
    assert spearmint("status", experiment, "--json").json["seconds_left"] is None
    assert "time left" not in spearmint("status", experiment).out


def test_check_tells_of_noiseless_where_repeats_agree(
    spearmint: CommandLine, experiment: Path
) -> None:
    config = json.loads((experiment / "config.json").read_text())
    (experiment / "config.json").write_text(json.dumps(config | {"likelihood": "GAUSSIAN"}))
    (experiment / "results.csv").write_text("x,n,value\n" + 4 * "0.5,1,1.25\n")
    assert spearmint("add", experiment, experiment / "results.csv").code == 0
    answer = spearmint("check", experiment)
    assert answer.code == 0
    assert "advice: likelihood: 3 repeated evaluations gave exactly" in answer.out
    (experiment / "config.json").write_text(json.dumps(config | {"likelihood": "NOISELESS"}))
    assert "repeated evaluations" not in spearmint("check", experiment).out
