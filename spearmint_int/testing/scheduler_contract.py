"""The promises of `schedulers/protocol.py`, as tests with real workers."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from spearmint_int.jobs import JobStatus
from spearmint_int.schedulers import Scheduler, WorkerState
from spearmint_int.stores import Store, StoreAddress
from spearmint_int.testing.orders import claimed_order

QUEUE_SECONDS = 60.0  # that a worker of a test may take to start or end

SQUARE = "def main(job_id, params): return params['x'][0] ** 2"
SLEEP = """
import os, time
def main(job_id, params):
    open(f"{job_id}.pid", "w").write(str(os.getpid()))
    time.sleep(100)
"""


class SchedulerContract:
    """Inherit it in a class named Test…, beside these fixtures.

    `scheduler`; `another_scheduler`, a function that makes one as a manager would that comes later;
    `place` and `store`, where the jobs are, in a folder that the workers can reach.
    """

    def test_a_worker_runs_its_job_and_is_gone(
        self, scheduler: Scheduler, place: StoreAddress, store: Store
    ) -> None:
        proc_id = scheduler.submit(claimed_order(place, store, SQUARE)[1])
        wait_until_gone(scheduler, proc_id)
        assert store.job(1).values == {"main": 4.0}

    def test_every_worker_has_an_id_of_its_own(
        self, scheduler: Scheduler, place: StoreAddress, store: Store
    ) -> None:
        orders = [claimed_order(place, store, SQUARE)[1] for _ in range(3)]
        ids = [scheduler.submit(order) for order in orders]
        assert len(set(ids)) == 3
        assert set(scheduler.states(ids)) == set(ids)
        for proc_id in ids:
            wait_until_gone(scheduler, proc_id)

    def test_a_scheduler_that_comes_later_knows_the_worker_by_its_id(
        self,
        scheduler: Scheduler,
        another_scheduler: Callable[[], Scheduler],
        place: StoreAddress,
        store: Store,
    ) -> None:
        proc_id = scheduler.submit(claimed_order(place, store, SLEEP)[1])
        wait_for_objective(place.directory)
        other = another_scheduler()
        assert wait_until(lambda: state(other, proc_id) is WorkerState.RUNNING)
        scheduler.cancel(proc_id)
        wait_until_gone(scheduler, proc_id)
        assert wait_until(lambda: state(other, proc_id) is WorkerState.GONE)
        other.close()

    def test_a_cancelled_worker_hands_its_job_back(
        self, scheduler: Scheduler, place: StoreAddress, store: Store
    ) -> None:
        proc_id = scheduler.submit(claimed_order(place, store, SLEEP)[1])
        wait_for_objective(place.directory)
        scheduler.cancel(proc_id)
        wait_until_gone(scheduler, proc_id)
        assert (store.job(1).status, store.job(1).attempts) == (JobStatus.NEW, 0)

    def test_an_id_that_was_never_given_is_not_taken_for_a_worker(
        self, scheduler: Scheduler
    ) -> None:
        scheduler.cancel("no such worker")
        there_is_none = (WorkerState.GONE, WorkerState.UNKNOWN)
        assert wait_until(lambda: state(scheduler, "no such worker") in there_is_none)

    def test_nobody_asked_about_is_no_question(self, scheduler: Scheduler) -> None:
        assert scheduler.states([]) == {}

    def test_it_has_no_trouble_while_it_can_be_asked(self, scheduler: Scheduler) -> None:
        assert scheduler.trouble is None
        assert scheduler.has_queue in (True, False)

    def test_a_worker_outlives_its_scheduler(
        self, another_scheduler: Callable[[], Scheduler], place: StoreAddress, store: Store
    ) -> None:
        code = "import time\ndef main(job_id, params): time.sleep(1); return 1"
        short_lived = another_scheduler()
        short_lived.submit(claimed_order(place, store, code)[1])
        short_lived.close()
        assert wait_until(lambda: store.job(1).status is JobStatus.COMPLETE)


def state(scheduler: Scheduler, proc_id: str) -> WorkerState:
    """Of one worker."""
    return scheduler.states([proc_id])[proc_id]


def wait_until(condition: Callable[[], bool], seconds: float = QUEUE_SECONDS) -> bool:
    """Whether the condition becomes true in the time that a queue may take."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def wait_until_gone(scheduler: Scheduler, proc_id: str) -> None:
    assert wait_until(lambda: state(scheduler, proc_id) is WorkerState.GONE)


def wait_for_objective(directory: Path) -> None:
    """Until the objective SLEEP of job 1 runs."""
    pid_file = directory / "1.pid"
    assert wait_until(lambda: pid_file.exists() and pid_file.read_text() != "")
