"""The checks of `make chaos` notice what they are there for."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest

from spearmint_int.jobs import Job, JobStatus, Source
from tests.chaos.experiment import Call, true_value
from tests.chaos.invariants import results, violations
from tests.chaos.trials import kill_manager, run_trial


def job(job_id: int) -> Job:
    params = {"x": job_id, "y": 0.5}
    return Job(
        id=job_id,
        status=JobStatus.COMPLETE,
        params=params,
        point=(0.5, 0.75),
        source=Source.CHOOSER,
        provenance={},
        resource="Main",
        tasks=("main",),
        created=0.0,
        attempts=1,
        values={"main": true_value(params)},
    )


def call(job_id: int, **changes: object) -> Call:
    fields = {"job_id": job_id, "x": job_id, "y": 0.5, "pid": 1, "parent": 1, "at": "begin"}
    return Call(**(fields | changes))  # type: ignore[arg-type]


JOBS = [job(1), job(2)]
CALLS = [call(1), call(2)]


def found(jobs: list[Job], calls: list[Call]) -> str:
    return "; ".join(violations(jobs, calls, results(JOBS), budget=2))


def test_a_good_run_violates_nothing() -> None:
    assert found(JOBS, CALLS) == ""


def test_a_missing_or_doubled_id_is_noticed() -> None:
    assert "the ids are [1]" in found(JOBS[:1], CALLS)
    assert "the ids are [1, 2, 2]" in found([*JOBS, JOBS[1]], CALLS)


def test_a_lost_result_is_noticed() -> None:
    lost = dataclasses.replace(JOBS[1], values=None, status=JobStatus.NEW)
    assert "job 2 is new: []; job 2 had the result 2.5, and has None now" in found(
        [JOBS[0], lost], CALLS
    )


def test_a_changed_result_is_noticed() -> None:
    changed = dataclasses.replace(JOBS[1], values={"main": 9.0})
    assert "job 2 had the result 2.5, and has 9.0 now" in found([JOBS[0], changed], CALLS)
    assert "its parameters give 2.5" in found([JOBS[0], changed], CALLS)


def test_an_id_for_two_points_is_noticed() -> None:
    assert "job 2 was called with (7, 0.5)" in found(JOBS, [*CALLS, call(2, x=7)])


def test_a_call_that_no_attempt_counts_is_noticed() -> None:
    assert "job 2 was called 2 times in 1 attempts" in found(JOBS, [*CALLS, call(2)])


def test_a_result_out_of_nowhere_is_noticed() -> None:
    assert "job 2 was never called" in found(JOBS, CALLS[:1])


@pytest.mark.slow
def test_a_killed_manager_costs_nothing(tmp_path: Path) -> None:
    trial = run_trial(kill_manager, tmp_path / "run", rng=random.Random(1), server=None)
    assert trial.violations == ()
