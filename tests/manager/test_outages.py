"""The database server is killed in the middle of a run: the run waits, and goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from spearmint_int.jobs import JobStatus
from spearmint_int.manager import (
    PATIENCE_SECONDS,
    EndReason,
    Manager,
    StoreAway,
    StoreBack,
    Summary,
)
from spearmint_int.stores import Store, open_store_at
from tests.launcher.launches import eventually
from tests.manager.experiments import SLEEP, Heard, experiment, no_estimate
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
    run = BackgroundRun(place, QUICK, max_finished_jobs=4, max_concurrent=2)
    calls = tmp_path / "calls.txt"
    assert eventually(lambda: calls.exists() and len(calls.read_text().split()) >= 2, 60)
    server.kill()
    assert eventually(lambda: bool(run.heard.of(StoreAway)), 60)
    server.start()
    assert run.summary(120).reason is EndReason.BUDGET
    assert run.heard.of(StoreBack)
    assert run.store.tally().counts[JobStatus.COMPLETE] == 4
    assert sorted(map(int, calls.read_text().split())) == [1, 2, 3, 4], "nothing ran twice"
    run.store.close()


def test_a_run_can_be_left_while_the_server_is_away(
    server: MongoServerProcess, tmp_path: Path
) -> None:
    run = BackgroundRun(outage_place(tmp_path, server), SLEEP)
    assert eventually((tmp_path / "1.pid").exists, 60)
    server.kill()
    assert eventually(lambda: bool(run.heard.of(StoreAway)), 60)
    run.manager.stop(hand_back=True)
    begin = time.monotonic()
    assert run.summary(60).reason is EndReason.STOPPED
    assert time.monotonic() - begin < 30
    run.store.close()
