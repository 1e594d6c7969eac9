"""The worker's entry point, as a cluster's job would call it."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from spearmint_int import worker
from spearmint_int.jobs import JobStatus
from spearmint_int.launcher import forkserver
from spearmint_int.stores import Store
from spearmint_int.testing.orders import claimed_order
from tests.launcher.launches import eventually
from tests.places import Place

pytestmark = pytest.mark.timeout(60)

SQUARE = "def main(job_id, params): return params['x'][0] ** 2"
SLEEP = "import time\ndef main(job_id, params): time.sleep(100)"


def start(place: Place, store: Store, code: str) -> subprocess.Popen[bytes]:
    path = place.directory / "order.json"
    claimed_order(place, store, code)[1].save(path)
    return subprocess.Popen([sys.executable, str(Path(worker.__file__)), "run", str(path), "17"])


def test_a_worker_runs_the_order_in_a_file_and_leaves_none(place: Place, store: Store) -> None:
    assert start(place, store, SQUARE).wait() == 0
    assert store.job(1).values == {"main": 4.0}
    assert not (place.directory / "order.json").exists()


def test_a_worker_tells_its_id_in_the_batch_system(place: Place, store: Store) -> None:
    start(place, store, SQUARE).wait()
    info = store.job(1).process
    assert info is not None
    assert info.proc_id == "17"


def test_a_worker_without_an_order_says_so_in_a_sentence(tmp_path: Path) -> None:
    words = [sys.executable, str(Path(worker.__file__)), "run", str(tmp_path / "nothing"), "17"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("no order for this worker: ")
    assert len(ended.stderr.splitlines()) == 1


def test_an_order_in_a_file_is_for_its_owner_alone(place: Place, store: Store) -> None:
    path = place.directory / "order.json"
    claimed_order(place, store, SQUARE)[1].save(path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2])
def test_a_worker_that_is_told_to_end_hands_its_job_back(
    place: Place, store: Store, number: signal.Signals
) -> None:
    process = start(place, store, SLEEP)
    assert eventually(lambda: store.job(1).process is not None)
    info = store.job(1).process
    assert info is not None
    assert (info.pid, bool(info.born)) == (process.pid, True)
    os.kill(process.pid, number)
    assert process.wait() == 0
    assert (store.job(1).status, store.job(1).attempts) == (JobStatus.NEW, 0)


def test_wrong_arguments_are_explained() -> None:
    words = [sys.executable, "-m", "spearmint_int.worker", "dance"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "worker.py run FILE" in ended.stderr


def test_what_cannot_be_prepared_is_left_to_the_worker(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, order = claimed_order(place, store, SQUARE)

    def no_room() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", no_room)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    forkserver._prepare.__wrapped__(order.store)
