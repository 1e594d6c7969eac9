"""Jobs that wait in a batch system for longer than a lease: every one runs, and runs once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from spearmint_int.jobs import JobStatus
from spearmint_int.manager import EndReason
from spearmint_int.schedulers import WorkerState
from spearmint_int.stores import Store
from tests.launcher.launches import eventually
from tests.manager.batch_queue import BatchQueue, batch_system
from tests.manager.experiments import experiment, on_both_stores, run
from tests.manager.test_kills import calls, manager_process
from tests.places import Place

pytestmark = pytest.mark.timeout(120)

LEASE = 2.0
QUICK = """
import time
def main(job_id, params):
    with open("calls.txt", "a") as calls:
        calls.write(f"{job_id}\\n")
    time.sleep(0.5)
    return float(job_id)
"""
KEYS = {"max_concurrent": 2, "max_finished_jobs": 4, "lease_time": LEASE}


@pytest.fixture
def queue(place: Place) -> Iterator[Path]:
    """The folder of a batch system whose workers start after two lease times."""
    folder = place.directory / "queue"
    with batch_system(folder, 2 * LEASE):
        yield folder


def check_that_every_job_ran_once(place: Place, store: Store) -> None:
    assert sorted(calls(place)) == [1, 2, 3, 4]
    assert [job.values for job in store.jobs()] == [{"main": float(i)} for i in range(1, 5)]
    assert [job.attempts for job in store.jobs()] == [1, 1, 1, 1]


@on_both_stores
def test_jobs_that_wait_for_two_leases_run_once(place: Place, store: Store, queue: Path) -> None:
    summary, _ = run(
        experiment(place, QUICK, **KEYS),
        store,
        schedulers={"Main": BatchQueue(queue)},
    )
    assert summary.reason is EndReason.BUDGET
    check_that_every_job_ran_once(place, store)


@on_both_stores
def test_jobs_of_a_manager_that_was_killed_while_they_waited_run_once(
    place: Place, store: Store, queue: Path
) -> None:
    with manager_process(place, QUICK, queue=str(queue), **KEYS) as manager:
        assert eventually(lambda: queued_ids(store) == 2, 30)
        manager.kill()
    summary, _ = run(
        experiment(place, QUICK, **KEYS),
        store,
        schedulers={"Main": BatchQueue(queue)},
    )
    assert summary.reason is EndReason.BUDGET
    check_that_every_job_ran_once(place, store)


def test_the_schedulers_id_is_in_the_job_beside_the_workers_process(
    place: Place, store: Store, queue: Path
) -> None:
    scheduler = BatchQueue(queue)
    run(
        experiment(place, QUICK, max_finished_jobs=1, lease_time=LEASE),
        store,
        schedulers={"Main": scheduler},
    )
    process = store.job(1).process
    assert process is not None
    assert process.pid is not None
    assert process.proc_id is not None
    assert scheduler.states([process.proc_id]) == {process.proc_id: WorkerState.GONE}


def test_a_worker_whose_claim_was_lost_in_the_queue_does_not_run_the_job(
    place: Place, store: Store, queue: Path
) -> None:
    with manager_process(place, QUICK, queue=str(queue), **KEYS) as manager:
        assert eventually(lambda: queued_ids(store) == 2, 30)
        manager.kill()
    for job in store.jobs(JobStatus.PENDING):
        store.release(job.claim)
    assert eventually(lambda: len(list(queue.glob("*.gone"))) == 2, 30)
    assert calls(place) == []


def queued_ids(store: Store) -> int:
    """How many jobs have a scheduler's id and no worker yet."""
    processes = [job.process for job in store.jobs(JobStatus.PENDING)]
    return sum(1 for p in processes if p is not None and p.proc_id and p.pid is None)
