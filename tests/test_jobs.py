"""Jobs are values that refuse impossible states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from spearmint_int.jobs import (
    Failure,
    FailureKind,
    Job,
    JobDraft,
    JobPoint,
    JobStatus,
    Source,
    checked_values,
    ids_of,
    runs_of,
    status_after_failure,
)

EXCEPTION, START, STOPPED, LOST_WORKER = (
    FailureKind.EXCEPTION,
    FailureKind.START,
    FailureKind.STOPPED,
    FailureKind.LOST_WORKER,
)


def job(**changes: Any) -> Job:
    fields: dict[str, Any] = {
        "id": 1,
        "status": JobStatus.NEW,
        "params": {"x": 1},
        "point": (0.5,),
        "source": Source.CHOOSER,
        "provenance": {},
        "resource": "Main",
        "tasks": ("main",),
        "created": 100.0,
    }
    return Job(**(fields | changes))


def test_a_draft_takes_any_sequence_of_numbers_as_its_point() -> None:
    draft = JobDraft({"x": 1}, np.array([0.25, 1.0]))  # type: ignore[arg-type]
    assert draft.point == (0.25, 1.0)
    assert all(type(u) is float for u in draft.point)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_draft_refuses_a_point_that_is_not_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="must be finite"):
        JobDraft({"x": 1}, (0.5, bad))


def test_a_draft_refuses_an_unknown_source() -> None:
    with pytest.raises(ValueError, match="oracle"):
        JobDraft({"x": 1}, (0.5,), source="oracle")  # type: ignore[arg-type]


def test_a_failure_refuses_an_unknown_kind() -> None:
    with pytest.raises(ValueError, match="bad luck"):
        Failure("bad luck", "it failed")  # type: ignore[arg-type]


def test_a_failure_knows_its_kind_by_the_stored_text() -> None:
    assert Failure("out-of-memory", "killed").kind is FailureKind.OUT_OF_MEMORY  # type: ignore[arg-type]


def test_statuses_print_as_they_are_stored() -> None:
    assert [f"{status}" for status in JobStatus] == ["new", "pending", "complete", "broken"]


def test_values_are_floats_and_not_finite_ones_are_nan() -> None:
    values = checked_values({"a": 1, "b": np.float64(0.5), "c": -math.inf})
    assert str(values) == "{'a': 1.0, 'b': 0.5, 'c': nan}"


@pytest.mark.parametrize("value", [True, "1.0", b"1"])
def test_values_that_only_look_like_numbers_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="task 'main' must be a number"):
        checked_values({"main": value})


def test_a_result_without_tasks_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one task"):
        checked_values({})


def test_an_evaluation_without_the_task_is_nan() -> None:
    complete = JobPoint(1, JobStatus.COMPLETE, (0.5,), {"main": 2.0})
    assert complete.value("main") == 2.0
    assert math.isnan(complete.value("memory"))
    assert math.isnan(JobPoint(2, JobStatus.BROKEN, (0.5,), None).value("main"))


@pytest.mark.parametrize(
    ("attempts", "status"), [(1, JobStatus.NEW), (2, JobStatus.NEW), (3, JobStatus.BROKEN)]
)
def test_the_last_attempt_breaks_a_job(attempts: int, status: JobStatus) -> None:
    assert status_after_failure(attempts, max_attempts=3) is status


@pytest.mark.parametrize(
    ("kinds", "void"),
    [
        ([], False),
        ([EXCEPTION], False),
        ([EXCEPTION, STOPPED], True),
        ([LOST_WORKER], True),
        ([LOST_WORKER, LOST_WORKER], True),
        ([START, LOST_WORKER], True),
        ([EXCEPTION, LOST_WORKER], False),
        ([LOST_WORKER, EXCEPTION], False),
        ([LOST_WORKER, START, LOST_WORKER, LOST_WORKER], False),
        ([LOST_WORKER, LOST_WORKER, LOST_WORKER, STOPPED], True),
    ],
)
def test_a_lost_worker_says_nothing_of_the_point_unless_there_were_three(
    kinds: list[FailureKind], void: bool
) -> None:
    failures = tuple(Failure(kind, "it broke") for kind in kinds)
    assert job(status=JobStatus.BROKEN, failures=failures).is_void is void


def test_only_a_finished_job_that_ran_here_has_a_duration() -> None:
    times = {"started": 10.0, "ended": 12.5}
    assert job(status=JobStatus.COMPLETE, **times).seconds == 2.5
    assert job(status=JobStatus.PENDING, started=10.0).seconds is None
    assert job(status=JobStatus.COMPLETE, ended=12.5).seconds is None


@pytest.mark.parametrize(
    ("ids", "runs"),
    [
        ([], []),
        ([4], [4]),
        ([1, 2, 3], [1, 2, 3]),
        ([3, 7, 8, 9, 10, 12], [3, [7, 10], 12]),
        (range(1, 5001), [[1, 5000]]),
    ],
)
def test_consecutive_ids_are_kept_in_short(ids: Sequence[int], runs: list[int | list[int]]) -> None:
    assert runs_of(ids) == runs
    assert ids_of(runs) == set(ids)
