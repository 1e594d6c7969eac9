"""Lab mode: points held under job numbers, and results told by them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from spearmint_int.config import load_config
from spearmint_int.errors import StoreError
from spearmint_int.experiment.reservation import reserve, tell
from spearmint_int.stores import open_store
from tests.cli.conftest import CommandLine


def reserved(spearmint: CommandLine, folder: Path, number: int = 1) -> list[int]:
    return [
        job["id"]
        for job in spearmint("suggest", folder, "--reserve", "-n", str(number), "--json").json
    ]


def test_a_reserved_point_has_a_job_number_and_is_given_to_nobody_else(
    spearmint: CommandLine, with_results: Path
) -> None:
    out = spearmint("suggest", with_results, "--reserve", "-n", "2").out.splitlines()
    assert [line.split(":")[0] for line in out] == ["job 5", "job 6"]
    third = spearmint("suggest", with_results, "--reserve").out
    assert third.startswith("job 7: ")
    assert len({line.split(": ")[1] for line in [*out, third.strip()]}) == 3


def test_a_result_is_told_by_the_jobs_number(spearmint: CommandLine, with_results: Path) -> None:
    (job_id,) = reserved(spearmint, with_results)
    answer = spearmint("tell", with_results, str(job_id), "0.35")
    assert answer.code == 0
    assert answer.out.startswith(f"job {job_id}: 0.35 at x=")
    job = spearmint("show", with_results, str(job_id), "--json").json
    assert (job["status"], job["value"], job["source"]) == ("complete", 0.35, "chooser")


def test_how_long_a_person_took_is_not_known(spearmint: CommandLine, with_results: Path) -> None:
    (job_id,) = reserved(spearmint, with_results)
    spearmint("tell", with_results, str(job_id), "0.35")
    job = spearmint("show", with_results, str(job_id), "--json").json
    assert job["started"] is None
    assert job["ended"] is not None
    lines = spearmint("show", with_results, str(job_id)).out.splitlines()
    assert not any(line.startswith(("started", "took")) for line in lines)
    assert spearmint("status", with_results, "--json").json["seconds_left"] is None


@pytest.mark.parametrize("text", ["-0.5", "-1e-3", "-7"])
def test_a_negative_result_is_no_option(
    spearmint: CommandLine, with_results: Path, text: str
) -> None:
    (job_id,) = reserved(spearmint, with_results)
    assert spearmint("tell", with_results, str(job_id), text).code == 0
    assert spearmint("show", with_results, str(job_id), "--json").json["value"] == float(text)


def test_a_failure_at_the_bench_is_told_as_nan(spearmint: CommandLine, with_results: Path) -> None:
    (job_id,) = reserved(spearmint, with_results)
    assert spearmint("tell", with_results, str(job_id), "nan").code == 0
    assert spearmint("show", with_results, str(job_id), "--json").json["value"] is None


def test_a_tell_that_was_killed_holds_up_the_next_one_for_its_lease_alone(
    experiment: Path,
) -> None:
    config = load_config(experiment)
    with closing(open_store(config, create=True)) as store:
        (job,) = reserve(config, store, 1)
        killed = store.claim("a tell", lease_seconds=2.0, resource=job.resource)
        assert killed is not None
        with pytest.raises(StoreError, match="right now; if that was interrupted, try again in 60"):
            tell(store, job.id, {"main": 0.35})
        time.sleep(2.1)
        assert tell(store, job.id, {"main": 0.35}).values == {"main": 0.35}
        assert not store.complete(killed.claim, {"main": 7.0})  # it was not killed after all
        assert (store.job(job.id).values, store.job(job.id).attempts) == ({"main": 0.35}, 1)


def test_a_result_cant_be_told_twice(spearmint: CommandLine, with_results: Path) -> None:
    (job_id,) = reserved(spearmint, with_results)
    spearmint("tell", with_results, str(job_id), "0.35")
    answer = spearmint("tell", with_results, str(job_id), "0.4")
    assert answer.code == 2
    assert answer.err == f"error: job {job_id} is complete: its result is there already\n"
    assert spearmint("show", with_results, str(job_id), "--json").json["value"] == 0.35


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["1", "0.5"], "job 1 was not reserved"),
        (["99", "0.5"], "99"),
        (["5", "low"], "must be a number, got 'low'"),
        (["5", "0.5", "--jsno"], "must be a number, got '--jsno'"),
        (["0.5"], "give the number of one job"),
        (["five", "0.5"], "JOB must be a number, got 'five'"),
        (["..", "0.5"], "one folder at most, got"),
    ],
)
def test_a_mistake_is_one_sentence(
    spearmint: CommandLine, with_results: Path, words: list[str], sentence: str
) -> None:
    reserved(spearmint, with_results)
    answer = spearmint("tell", with_results, *words)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


def test_a_run_leaves_reserved_jobs_alone_and_keeps_its_budget(
    spearmint: CommandLine, experiment: Path
) -> None:
    (job_id,) = reserved(spearmint, experiment)
    run = spearmint("run", experiment)
    assert run.code == 0
    assert "the budget is spent: 3 complete, 0 broken, 1 reserved\n" in run.out
    jobs = spearmint("jobs", experiment, "--json").json
    assert [job["status"] for job in jobs] == ["new", *["complete"] * 3]
    assert spearmint("tell", experiment, str(job_id), "1.5").code == 0


def test_two_people_at_once_get_different_points(
    spearmint: CommandLine, with_results: Path
) -> None:
    command = [sys.executable, "-m", "spearmint_int", "suggest", str(with_results)]
    people = [
        subprocess.Popen([*command, "--reserve", "--json"], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    answers = [json.loads(person.communicate(timeout=120)[0])[0] for person in people]
    assert sorted(answer["id"] for answer in answers) == [5, 6, 7, 8]
    assert len({json.dumps(answer["params"]) for answer in answers}) == 4


def test_a_reserved_job_is_told_from_others_wherever_jobs_are_shown(
    spearmint: CommandLine, with_results: Path
) -> None:
    first, second = reserved(spearmint, with_results, 2)
    assert spearmint("tell", with_results, str(first), "0.35").code == 0
    assert spearmint("jobs", with_results).out.count(" reserved ") == 1
    assert (
        f"{second} (reserved, from the chooser)" in spearmint("show", with_results, str(second)).out
    )
    assert (
        "(1 reserved, 5 complete; 5 outside of the budget)" in spearmint("status", with_results).out
    )
    assert spearmint("status", with_results, "--json").json["reserved"] == 1
    listed = spearmint("jobs", with_results, "--json").json
    assert [job["id"] for job in listed if job["reserved"]] == [second]
    assert spearmint("report", with_results, "-o", with_results / "r.html").code == 0
    text = (with_results / "r.html").read_text()
    assert "1 reserved, 5 complete" in text
    assert "<td>reserved</td>" in text
    rows = list(csv.DictReader(spearmint("export", with_results).out.splitlines()))
    assert [row["id"] for row in rows if row["reserved"] == "True"] == [str(second)]


def test_an_export_with_a_reserved_job_can_be_added(
    spearmint: CommandLine, with_results: Path
) -> None:
    reserved(spearmint, with_results)
    file = with_results / "all.csv"
    assert spearmint("export", with_results, "-o", file).code == 0
    assert spearmint("add", with_results, file).out.startswith("0 results added; 4 left out")


def test_a_reserved_job_that_is_retried_waits_for_its_result(
    spearmint: CommandLine, with_results: Path
) -> None:
    (job_id,) = reserved(spearmint, with_results)
    assert spearmint("stop", with_results, str(job_id)).code == 0
    answer = spearmint("retry", with_results, str(job_id))
    assert answer.out == "1 job is reserved and waits for 'tell'\n"
    assert spearmint("tell", with_results, str(job_id), "0.5").code == 0


def test_a_result_of_a_job_that_was_stopped_is_refused_with_the_way_out(
    spearmint: CommandLine, with_results: Path
) -> None:
    (job_id,) = reserved(spearmint, with_results)
    assert spearmint("stop", with_results, str(job_id)).code == 0
    answer = spearmint("tell", with_results, str(job_id), "0.5")
    assert answer.code == 2
    assert f"job {job_id} is broken (it was stopped by hand); 'retry' reserves it" in answer.err


def test_an_infinite_result_is_said_to_be_a_failure(
    spearmint: CommandLine, with_results: Path
) -> None:
    (job_id,) = reserved(spearmint, with_results)
    told = spearmint("tell", with_results, str(job_id), "inf").out
    assert told.startswith(f"job {job_id}: failed here (NaN or infinite) at ")
