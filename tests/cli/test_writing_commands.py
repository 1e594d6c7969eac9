"""The commands that change something: init, add, retry, clean; and suggest, which must not."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from spearmint_int.config import load_config
from spearmint_int.experiment.suggestion_lock import SuggestionLock
from spearmint_int.jobs import JobDraft, JobStatus, Source
from spearmint_int.launcher.liveness import new_owner
from spearmint_int.stores import open_store
from tests.cli.conftest import CONFIG, CommandLine
from tests.cli.test_reading_commands import break_a_job

COMMAND = [sys.executable, "-m", "spearmint_int"]


def counts(folder: Path) -> dict[JobStatus, int]:
    store = open_store(load_config(folder))
    try:
        return store.tally().counts
    finally:
        store.close()


@pytest.mark.parametrize("options", [[], ["--shell"]])
def test_init_writes_an_experiment_that_passes_check_without_advice(
    spearmint: CommandLine, tmp_path: Path, options: list[str]
) -> None:
    folder = tmp_path / "new" / "experiment"
    assert spearmint("init", folder, *options).code == 0
    assert spearmint("check", folder, "--json").json == {"ok": True, "faults": [], "advice": []}
    assert (folder / "README.md").is_file()


def test_init_never_overwrites(spearmint: CommandLine, experiment: Path) -> None:
    before = (experiment / "config.json").read_text()
    answer = spearmint("init", experiment)
    assert answer.code == 2
    assert "already has config.json, objective.py; nothing was written" in answer.err
    assert (experiment / "config.json").read_text() == before
    assert not (experiment / "README.md").exists()


def test_the_command_that_init_names_can_be_pasted(spearmint: CommandLine, tmp_path: Path) -> None:
    out = spearmint("init", tmp_path / "a b").out
    assert out.endswith(f"next: spearmint-int run '{tmp_path}/a b'\n")


def test_what_export_writes_add_reads(
    spearmint: CommandLine, with_results: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_text(json.dumps(CONFIG))
    for name in ("jobs.csv", "jobs.json"):
        file = tmp_path / name
        spearmint("export", with_results, "-o", file)
        assert spearmint("add", other, file, "--json", "--again").json["skipped"] == []
    jobs = spearmint("jobs", other, "--json").json
    assert [job["value"] for job in jobs] == [1.25, 0.0625, 5.0, None] * 2
    assert jobs[2]["params"] == {"x": 1.0, "n": 4}


@pytest.mark.parametrize("name", ["jobs.csv", "jobs.json"])
def test_a_job_that_was_stopped_is_no_failure_elsewhere_either(
    spearmint: CommandLine, with_results: Path, tmp_path: Path, name: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_text(json.dumps(CONFIG))
    spearmint("suggest", with_results, "--reserve")
    spearmint("stop", with_results, "5")
    spearmint("export", with_results, "-o", tmp_path / name)
    assert len(spearmint("add", other, tmp_path / name, "--json").json["added"]) == 4


def test_a_second_add_knows_what_the_first_has_just_brought(
    spearmint: CommandLine, with_results: Path, tmp_path: Path
) -> None:
    file = tmp_path / "more.csv"
    file.write_text("x,n,value\n0.75,2,3\n")
    config = load_config(with_results)
    with closing(open_store(config)) as store, ThreadPoolExecutor(1) as pool:
        with SuggestionLock(store, "the first").held():
            second = pool.submit(subprocess.run, [*COMMAND, "add", str(with_results), str(file)])
            time.sleep(3.0)  # it has read the file by now, and waits
            draft = JobDraft({"x": 0.75, "n": 2}, (0.875, 0.5), Source.USER)
            store.add_complete(draft, {"main": 3.0})
        assert second.result().returncode == 0
        assert len(store.jobs()) == 5


def test_add_reads_vectors_and_options(spearmint: CommandLine, tmp_path: Path) -> None:
    variables = {
        "w": {"type": "INT", "min": 0, "max": 9, "size": 2},
        "id": {"type": "ENUM", "options": ["a", 2]},
    }
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | {"variables": variables}))
    (tmp_path / "r.csv").write_text("w[0],w[1],params.id,loss\n3,4.0,2,0.5\n")
    assert spearmint("add", tmp_path, tmp_path / "r.csv", "--value", "loss").code == 0
    (job,) = spearmint("jobs", tmp_path, "--json").json
    assert job["params"] == {"w": [3, 4], "id": 2}
    header = spearmint("export", tmp_path).out.splitlines()[0]
    assert header.startswith("id,status,w[0],w[1],params.id,value")


def test_add_reads_parameters_as_spearmint_has_them(
    spearmint: CommandLine, experiment: Path
) -> None:
    file = experiment / "old.json"
    file.write_text('[{"params": {"x": [0.5], "n": [3.0]}, "value": 1.5}]')
    assert spearmint("add", experiment, file).code == 0
    (job,) = spearmint("jobs", experiment, "--json").json
    assert (job["params"], job["value"]) == ({"x": 0.5, "n": 3}, 1.5)


FAULTS = {
    "x,n,value\n0.5,9,1\n": "r.csv:2: n: must lie in {0, …, 4}, got 9",
    "x,n,value\n0.5,1.5,1\n": "r.csv:2: n: must be a whole number, got 1.5",
    "x,n,value\n0.5,1,1\nhalf,1,1\n": "r.csv:3: x: must be a number, got 'half'",
    "x,value\n0.5,1\n": "r.csv:1: no column n; there are x, value\n",
    "x,m,value\n0.5,1,1\n": "r.csv:1: no column n; there are x, m, value\n",
    "x,x,n,value\n0.5,0.1,1,1\n": "r.csv:1: the column 'x' stands there twice; leave one out",
    "x,n,valeu\n0.5,1,1\n": "r.csv:1: no column 'value' with the result; name it with --value\n",
    "x,n,m,value\n0.5,1,1,1\n": "r.csv:1: m: no variable has that name",
    "x,n,value\n0.5,1,low\n": "r.csv:2: value: must be a number, got 'low'",
    "x,n,value\n0.5,1\n": "r.csv:2: must have 3 cells, like the first line",
    "0.5,1,2\n": "r.csv:1: no column x; there are 0.5, 1, 2\n",
    "x,n,value\n0.5,1,nah\n": "r.csv:2: value: must be a number, got 'nah'; nothing was added (",
    "": "r.csv: is empty; its first line must name the columns",
}


@pytest.mark.parametrize("text", FAULTS, ids=lambda text: text.replace("\n", "|"))
def test_a_row_that_does_not_fit_adds_nothing(
    spearmint: CommandLine, experiment: Path, text: str
) -> None:
    file = experiment / "r.csv"
    file.write_text(text)
    answer = spearmint("add", experiment, file)
    assert answer.code == 2
    assert answer.err.startswith(f"error: {FAULTS[text]}")
    assert sum(counts(experiment).values()) == 0


def test_add_can_leave_out_what_does_not_fit(spearmint: CommandLine, experiment: Path) -> None:
    file = experiment / "r.csv"
    file.write_text("x,n,value\n0.5,9,1\n0.5,1,1\n")
    answer = spearmint("add", experiment, file, "--skip")
    assert answer.out == "1 result added\n"
    assert answer.err == "skipped: r.csv:2: n: must lie in {0, …, 4}, got 9\n"


def test_add_leaves_out_no_row_for_a_column_that_all_rows_lack(
    spearmint: CommandLine, experiment: Path
) -> None:
    file = experiment / "r.csv"
    file.write_text("x,N,value\n0.5,1,1\n")
    answer = spearmint("add", experiment, file, "--skip")
    assert answer.code == 2
    assert answer.err == "error: r.csv:1: no column n; did you mean 'N'?\n"


def test_add_takes_a_file_without_rows_for_one_without_results(
    spearmint: CommandLine, experiment: Path
) -> None:
    file = experiment / "r.csv"
    file.write_text("x,n,value\n")
    assert spearmint("add", experiment, file).out == "0 results added\n"


def test_retry_makes_broken_jobs_new(spearmint: CommandLine, with_results: Path) -> None:
    job_id = break_a_job(with_results)
    assert spearmint("retry", with_results, str(job_id)).code == 0
    assert counts(with_results)[JobStatus.NEW] == 1


def test_retry_is_of_all_jobs_that_are_named_or_of_none(
    spearmint: CommandLine, with_results: Path
) -> None:
    job_id = break_a_job(with_results)
    answer = spearmint("retry", with_results, str(job_id), "99")
    assert (answer.code, "there is no job 99" in answer.err) == (2, True)
    assert counts(with_results)[JobStatus.BROKEN] == 1
    answer = spearmint("retry", with_results, str(job_id), str(job_id))
    assert answer.out == "1 job will be tried again by the next run\n"


def test_retry_all_is_all_broken_ones(spearmint: CommandLine, with_results: Path) -> None:
    ids = [break_a_job(with_results), break_a_job(with_results)]
    assert spearmint("retry", with_results, "--all", "--json").json["retried"] == ids


def test_retry_of_a_job_that_is_not_broken_is_refused(
    spearmint: CommandLine, with_results: Path
) -> None:
    answer = spearmint("retry", with_results, "1")
    assert answer.code == 2
    assert answer.err.startswith("error: job 1")


def test_clean_deletes_jobs_and_output(spearmint: CommandLine, with_results: Path) -> None:
    (with_results / "output").mkdir()
    (with_results / "trace.csv").touch()
    assert spearmint("clean", with_results, "--yes").out == "4 jobs deleted\n"
    assert not (with_results / "output").exists()
    assert not (with_results / "trace.csv").exists()
    assert (with_results / "objective.py").exists()
    assert sum(counts(with_results).values()) == 0


def test_clean_without_a_terminal_wants_yes(spearmint: CommandLine, with_results: Path) -> None:
    answer = spearmint("clean", with_results)
    assert answer.code == 2
    assert "use --yes" in answer.err
    assert counts(with_results)[JobStatus.COMPLETE] == 4


def test_clean_refuses_while_a_job_runs(spearmint: CommandLine, with_results: Path) -> None:
    break_a_job(with_results)
    spearmint("retry", with_results, "--all")
    store = open_store(load_config(with_results))
    assert store.claim("a run", lease_seconds=60) is not None
    store.close()
    answer = spearmint("clean", with_results, "--yes")
    assert answer.code == 2
    assert "a run is at work on job 5; stop it first (Ctrl-C, or 'spearmint-int" in answer.err


def test_clean_refuses_while_a_run_chooses_a_point(
    spearmint: CommandLine, with_results: Path
) -> None:
    with closing(open_store(load_config(with_results))) as store:
        assert SuggestionLock(store, new_owner()).take()
    answer = spearmint("clean", with_results, "--yes")
    assert (answer.code, counts(with_results)[JobStatus.COMPLETE]) == (2, 4)
    assert "a run is choosing its next point; stop it first" in answer.err


def test_suggest_gives_different_points_and_stores_none(
    spearmint: CommandLine, with_results: Path
) -> None:
    points = spearmint("suggest", with_results, "-n", "3", "--json").json
    assert len({json.dumps(point["params"]) for point in points}) == 3
    assert sum(counts(with_results).values()) == 4


def test_suggest_is_the_same_twice(spearmint: CommandLine, with_results: Path) -> None:
    assert spearmint("suggest", with_results).out == spearmint("suggest", with_results).out


def test_the_same_file_twice_adds_nothing_twice(spearmint: CommandLine, with_results: Path) -> None:
    answer = spearmint("add", with_results, with_results / "results.csv")
    assert answer.out == "0 results added; 4 left out, which are there already (--again)\n"
    assert len(spearmint("jobs", with_results, "--json").json) == 4


def test_a_result_that_stands_twice_in_a_file_is_there_twice(
    spearmint: CommandLine, experiment: Path
) -> None:
    file = experiment / "twice.csv"
    file.write_text("x,n,value\n0.5,1,1.25\n0.5,1,1.25\n")
    assert spearmint("add", experiment, file, "--json").json["added"] == [1, 2]
    assert spearmint("add", experiment, file, "--json").json["known"] == 2


JSON_FAULTS = {
    '[{"x": 0.5, "n": 1, "value": true}]': "entry 1: value: must be a number, got true",
    '[{"x": 0.5, "n": 1, "value": [1]}]': "entry 1: value: must be a number, got [1]",
    '[{"x": 0.5, "x": 0, "n": 1, "value": 1}]': "in one object the key 'x' stands there twice",
    f'[{{"x": 0.5, "n": 1, "value": {"1" * 5000}}}]': "can't be read as JSON: Exceeds the limit",
    "[" * 100_000: "can't be read as JSON: maximum recursion depth exceeded",
}


@pytest.mark.parametrize("text", JSON_FAULTS, ids=range(len(JSON_FAULTS)))
def test_an_entry_of_which_nobody_knows_what_it_means_adds_nothing(
    spearmint: CommandLine, experiment: Path, text: str
) -> None:
    file = experiment / "r.json"
    file.write_text(text)
    answer = spearmint("add", experiment, file)
    assert answer.code == 2
    assert answer.err.startswith(f"error: r.json: {JSON_FAULTS[text]}")


def test_an_integer_beyond_the_floats_counts_as_a_failure(
    spearmint: CommandLine, experiment: Path
) -> None:
    file = experiment / "r.json"
    file.write_text(json.dumps([{"x": 0.5, "n": 1, "value": 10**400}]))
    assert spearmint("add", experiment, file, "--json").json["failed"] == 1


def test_a_variable_is_not_the_result(spearmint: CommandLine, experiment: Path) -> None:
    file = experiment / "r.csv"
    file.write_text("x,n,value\n0.5,1,1\n")
    answer = spearmint("add", experiment, file, "--value", "n")
    assert "the column 'n' is a variable's; name the result's with --value" in answer.err


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_add_reads_what_spreadsheets_write(
    spearmint: CommandLine, experiment: Path, delimiter: str
) -> None:
    file = experiment / "r.csv"
    file.write_text("x,n,value\n0.5,1,1.25\n".replace(",", delimiter))
    assert spearmint("add", experiment, file).out == "1 result added\n"


@pytest.mark.parametrize("name", ["jobs.csv", "jobs.json"])
def test_an_export_of_the_experiment_itself_adds_nothing(
    spearmint: CommandLine, with_results: Path, name: str
) -> None:
    spearmint("run", with_results, "--plain")
    break_a_job(with_results)
    spearmint("export", with_results, "-o", with_results / name)
    answer = spearmint("add", with_results, with_results / name)
    assert answer.out == "0 results added; 8 left out, which are there already (--again)\n"


def test_a_repeat_that_came_out_the_same_is_added_beside_the_runs_own(
    spearmint: CommandLine, experiment: Path
) -> None:
    spearmint("run", experiment, "--plain", "--max-finished-jobs", "1")
    head, row = spearmint("export", experiment).out.splitlines()
    file = experiment / "twice.csv"
    file.write_text(f"{head}\n{row}\n{row}\n")
    assert spearmint("add", experiment, file).out.startswith("1 result added; 1 left out")


def test_what_was_added_before_can_be_added_again(
    spearmint: CommandLine, with_results: Path
) -> None:
    spearmint("add", with_results, with_results / "results.csv", "--again")
    assert len(spearmint("jobs", with_results, "--json").json) == 8


def test_rows_without_a_value_are_said_to_count_as_failures(
    spearmint: CommandLine, experiment: Path
) -> None:
    file = experiment / "results.csv"
    file.write_text("x,n,value\n0.5,1,1.25\n0,3,\n0.1,3,inf\n")
    answer = spearmint("add", experiment, file)
    assert answer.out == "3 results added, 2 of them as failed there: no finite value\n"
    assert spearmint("add", experiment, file, "--again", "--json").json["failed"] == 2


def test_retrys_help_shows_that_all_needs_no_number(spearmint: CommandLine) -> None:
    assert "[DIR] [JOB]..." in spearmint("retry", "--help").out
