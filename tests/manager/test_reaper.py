"""Which pending jobs are taken back, and which are left to their workers."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path

import pytest

from spearmint_int.jobs import RESERVED, FailureKind, Job, JobDraft, JobStatus, ProcessInfo
from spearmint_int.launcher.liveness import new_owner
from spearmint_int.launcher.output import OutputFile, output_path
from spearmint_int.manager import reaper as reaper_module
from spearmint_int.manager.job_context import JobContext
from spearmint_int.manager.reaper import Reaper
from spearmint_int.schedulers import WorkerState
from spearmint_int.stores import Store
from tests.manager.batch_queue import BatchQueue
from tests.manager.experiments import experiment
from tests.places import Place

US = "us"


@pytest.fixture(scope="module")
def dead_owner() -> str:
    """A manager of this machine that is no more."""
    code = "from spearmint_int.launcher.liveness import new_owner; print(new_owner())"
    words = [sys.executable, "-c", code]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaper_module, "START_SECONDS", 0.0)
    monkeypatch.setattr(reaper_module, "GRACE_SECONDS", 0.0)


@pytest.fixture
def reaper(place: Place, store: Store) -> Reaper:
    return Reaper(JobContext(experiment(place), store, {}, US, "", lambda _: None))


def queue_that_says(state: WorkerState, folder: Path) -> BatchQueue:
    """One that has the same word of every worker."""

    class Queue(BatchQueue):
        def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
            return dict.fromkeys(ids, state)

    return Queue(folder / "queue")


def claim(store: Store, owner: str, *, lease: float = 60.0) -> Job:
    store.add(JobDraft({"x": 0.0, "k": 0}, (0.5, 0.1)))
    job = store.claim(owner, lease_seconds=lease)
    assert job is not None
    return job


def test_a_job_of_a_live_manager_is_left_alone(store: Store, reaper: Reaper) -> None:
    claim(store, new_owner())
    assert reaper.look([]) == []
    assert reaper.orphans == {}


def test_a_job_of_another_machine_is_left_until_its_lease_ends(
    store: Store, reaper: Reaper
) -> None:
    job = claim(store, "elsewhere:1:1:x", lease=0.3)
    assert reaper.look([]) == []
    time.sleep(0.4)
    assert reaper.look([]) == [job]
    assert store.job(1).status is JobStatus.NEW


def test_a_dead_managers_job_without_a_worker_is_taken_back(
    store: Store, reaper: Reaper, dead_owner: str
) -> None:
    claim(store, dead_owner)
    assert [job.id for job in reaper.look([])] == [1]
    assert store.job(1).failures[0].kind is FailureKind.LOST_WORKER


def test_a_dead_managers_job_with_a_worker_is_an_orphan_and_left_alone(
    place: Place, store: Store, reaper: Reaper, dead_owner: str
) -> None:
    claim(store, dead_owner)
    held = OutputFile(output_path(place.directory, 1), append=False)
    assert reaper.look([]) == []
    assert reaper.orphans == {1: "Main"}
    held.close()
    assert [job.id for job in reaper.look([])] == [1]
    assert reaper.orphans == {}


def test_a_job_that_was_just_claimed_gets_time_to_start(
    store: Store, reaper: Reaper, dead_owner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reaper_module, "START_SECONDS", 30.0)
    claim(store, dead_owner)
    assert reaper.look([]) == []
    assert reaper.orphans == {1: "Main"}


def test_a_claim_of_ours_that_we_never_heard_of_is_released(store: Store, reaper: Reaper) -> None:
    claim(store, US)
    reaper.look([])
    assert (store.job(1).status, store.job(1).attempts) == (JobStatus.NEW, 0)


def test_our_running_jobs_are_left_alone(store: Store, reaper: Reaper) -> None:
    claim(store, US)
    assert reaper.look([1]) == []
    assert store.job(1).status is JobStatus.PENDING


def test_leases_rest_during_an_outage_and_a_while_after_it(
    store: Store, reaper: Reaper, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(store, "elsewhere:1:1:x", lease=0.0)
    reaper.suspend()
    assert reaper.look([]) == []
    monkeypatch.setattr(reaper_module, "GRACE_SECONDS", 15.0)
    reaper.forgive()
    assert reaper.look([]) == []
    monkeypatch.setattr(reaper_module, "GRACE_SECONDS", 0.0)
    reaper.forgive()
    assert [job.id for job in reaper.look([])] == [1]


def test_a_manager_that_begins_gives_the_workers_time_to_renew_what_ended_while_the_store_was_away(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reaper_module, "GRACE_SECONDS", 15.0)
    job = claim(store, "elsewhere:1:1:x", lease=0.0)
    reaper = Reaper(
        JobContext(experiment(place, lease_time=1.0), store, {}, US, "", lambda _: None)
    )
    assert reaper.look([]) == []
    time.sleep(1.0)
    assert reaper.look([]) == [job]


def test_a_machine_that_slept_forgives_leases(
    store: Store, reaper: Reaper, monkeypatch: pytest.MonkeyPatch
) -> None:
    reaper.look([])
    monkeypatch.setattr(reaper_module, "GRACE_SECONDS", 15.0)
    claim(store, "elsewhere:1:1:x", lease=0.0)
    monkeypatch.setattr(reaper_module, "SLEEP_SECONDS", -1.0)
    assert reaper.look([]) == []


def test_a_reserved_point_waits_on_when_a_tell_was_killed(
    place: Place, store: Store, dead_owner: str
) -> None:
    store.add(JobDraft({"x": 0.0, "k": 0}, (0.5, 0.1), resource=f"{RESERVED}1"))
    store.claim(dead_owner, lease_seconds=60.0)
    config = experiment(place, max_attempts=1)
    Reaper(JobContext(config, store, {}, US, "", lambda _: None)).look([])
    job = store.job(1)
    assert job.is_reserved
    assert job.failures == ()


@pytest.mark.parametrize("state", [WorkerState.QUEUED, WorkerState.HELD, WorkerState.UNANSWERED])
def test_a_job_that_another_machine_has_queued_keeps_its_lease_whatever_is_known_of_it(
    place: Place, store: Store, tmp_path: Path, state: WorkerState
) -> None:
    schedulers = {"Main": queue_that_says(state, tmp_path)}
    reaper = Reaper(JobContext(experiment(place), store, schedulers, US, "", lambda _: None))
    job = claim(store, "elsewhere:1:1:x", lease=0.3)
    store.attach(job.claim, ProcessInfo(proc_id="7"))
    assert reaper.look([]) == []
    time.sleep(0.4)
    assert reaper.look([]) == []


@pytest.mark.parametrize("state", [WorkerState.GONE, WorkerState.UNKNOWN])
def test_a_job_that_another_machine_has_queued_and_that_never_began_costs_no_attempt(
    place: Place, store: Store, tmp_path: Path, state: WorkerState
) -> None:
    schedulers = {"Main": queue_that_says(state, tmp_path)}
    config = experiment(place, max_attempts=1)
    reaper = Reaper(JobContext(config, store, schedulers, US, "", lambda _: None))
    job = claim(store, "elsewhere:1:1:x", lease=0.3)
    store.attach(job.claim, ProcessInfo(proc_id="7"))
    assert reaper.look([]) == []
    time.sleep(0.4)
    assert [lost.id for lost in reaper.look([])] == [1]
    back = store.job(1)
    assert (back.status, back.attempts) == (JobStatus.NEW, 0)
    assert [failure.kind for failure in back.failures] == [FailureKind.START]
