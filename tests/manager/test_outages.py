"""The database server is killed in the middle of a run: the run waits, and goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest

from spearmint_int.jobs import JobStatus
from spearmint_int.launcher.delivery import keep_outcome
from spearmint_int.launcher.order import Order
from spearmint_int.manager import (
    PATIENCE_SECONDS,
    EndReason,
    JobStarted,
    Manager,
    StoreAway,
    StoreBack,
    Summary,
)
from spearmint_int.schedulers import WorkerState
from spearmint_int.stores import Store, open_store_at
from tests.chaos.storm import disk, fill
from tests.launcher.launches import eventually
from tests.manager.experiments import SLEEP, Heard, experiment, no_estimate, run
from tests.mongo_server import MongoServerProcess
from tests.places import Place

pytestmark = pytest.mark.timeout(180)

QUICK = """
import time
def main(job_id, params):
    with open("calls.txt", "a") as calls:
        calls.write(f"{job_id}\\n")
    time.sleep(0.5)
    return float(job_id)
"""


SLOW = """
import time
def main(job_id, params):
    time.sleep(1.0)
    return float(job_id)
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MongoServerProcess]:
    with MongoServerProcess(tmp_path / "mongodb") as server:
        yield server


def outage_place(directory: Path, server: MongoServerProcess) -> Place:
    """An address with little patience, to keep the tests short."""
    return Place(directory, "outage", f"{server.uri}/?serverSelectionTimeoutMS=500")


class BackgroundRun:
    """A run in a thread, so that a test can do something to it."""

    def __init__(self, place: Place, code: str, **keys: object) -> None:
        self.heard = Heard()
        self._summary: Summary | None = None
        self.store: Store = open_store_at(place, patience=PATIENCE_SECONDS)
        config = experiment(place, code, **keys)
        self.manager = Manager(config, self.store, recommender=no_estimate, listener=self.heard)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        self._summary = self.manager.run()

    def summary(self, seconds: float) -> Summary:
        self._thread.join(seconds)
        assert self._summary is not None, self.heard.events[-3:]
        return self._summary


def test_a_run_rides_out_a_killed_server(server: MongoServerProcess, tmp_path: Path) -> None:
    place = outage_place(tmp_path, server)
    background = BackgroundRun(place, QUICK, max_finished_jobs=4, max_concurrent=2)
    calls = tmp_path / "calls.txt"
    assert eventually(lambda: calls.exists() and len(calls.read_text().split()) >= 2, 60)
    server.kill()
    assert eventually(lambda: bool(background.heard.of(StoreAway)), 60)
    server.start()
    assert background.summary(120).reason is EndReason.BUDGET
    assert background.heard.of(StoreBack)
    assert background.store.tally().counts[JobStatus.COMPLETE] == 4
    assert sorted(map(int, calls.read_text().split())) == [1, 2, 3, 4], "nothing ran twice"
    background.store.close()


def test_a_run_waits_for_room_on_a_full_disk(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    with disk(folder) as mounted:
        if not mounted:
            pytest.skip("no small disk can be mounted here")
        background = BackgroundRun(Place(folder, "full", None), SLOW, lease_time=3)
        assert eventually(lambda: bool(background.heard.of(JobStarted)), 60)
        fill(folder)
        assert eventually(lambda: bool(background.heard.of(StoreAway)), 60)
        (folder / "filler").unlink()
        summary = background.summary(60)
        assert summary.reason is EndReason.BUDGET
        assert background.heard.of(StoreBack)
        jobs = background.store.jobs()
        assert [(job.values, job.attempts) for job in jobs] == [({"main": i}, 1) for i in (1, 2, 3)]
        background.store.close()


def test_a_run_can_be_left_while_the_server_is_away(
    server: MongoServerProcess, tmp_path: Path
) -> None:
    background = BackgroundRun(outage_place(tmp_path, server), SLEEP)
    assert eventually((tmp_path / "1.pid").exists, 60)
    server.kill()
    assert eventually(lambda: bool(background.heard.of(StoreAway)), 60)
    background.manager.stop(hand_back=True)
    begin = time.monotonic()
    assert background.summary(60).reason is EndReason.STOPPED
    assert time.monotonic() - begin < 30
    background.store.close()


class Leaving:
    """A scheduler whose workers go while the store is away: their outcomes are in files."""

    has_queue = False
    trouble = None

    def submit(self, order: Order) -> str:
        keep_outcome(order, {"main": 4.0})
        return order.token

    def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
        return dict.fromkeys(ids, WorkerState.GONE)

    def cancel(self, proc_id: str) -> None:
        pass

    def wakeups(self) -> Sequence[int]:
        return []

    def close(self) -> None:
        pass


def test_a_worker_that_went_in_an_outage_is_not_taken_for_a_killed_one(
    place: Place, store: Store
) -> None:
    config = experiment(place, max_finished_jobs=1, max_attempts=1)
    summary, _ = run(config, store, schedulers={"Main": Leaving()})
    assert summary.reason is EndReason.BUDGET
    job = store.job(1)
    assert (job.status, job.values, job.failures) == (JobStatus.COMPLETE, {"main": 4.0}, ())
