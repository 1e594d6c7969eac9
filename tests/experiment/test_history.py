"""The history: always what the store has, whoever changed it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pytest

from spearmint_int.experiment.history import StoreHistory
from spearmint_int.jobs import (
    FINISHED,
    UNFINISHED,
    Failure,
    FailureKind,
    Job,
    JobDraft,
    JobPoint,
    JobStatus,
    Source,
    Tally,
)
from spearmint_int.stores import Store

FAILURE = Failure(FailureKind.EXCEPTION, "it broke")


@pytest.fixture
def known(store: Store) -> StoreHistory:
    return StoreHistory(store, tasks=["main"], dimensions=2)


def add(store: Store, u: float) -> Job:
    job = store.add(JobDraft({"u": u}, (u, 0.5)))
    assert job is not None
    return job


def complete(store: Store, u: float, value: float, **others: float) -> Job:
    """A job that ran; others may be new or pending before it."""
    add(store, u)
    job = store.claim("a", lease_seconds=60)
    assert job is not None
    store.complete(job.claim, {"main": value, **others})
    return job


def seen(known: StoreHistory) -> tuple[list[float], list[float], list[float]]:
    known.refresh()
    observations = known.observations()
    return (
        observations.points[:, 0].tolist(),
        observations.values["main"].tolist(),
        known.pending()[:, 0].tolist(),
    )


def test_an_empty_store_has_no_history(known: StoreHistory) -> None:
    assert seen(known) == ([], [], [])
    assert known.observations().points.shape == known.pending().shape == (0, 2)
    assert known.best() is None


def test_finished_jobs_have_values_and_others_are_pending(
    store: Store, known: StoreHistory
) -> None:
    complete(store, 0.1, 3.0)
    add(store, 0.2)
    assert seen(known) == ([0.1], [3.0], [0.2])
    assert known.counts[JobStatus.NEW] == known.counts[JobStatus.COMPLETE] == 1


def test_a_constraint_that_is_nan_has_failed_and_one_that_is_missing_has_not(store: Store) -> None:
    complete(store, 0.1, 1.0, load=np.nan)
    complete(store, 0.2, 1.0)
    known = StoreHistory(store, tasks=["main", "load"], dimensions=2)
    known.refresh()
    assert known.observations().worked.tolist() == [False, True]
    assert known.counts[JobStatus.COMPLETE] == len(known.finished_ids) == 2


def test_jobs_that_end_out_of_order_are_found(store: Store, known: StoreHistory) -> None:
    for u in (0.1, 0.2, 0.3):
        add(store, u)
    claims = [store.claim("a", lease_seconds=60) for _ in range(3)]
    for index in (2, 0, 1):
        job = claims[index]
        assert job is not None
        store.complete(job.claim, {"main": float(job.id)})
        known.refresh()
    assert seen(known) == ([0.1, 0.2, 0.3], [1.0, 2.0, 3.0], [])


def test_a_broken_job_is_nan(store: Store, known: StoreHistory) -> None:
    add(store, 0.1)
    job = store.claim("a", lease_seconds=60)
    assert job is not None
    store.fail(job.claim, FAILURE, max_attempts=1)
    points, values, _ = seen(known)
    assert points == [0.1]
    assert np.isnan(values).all()
    assert known.best() is None


@pytest.mark.parametrize("kind", [FailureKind.STOPPED, FailureKind.LAUNCH, FailureKind.START])
def test_a_broken_job_that_says_nothing_of_its_point_only_counts(
    store: Store, known: StoreHistory, kind: FailureKind
) -> None:
    complete(store, 0.1, 3.0)
    add(store, 0.2)
    job = store.claim("a", lease_seconds=60)
    assert job is not None
    store.fail(job.claim, Failure(kind, "it was not tried"), max_attempts=1)
    assert seen(known) == ([0.1], [3.0], [])
    assert (known.observations().void, known.finished) == (1, 2)
    assert known.counts[JobStatus.BROKEN] == 1


def test_a_broken_job_that_is_tried_again_is_pending_and_then_complete(
    store: Store, known: StoreHistory
) -> None:
    add(store, 0.1)
    job = store.claim("a", lease_seconds=60)
    assert job is not None
    store.fail(job.claim, FAILURE, max_attempts=1)
    known.refresh()
    store.retry(1)
    assert seen(known) == ([], [], [0.1])
    again = store.claim("a", lease_seconds=60)
    assert again is not None
    store.complete(again.claim, {"main": 5.0})
    assert seen(known) == ([0.1], [5.0], [])


def test_a_retry_that_ended_between_two_looks_is_noticed(store: Store, known: StoreHistory) -> None:
    add(store, 0.1)
    job = store.claim("a", lease_seconds=60)
    assert job is not None
    store.fail(job.claim, FAILURE, max_attempts=1)
    known.refresh()
    store.retry(1)
    again = store.claim("a", lease_seconds=60)
    assert again is not None
    store.complete(again.claim, {"main": 5.0})
    assert seen(known) == ([0.1], [5.0], [])


def test_the_best_is_the_earliest_of_equals(store: Store, known: StoreHistory) -> None:
    for u, value in ((0.1, 3.0), (0.2, 1.0), (0.3, 1.0)):
        complete(store, u, value)
    known.refresh()
    assert known.best() == (2, 1.0)


def test_the_best_is_one_within_the_present_bounds_where_there_is_one(store: Store) -> None:
    known = StoreHistory(
        store, tasks=["main"], dimensions=2, recode=lambda _, point: 2.0 * np.array(point)
    )
    complete(store, 0.7, 0.5)
    known.refresh()
    assert known.best() == (1, 0.5)
    complete(store, 0.2, 2.0)
    known.refresh()
    assert known.best() == (2, 2.0)


def test_many_new_results_are_read_at_once(
    store: Store, known: StoreHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [(JobDraft({}, (i / 100, 0.5), Source.USER), {"main": float(i)}) for i in range(60)]
    store.add_all_complete(results)
    monkeypatch.setattr(store, "job", _forbidden)
    assert len(seen(known)[0]) == 60


def test_a_few_new_results_are_read_one_by_one(
    store: Store, known: StoreHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [(JobDraft({}, (i / 100, 0.5), Source.USER), {"main": float(i)}) for i in range(60)]
    store.add_all_complete(results)
    known.refresh()
    complete(store, 0.7, -1.0)
    all_at_once = store.job_points
    reads: list[Any] = []
    monkeypatch.setattr(store, "job_points", _counting(all_at_once, reads))
    assert seen(known)[1][-1] == -1.0
    assert reads == [UNFINISHED]


def _forbidden(*arguments: Any) -> Any:
    raise AssertionError("this read was not expected")


def _counting(function: Callable[..., Any], calls: list[Any]) -> Callable[..., Any]:
    def counted(*arguments: Any) -> Any:
        calls.extend(arguments)
        return function(*arguments)

    return counted


def test_jobs_that_are_left_out_do_not_come_back(store: Store, known: StoreHistory) -> None:
    complete(store, 0.25, 1.0)
    complete(store, 0.75, 2.0)
    known.refresh()
    known.leave_out([1])
    assert seen(known) == ([0.75], [2.0], [])
    assert known.best() == (2, 2.0)
    assert known.finished_ids == [2]


def noted(known: StoreHistory, job: Job | None) -> bool:
    assert job is not None
    return known.note(job)


def test_what_we_do_ourselves_is_counted_as_a_read_would(store: Store) -> None:
    known = StoreHistory(store, tasks=["main"], dimensions=2, resources=["Main"])
    known.refresh()
    assert noted(known, add(store, 0.1))
    assert noted(known, add(store, 0.2))
    job = store.claim("a", lease_seconds=60)
    assert noted(known, job)
    assert job is not None
    assert known.tally == store.tally(["Main"])
    assert list(known.pending_ids) == [1, 2]
    store.complete(job.claim, {"main": 3.0})
    assert noted(known, store.job(1))
    assert known.tally == store.tally(["Main"])
    assert list(known.pending_ids) == [2]
    assert known.observations().values["main"].tolist() == [3.0]


def test_a_job_that_was_not_read_wants_a_refresh_when_it_changes(store: Store) -> None:
    known = StoreHistory(store, tasks=["main"], dimensions=2, resources=["Main"])
    add(store, 0.1)
    known.leave_out([1])
    known.refresh()
    assert not noted(known, store.claim("a", lease_seconds=60))


@pytest.mark.parametrize("others", ["add", "claim", "complete"])
def test_a_change_by_others_between_two_reads_wants_a_refresh(
    store: Store, monkeypatch: pytest.MonkeyPatch, others: str
) -> None:
    known = StoreHistory(store, tasks=["main"], dimensions=2, resources=["Main"])
    add(store, 0.1)
    known.refresh()
    read = type(store).tally

    def read_and_then(self: Store, resources: Collection[str] = ()) -> Tally:
        tally = read(self, resources)
        if others == "add":
            add(store, 0.2)
        elif (job := store.claim("b", lease_seconds=60)) is not None and others == "complete":
            store.complete(job.claim, {"main": 1.0})
        return tally

    monkeypatch.setattr(type(store), "tally", read_and_then)
    known.refresh()
    monkeypatch.undo()
    assert not noted(known, add(store, 0.3))
    known.refresh()
    assert known.tally == store.tally(["Main"])
    assert noted(known, add(store, 0.4))
    assert known.tally == store.tally(["Main"])


def test_a_job_that_ends_between_two_reads_is_not_both_ended_and_pending(
    store: Store, known: StoreHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for u in (0.1, 0.2):
        add(store, u)
    first, second = (store.claim("b", lease_seconds=60) for _ in range(2))
    assert first is not None
    assert second is not None
    read = type(store).job_points

    def others_end(self: Store, statuses: Collection[JobStatus] = FINISHED) -> list[JobPoint]:
        if statuses == FINISHED:
            return read(self, statuses)
        store.complete(first.claim, {"main": 1.0})
        points = read(self, statuses)
        store.complete(second.claim, {"main": 2.0})
        return points

    monkeypatch.setattr(type(store), "job_points", others_end)
    assert seen(known) == ([0.1, 0.2], [1.0, 2.0], [])


def test_the_best_is_one_that_fulfils_every_constraint(store: Store) -> None:
    known = StoreHistory(store, tasks=["main", "c"], dimensions=2)
    for value, c in ((1.0, -1.0), (3.0, 0.0), (2.0, float("nan"))):
        job = store.add_complete(
            JobDraft({"u": 0.5}, (0.5, 0.5), tasks=("main", "c")), {"main": value, "c": c}
        )
        assert job.unfulfilled == (() if c == 0.0 else ("c",))
    store.add_complete(JobDraft({"u": 0.5}, (0.5, 0.5)), {"main": 0.0})
    known.refresh()
    assert known.best() == (2, 3.0)
    assert known.has_result
