"""The store contract: what claims promise; every test runs on each kind of store."""

from __future__ import annotations

import dataclasses
import time

import pytest

from spearmint_int.errors import JobNotFound, StoreError
from spearmint_int.jobs import Claim, Failure, FailureKind, Job, JobStatus, ProcessInfo
from spearmint_int.stores import Store
from spearmint_int.testing.drafts import FAILURE, LATER, LEASE, OpenStore, add, add_and_claim, claim

NEW, PENDING, COMPLETE, BROKEN = JobStatus


def lost(store: Store, job: Job) -> None:
    assert store.expire(LATER, max_attempts=3) == [job]


class ClaimsContract:
    """What claims promise."""

    def test_a_claim_takes_the_lowest_new_job(self, store: Store) -> None:
        for _ in range(3):
            add(store)
        assert [claim(store).id for _ in range(3)] == [1, 2, 3]

    def test_there_is_nothing_to_claim_in_an_empty_store(self, store: Store) -> None:
        assert store.claim("a", lease_seconds=LEASE) is None

    def test_a_claimed_job_is_not_claimed_again(self, store: Store) -> None:
        add_and_claim(store)
        assert store.claim("b", lease_seconds=LEASE) is None

    def test_a_claim_can_ask_for_one_resource(self, store: Store) -> None:
        add(store, resource="Main")
        add(store, resource="cluster")
        job = store.claim("a", lease_seconds=LEASE, resource="cluster")
        assert job is not None
        assert job.id == 2
        assert store.claim("a", lease_seconds=LEASE, resource="cluster") is None

    def test_a_claimed_job_tells_its_owner_attempt_and_lease(self, store: Store) -> None:
        before = store.now()
        job = add_and_claim(store)
        assert (job.status, job.attempts, job.lease_owner) == (PENDING, 1, "a worker")
        assert job.started is not None
        assert before <= job.started <= store.now()
        assert job.lease_expires == pytest.approx(job.started + LEASE)
        assert store.job(1) == job

    def test_a_renewed_lease_is_longer(self, store: Store) -> None:
        job = add_and_claim(store)
        assert store.renew(job.claim, lease_seconds=500)
        assert store.expire(store.now() + 100, max_attempts=3) == []

    def test_the_process_of_a_job_is_written_down(self, store: Store) -> None:
        process = ProcessInfo("node7", pid=4711, born="12345", proc_id="77.1")
        assert store.attach(add_and_claim(store).claim, process)
        assert store.job(1).process == process

    def test_a_worker_that_tells_of_its_process_renews_its_lease(self, store: Store) -> None:
        job = add_and_claim(store)
        assert store.attach(job.claim, ProcessInfo(pid=4711), lease_seconds=500)
        assert store.expire(store.now() + 100, max_attempts=3) == []

    def test_a_process_that_is_told_by_others_leaves_the_lease(self, store: Store) -> None:
        job = add_and_claim(store)
        assert store.attach(job.claim, ProcessInfo(proc_id="77.1"))
        assert store.job(1).lease_expires == job.lease_expires

    def test_the_time_of_a_job_begins_when_its_worker_says_so(self, store: Store) -> None:
        claimed = add_and_claim(store)
        time.sleep(0.2)
        assert store.attach(claimed.claim, ProcessInfo(pid=4711), begins=True)
        began, waited_from = store.job(1).started, claimed.started
        assert began is not None
        assert waited_from is not None
        assert began >= waited_from + 0.2

    def test_a_completed_job_keeps_its_result(self, store: Store) -> None:
        assert store.complete(add_and_claim(store).claim, {"main": 3, "memory": 0.5})
        job = store.job(1)
        assert (job.status, job.values) == (COMPLETE, {"main": 3.0, "memory": 0.5})
        assert (job.lease_owner, job.token) == (None, None)
        assert job.seconds is not None
        assert job.seconds >= 0

    def test_a_result_that_had_to_wait_ended_when_it_was_there(self, store: Store) -> None:
        claim = add_and_claim(store).claim
        began = store.job(1).started
        time.sleep(0.3)
        assert store.complete(claim, {"main": 1.0}, seconds_ago=0.2)
        job = store.job(1)
        assert began is not None
        assert job.seconds is not None
        assert 0.05 < job.seconds < store.now() - began - 0.15

    def test_a_failure_that_had_to_wait_ended_when_it_was_there(self, store: Store) -> None:
        claim = add_and_claim(store).claim
        began = store.job(1).started
        time.sleep(0.3)
        assert store.fail(claim, FAILURE, max_attempts=1, seconds_ago=0.2) is BROKEN
        job = store.job(1)
        assert began is not None
        assert job.seconds is not None
        assert 0.05 < job.seconds < store.now() - began - 0.15

    def test_a_doubled_completion_is_known_and_changes_nothing(self, store: Store) -> None:
        job = add_and_claim(store)
        assert store.complete(job.claim, {"main": 1.0})
        first = store.job(1)
        assert store.complete(job.claim, {"main": 2.0})
        assert store.job(1) == first

    def test_a_late_worker_can_not_overwrite_the_result_of_another(self, store: Store) -> None:
        late = add_and_claim(store)
        lost(store, late)
        assert store.complete(claim(store, "another").claim, {"main": 1.0})
        assert not store.complete(late.claim, {"main": 2.0})
        assert store.job(1).values == {"main": 1.0}

    def test_a_late_worker_can_not_change_a_job_that_another_holds(self, store: Store) -> None:
        late = add_and_claim(store)
        lost(store, late)
        held = claim(store)  # the same owner's name: the claim counts, not the name
        assert not store.complete(late.claim, {"main": 2.0})
        assert store.fail(late.claim, FAILURE, max_attempts=3) is None
        assert not store.renew(late.claim, lease_seconds=LEASE)
        assert not store.release(late.claim)
        assert not store.attach(late.claim, ProcessInfo("node7"))
        assert store.job(1) == held

    def test_a_late_result_is_kept_while_nobody_else_has_the_job(self, store: Store) -> None:
        late = add_and_claim(store)
        lost(store, late)
        assert store.complete(late.claim, {"main": 2.0})
        assert (store.job(1).status, store.job(1).values) == (COMPLETE, {"main": 2.0})
        assert store.claim("another", lease_seconds=LEASE) is None

    def test_a_late_result_mends_a_job_that_broke_for_its_lost_worker(self, store: Store) -> None:
        late = add_and_claim(store)
        store.expire(LATER, max_attempts=1)
        assert store.complete(late.claim, {"main": 2.0})
        assert store.job(1).status is COMPLETE

    def test_a_late_worker_is_told_that_its_lease_is_lost(self, store: Store) -> None:
        late = add_and_claim(store)
        lost(store, late)
        assert not store.renew(late.claim, lease_seconds=LEASE)
        assert not store.release(late.claim)
        assert store.fail(late.claim, FAILURE, max_attempts=3) is None
        assert store.job(1).status is NEW

    def test_a_job_that_nobody_claimed_can_not_be_completed(self, store: Store) -> None:
        assert not store.complete(Claim(add(store).id, "", 0), {"main": 1.0})
        assert store.job(1).status is NEW

    def test_a_claim_that_failed_or_was_released_can_not_complete(self, store: Store) -> None:
        failed = add_and_claim(store)
        store.fail(failed.claim, FAILURE, max_attempts=3)
        assert not store.complete(failed.claim, {"main": 1.0})
        released = claim(store)
        store.release(released.claim)
        assert not store.complete(released.claim, {"main": 1.0})
        assert store.job(1).values is None

    def test_a_completed_claim_can_not_fail(self, store: Store) -> None:
        job = add_and_claim(store)
        store.complete(job.claim, {"main": 1.0})
        assert store.fail(job.claim, FAILURE, max_attempts=1) is None
        assert not store.release(job.claim)
        assert store.job(1).status is COMPLETE

    def test_changing_a_job_that_is_not_there_is_an_error(self, store: Store) -> None:
        ghost = dataclasses.replace(add_and_claim(store).claim, job_id=99)
        with pytest.raises(JobNotFound, match="no job 99"):
            store.complete(ghost, {"main": 1.0})

    def test_a_failed_job_is_new_until_its_attempts_are_used_up(self, store: Store) -> None:
        add(store)
        statuses = [store.fail(claim(store).claim, FAILURE, max_attempts=3) for _ in range(3)]
        assert statuses == [NEW, NEW, BROKEN]
        job = store.job(1)
        assert (job.status, job.attempts, job.failures) == (BROKEN, 3, (FAILURE,) * 3)
        assert job.ended is not None

    def test_a_doubled_failure_is_known_and_counts_once(self, store: Store) -> None:
        job = add_and_claim(store)
        assert store.fail(job.claim, FAILURE, max_attempts=2) is NEW
        assert store.fail(job.claim, FAILURE, max_attempts=2) is NEW
        assert store.job(1).failures == (FAILURE,)

    def test_the_end_of_a_long_stderr_is_kept(self, store: Store) -> None:
        failure = Failure(FailureKind.EXIT, "exit status 3", 3, "x" * 100_000 + "the reason")
        store.fail(add_and_claim(store).claim, failure, max_attempts=1)
        tail = store.job(1).failures[0].stderr_tail
        assert tail.endswith("the reason")
        assert len(tail) < 10_000

    def test_a_released_job_does_not_count_the_attempt(self, store: Store) -> None:
        job = add_and_claim(store)
        assert store.release(job.claim)
        assert store.release(job.claim)  # doubled: known
        back = store.job(1)
        assert (back.status, back.attempts, back.failures) == (NEW, 0, ())
        assert claim(store).attempts == 1

    def test_only_ended_leases_expire(self, store: Store) -> None:
        add(store)
        add(store)
        short = store.claim("short", lease_seconds=5)
        store.claim("long", lease_seconds=5000)
        assert store.expire(store.now() + 100, max_attempts=3) == [short]
        assert [store.job(i).status for i in (1, 2)] == [NEW, PENDING]

    def test_an_expired_job_tells_of_its_lost_worker(self, store: Store) -> None:
        job = add_and_claim(store)
        lost(store, job)
        (failure,) = store.job(1).failures
        assert failure.kind is FailureKind.LOST_WORKER
        assert "a worker was lost" in failure.message

    def test_an_expired_job_breaks_when_its_attempts_are_used_up(self, store: Store) -> None:
        add(store)
        for _ in range(2):
            claim(store)
            store.expire(LATER, max_attempts=2)
        assert store.job(1).status is BROKEN
        assert len(store.job(1).failures) == 2

    def test_an_expired_job_expires_once(self, store: Store) -> None:
        lost(store, add_and_claim(store))
        assert store.expire(LATER, max_attempts=3) == []

    def test_a_broken_job_can_be_tried_again(self, store: Store) -> None:
        store.fail(add_and_claim(store).claim, FAILURE, max_attempts=1)
        job = store.retry(1)
        assert (job.status, job.attempts, job.failures) == (NEW, 0, (FAILURE,))
        assert store.complete(claim(store).claim, {"main": 1.0})

    def test_a_late_worker_can_not_complete_a_job_that_is_tried_again(self, store: Store) -> None:
        late = add_and_claim(store)
        store.expire(LATER, max_attempts=1)
        store.retry(1)
        assert not store.complete(late.claim, {"main": 1.0})

    @pytest.mark.parametrize("status", [NEW, PENDING, COMPLETE])
    def test_only_a_broken_job_can_be_tried_again(self, store: Store, status: JobStatus) -> None:
        add(store)
        if status is not NEW:
            job = claim(store)
        if status is COMPLETE:
            store.complete(job.claim, {"main": 1.0})
        with pytest.raises(StoreError, match=f"job 1 is {status}: only a broken job"):
            store.retry(1)

    def test_trying_an_unknown_job_again_is_an_error(self, store: Store) -> None:
        with pytest.raises(JobNotFound, match="no job 5"):
            store.retry(5)

    def test_a_machine_whose_clock_is_ahead_takes_nobodys_job(
        self, store: Store, reopen: OpenStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        add_and_claim(store)
        right = time.time
        monkeypatch.setattr(time, "time", lambda: right() + 3600)
        ahead = reopen()
        assert ahead.expire(ahead.now(), max_attempts=3) == []
        assert abs(ahead.now() - store.now()) < 5
        ahead.close()

    def test_a_clock_that_is_set_ends_no_lease_and_no_lock(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        add_and_claim(store)
        store.lock("suggestion", "one", seconds=30)
        right = time.time
        monkeypatch.setattr(time, "time", lambda: right() + 3600)
        assert store.expire(store.now(), max_attempts=3) == []
        assert not store.lock("suggestion", "two", seconds=30)

    def test_a_job_takes_the_time_that_it_took_also_when_the_clock_is_set(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job = add_and_claim(store)
        right = time.time
        monkeypatch.setattr(time, "time", lambda: right() - 3600)
        store.complete(job.claim, {"main": 1.0})
        seconds = store.job(1).seconds
        assert seconds is not None
        assert 0 <= seconds < 60
