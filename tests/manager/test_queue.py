"""Jobs that wait in a batch system for longer than a lease: every one runs, and runs once."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from spearmint_int.jobs import FailureKind, JobStatus
from spearmint_int.launcher.order import Order
from spearmint_int.manager import EndReason, Manager, running_jobs
from spearmint_int.schedulers import WorkerState
from spearmint_int.stores import Store
from tests.launcher.launches import eventually
from tests.manager.batch_queue import BatchQueue, batch_system
from tests.manager.experiments import SLEEP, SQUARE, experiment, no_estimate, on_both_stores, run
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


class Silent(BatchQueue):
    """It is not answered for two lease times."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._silent_until = time.monotonic() + 2 * LEASE

    def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
        if time.monotonic() < self._silent_until:
            return dict.fromkeys(ids, WorkerState.UNANSWERED)
        return super().states(ids)


def test_jobs_of_a_killed_manager_are_kept_while_the_batch_system_does_not_answer(
    place: Place, store: Store, tmp_path: Path
) -> None:
    queue = tmp_path / "slow"
    with batch_system(queue, 4 * LEASE):
        with manager_process(place, QUICK, queue=str(queue), **KEYS) as manager:
            assert eventually(lambda: queued_ids(store) == 2, 30)
            manager.kill()
        run(experiment(place, QUICK, **KEYS), store, schedulers={"Main": Silent(queue)})
    check_that_every_job_ran_once(place, store)


class Behind(BatchQueue):
    """What it says of a job that runs is of a while ago: that it waits."""

    def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
        late = {WorkerState.RUNNING: WorkerState.QUEUED}
        return {i: late.get(state, state) for i, state in super().states(ids).items()}


def test_a_job_that_runs_is_awaited_by_a_stop_although_the_last_word_of_it_was_that_it_waits(
    place: Place, store: Store, tmp_path: Path
) -> None:
    keys = KEYS | {"max_concurrent": 1, "lease_time": 60.0}
    config = experiment(place, QUICK.replace("0.5", "4"), **keys)
    scheduler = Behind(tmp_path / "late")
    with batch_system(tmp_path / "late", 0.0):
        manager = Manager(config, store, schedulers={"Main": scheduler}, recommender=no_estimate)
        thread = threading.Thread(target=manager.run)
        thread.start()
        assert eventually(lambda: len(calls(place)) == 1, 30)
        manager.stop()
        thread.join(60)
    assert store.job(1).status is JobStatus.COMPLETE


class Suspending(BatchQueue):
    """It stops its workers as soon as they run, for two lease times."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._until: dict[str, float] = {}

    def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
        return {i: self._suspended(i, state) for i, state in super().states(ids).items()}

    def _suspended(self, proc_id: str, state: WorkerState) -> WorkerState:
        if state is not WorkerState.RUNNING or not list(self._folder.glob("../calls.txt")):
            return state
        now, group = time.monotonic(), (self._folder / f"{proc_id}.running").read_text()
        is_over = now > self._until.setdefault(proc_id, now + 2 * LEASE)
        os.killpg(int(group), signal.SIGCONT if is_over else signal.SIGSTOP)
        return WorkerState.RUNNING if is_over else WorkerState.SUSPENDED


@on_both_stores
def test_a_job_that_is_suspended_for_two_leases_runs_once(place: Place, store: Store) -> None:
    queue = place.directory / "suspending"
    keys = KEYS | {"max_concurrent": 1, "max_finished_jobs": 1, "polling_time": 0.2}
    with batch_system(queue, 0.0):
        slow = QUICK.replace("0.5", "2")
        run(experiment(place, slow, **keys), store, schedulers={"Main": Suspending(queue)})
    assert calls(place) == [1]
    assert (store.job(1).status, store.job(1).attempts) == (JobStatus.COMPLETE, 1)
    assert (store.job(1).seconds or 0.0) > 2 * LEASE


class Killing(BatchQueue):
    """It cancels as some batch systems do: its workers hear nothing before they are gone."""

    def cancel(self, proc_id: str) -> None:
        os.kill(int((self._folder / f"{proc_id}.running").read_text()), signal.SIGKILL)


def test_a_job_whose_worker_is_killed_on_our_request_is_handed_back(
    place: Place, store: Store, tmp_path: Path
) -> None:
    queue = tmp_path / "quick"
    keys = KEYS | {"max_concurrent": 1}
    with batch_system(queue, 0.0):
        manager = Manager(
            experiment(place, SLEEP, **keys), store, schedulers={"Main": Killing(queue)}
        )
        thread = threading.Thread(target=manager.run)
        thread.start()
        assert eventually((place.directory / "1.pid").exists, 30)
        manager.stop(hand_back=True)
        thread.join(30)
    assert (store.job(1).status, store.job(1).attempts) == (JobStatus.NEW, 0)
    assert store.job(1).failures == ()


def test_a_job_that_left_the_queue_without_a_word_costs_no_attempt(
    place: Place, store: Store, tmp_path: Path
) -> None:
    queue = tmp_path / "slow"
    keys = KEYS | {"max_concurrent": 1, "max_finished_jobs": 1, "polling_time": 0.2}
    with batch_system(queue, 2.0):
        cancelled: list[Path] = []

        def cancel_first(event: object) -> None:
            for waiting in queue.glob("*.queued"):
                if not cancelled:
                    cancelled.append(waiting.rename(waiting.with_suffix(".gone")))

        config, schedulers = experiment(place, QUICK, **keys), {"Main": BatchQueue(queue)}
        Manager(
            config, store, schedulers=schedulers, listener=cancel_first, recommender=no_estimate
        ).run()
    job = store.job(1)
    assert (job.status, job.attempts, len(cancelled)) == (JobStatus.COMPLETE, 1, 1)
    assert [failure.kind for failure in job.failures] == [FailureKind.START]


class Unaware(BatchQueue):
    """It takes its first worker for alive, for ever: nobody has told it that the node is gone."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.first = ""

    def submit(self, order: Order) -> str:
        proc_id = super().submit(order)
        self.first = self.first or proc_id
        return proc_id

    def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
        late = {self.first: WorkerState.RUNNING}
        return {i: late.get(i, state) for i, state in super().states(ids).items()}


FIRST_HANGS = """
import os, time
def main(job_id, params):
    if not os.path.exists("1.pid"):
        open("1.pid", "w").write(str(os.getpid()))
        time.sleep(100)
    return float(job_id)
"""

HANDS_BACK_ONCE = FIRST_HANGS.replace("time.sleep", "os.kill(os.getppid(), 15); time.sleep")


def test_a_vanished_node_that_the_batch_system_takes_for_busy_holds_up_nothing(
    place: Place, store: Store, tmp_path: Path
) -> None:
    queue = tmp_path / "unaware"
    config = experiment(place, FIRST_HANGS, **(KEYS | {"max_concurrent": 1}))
    manager = Manager(config, store, schedulers={"Main": Unaware(queue)}, recommender=no_estimate)
    with batch_system(queue, 0.0):
        thread = threading.Thread(target=manager.run)
        thread.start()
        assert eventually((place.directory / "1.pid").exists, 30)
        process = store.job(1).process
        assert process is not None
        os.kill(process.pid or 0, signal.SIGKILL)
        thread.join(30)
        is_over = not thread.is_alive()
        manager.stop(hand_back=True)
        thread.join(30)
    assert is_over
    assert [(job.status, job.attempts) for job in store.jobs()] == [
        (JobStatus.COMPLETE, attempts) for attempts in (2, 1, 1, 1)
    ]


@pytest.mark.parametrize("code", [SQUARE, HANDS_BACK_ONCE], ids=["complete", "handed-back"])
def test_a_job_that_ended_and_stays_in_the_queue_is_not_awaited_for_ever(
    place: Place, store: Store, tmp_path: Path, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_jobs, "LINGER_SECONDS", 1.0)
    queue = tmp_path / "unaware"
    config = experiment(place, code, **(KEYS | {"max_concurrent": 1, "polling_time": 0.2}))
    manager = Manager(config, store, schedulers={"Main": Unaware(queue)}, recommender=no_estimate)
    with batch_system(queue, 0.0):
        thread = threading.Thread(target=manager.run)
        thread.start()
        thread.join(40)
        is_over = not thread.is_alive()
        manager.stop(hand_back=True)
        thread.join(30)
    assert is_over
    assert [(job.status, job.attempts) for job in store.jobs()] == [(JobStatus.COMPLETE, 1)] * 4


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
