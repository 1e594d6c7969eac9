"""The local scheduler with real workers: it sees every end at once, and outlives its server."""

from __future__ import annotations

import errno
import gc
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spearmint_int.errors import SchedulerError
from spearmint_int.jobs import JobStatus
from spearmint_int.schedulers import LocalScheduler, WorkerState
from spearmint_int.stores import Store
from spearmint_int.testing import SchedulerContract
from spearmint_int.testing.orders import claimed_order
from tests.launcher.launches import eventually, is_running
from tests.manager.experiments import on_both_stores
from tests.places import Place

pytestmark = pytest.mark.timeout(60)

SQUARE = "def main(job_id, params): return params['x'][0] ** 2"
SLEEP = """
import os, time
def main(job_id, params):
    open(f"{job_id}.pid", "w").write(str(os.getpid()))
    time.sleep(100)
"""


@pytest.fixture
def scheduler(place: Place) -> Iterator[LocalScheduler]:
    scheduler = LocalScheduler(place.directory)
    yield scheduler
    scheduler.close()


@pytest.fixture
def another_scheduler(place: Place) -> Callable[[], LocalScheduler]:
    return lambda: LocalScheduler(place.directory)


class TestLocal(SchedulerContract):
    """It keeps what every scheduler promises."""


def ended(scheduler: LocalScheduler, *, seconds: float = 20.0) -> list[int]:
    """The next jobs that end; sleeps on the scheduler's files alone."""
    ids = list(scheduler._workers)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        select.select(scheduler.wakeups(), [], [], until - time.monotonic())
        states = scheduler.states(ids)
        if gone := [i for i in ids if states[i] is WorkerState.GONE]:
            return [int(proc_id.split(":")[1]) for proc_id in gone]
    return []


def objective_pid(directory: Path, job_id: int) -> int:
    path = directory / f"{job_id}.pid"
    assert eventually(lambda: path.exists() and path.read_text() != "", 20.0)
    return int(path.read_text())


def worker_pid(store: Store, job_id: int) -> int:
    assert eventually(lambda: store.job(job_id).process is not None, 20.0)
    process = store.job(job_id).process
    assert process is not None
    assert process.pid is not None
    return process.pid


@on_both_stores
def test_a_job_runs_to_its_result(place: Place, store: Store, scheduler: LocalScheduler) -> None:
    _, order = claimed_order(place, store, SQUARE)
    scheduler.submit(order)
    assert ended(scheduler) == [1]
    assert store.job(1).values == {"main": 4.0}


def test_jobs_run_side_by_side(place: Place, store: Store, scheduler: LocalScheduler) -> None:
    code = "import time\ndef main(job_id, params): time.sleep(1); return 1"
    for _ in range(3):
        scheduler.submit(claimed_order(place, store, code)[1])
    begin, gone = time.monotonic(), set[int]()
    while gone != {1, 2, 3}:
        gone.update(ended(scheduler))
    assert time.monotonic() - begin < 2.9
    assert store.tally().counts[JobStatus.COMPLETE] == 3


def test_a_killed_worker_is_noticed_at_once_and_its_objective_dies_too(
    place: Place, store: Store, scheduler: LocalScheduler
) -> None:
    scheduler.submit(claimed_order(place, store, SLEEP)[1])
    objective, worker = objective_pid(place.directory, 1), worker_pid(store, 1)
    os.kill(worker, signal.SIGKILL)
    begin = time.monotonic()
    assert ended(scheduler) == [1]
    assert time.monotonic() - begin < 1.0
    assert eventually(lambda: not is_running(objective))
    assert store.job(1).status is JobStatus.PENDING  # the manager says what follows


def test_nothing_that_a_killed_workers_objective_started_runs_on(
    place: Place, store: Store, scheduler: LocalScheduler
) -> None:
    code = """
import subprocess
def main(job_id, params):
    child = subprocess.Popen(["sleep", "100"])
    open(f"{job_id}.pid", "w").write(str(child.pid))
    child.wait()
"""
    scheduler.submit(claimed_order(place, store, code)[1])
    grandchild, worker = objective_pid(place.directory, 1), worker_pid(store, 1)
    os.kill(worker, signal.SIGKILL)
    assert ended(scheduler) == [1]
    assert eventually(lambda: not is_running(grandchild))


def test_a_killed_objective_is_a_failure_that_its_worker_writes(
    place: Place, store: Store, scheduler: LocalScheduler
) -> None:
    scheduler.submit(claimed_order(place, store, SLEEP)[1])
    os.kill(objective_pid(place.directory, 1), signal.SIGKILL)
    assert ended(scheduler) == [1]
    job = store.job(1)
    assert job.status is JobStatus.NEW
    assert job.failures[0].exit_status == -signal.SIGKILL


def test_a_cancelled_job_is_handed_back(
    place: Place, store: Store, scheduler: LocalScheduler
) -> None:
    proc_id = scheduler.submit(claimed_order(place, store, SLEEP)[1])
    objective = objective_pid(place.directory, 1)
    scheduler.cancel(proc_id)
    assert ended(scheduler) == [1]
    assert not is_running(objective)
    assert (store.job(1).status, store.job(1).attempts) == (JobStatus.NEW, 0)


def test_a_job_that_is_cancelled_right_after_its_start_is_handed_back(
    place: Place, store: Store, scheduler: LocalScheduler
) -> None:
    proc_id = scheduler.submit(claimed_order(place, store, SLEEP)[1])
    scheduler.cancel(proc_id)
    assert ended(scheduler) == [1]
    assert (store.job(1).status, store.job(1).attempts) == (JobStatus.NEW, 0)


def test_cancelling_a_job_that_is_not_there_does_nothing(scheduler: LocalScheduler) -> None:
    scheduler.cancel("99")


def test_workers_outlive_the_scheduler(place: Place, store: Store) -> None:
    code = "import time\ndef main(job_id, params): time.sleep(1); return 1"
    scheduler = LocalScheduler(place.directory)
    scheduler.submit(claimed_order(place, store, code)[1])
    scheduler.close()
    assert eventually(lambda: store.job(1).status is JobStatus.COMPLETE, 20.0)


def test_a_killed_server_is_replaced_and_its_workers_live_on(
    place: Place, store: Store, scheduler: LocalScheduler
) -> None:
    proc_id = scheduler.submit(claimed_order(place, store, SLEEP)[1])
    objective = objective_pid(place.directory, 1)
    kill_server(scheduler)
    scheduler.submit(claimed_order(place, store, SQUARE)[1])
    assert ended(scheduler) == [2]
    assert is_running(objective)
    scheduler.cancel(proc_id)
    assert ended(scheduler) == [1]


def test_a_server_that_could_not_be_replaced_is_replaced_later(
    place: Place, store: Store, scheduler: LocalScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_server(scheduler)
    _, order = claimed_order(place, store, SQUARE)
    files = open_files()
    with monkeypatch.context() as refusing:
        refusing.setattr(subprocess, "Popen", refuse)
        for _ in range(2):
            with pytest.raises(SchedulerError, match="Resource temporarily unavailable"):
                scheduler.submit(order)
    assert open_files() < files  # no pipe is left, and no socket to the old server
    assert scheduler.wakeups() == []
    scheduler.submit(order)
    assert ended(scheduler) == [1]
    assert store.job(1).values == {"main": 4.0}


def test_an_output_folder_that_is_away_leaves_no_file_open(
    place: Place, store: Store, scheduler: LocalScheduler
) -> None:
    kill_server(scheduler)
    output = place.directory / "output"
    away = output.rename(place.directory / "away")
    output.write_text("not a folder")
    _, order = claimed_order(place, store, SQUARE)
    files = open_files()
    with pytest.raises(SchedulerError, match=r"output can't be written"):
        scheduler.submit(order)
    assert open_files() < files
    output.unlink()
    away.rename(output)
    scheduler.submit(order)
    assert ended(scheduler) == [1]


def test_a_server_that_is_refused_at_once_is_a_sentence_and_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = open_files()
    with monkeypatch.context() as refusing:
        refusing.setattr(subprocess, "Popen", refuse)
        with pytest.raises(SchedulerError, match="no worker could be started"):
            LocalScheduler(tmp_path)
    assert open_files() == files


def kill_server(scheduler: LocalScheduler) -> None:
    assert scheduler._server is not None
    scheduler._server.process.kill()
    scheduler._server.process.wait()


def refuse(*_: object, **options: object) -> None:
    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")


def open_files() -> set[str]:
    """What this process has open, but for what the collector closes on the way."""
    gc.collect()
    return set(os.listdir("/proc/self/fd"))


def test_a_module_beside_the_config_does_not_shadow_pythons(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.directory / "random.py").write_text("raise RuntimeError('not meant')")
    monkeypatch.chdir(place.directory)
    scheduler = LocalScheduler(place.directory)
    scheduler.submit(claimed_order(place, store, SQUARE)[1])
    assert ended(scheduler) == [1]
    assert store.job(1).values == {"main": 4.0}
    scheduler.close()


def test_a_file_in_the_place_of_the_output_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "output").write_text("not a folder")
    with pytest.raises(SchedulerError, match=r"output can't be written"):
        LocalScheduler(tmp_path)


def test_a_log_without_news_is_not_left_behind(tmp_path: Path) -> None:
    LocalScheduler(tmp_path).close()
    assert list((tmp_path / "output").iterdir()) == []


def test_children_without_parent_session_and_environment_end_with_the_worker(
    place: Place, store: Store, scheduler: LocalScheduler
) -> None:
    code = """
import subprocess
def main(job_id, params):
    words = ["env", "-i", "setsid", "--fork", "sh", "-c", "echo $$ > 1.pid; exec sleep 300"]
    subprocess.run(words, check=True)
    while not open("1.pid").read().strip():
        pass
    return 1
"""
    (place.directory / "1.pid").touch()
    scheduler.submit(claimed_order(place, store, code)[1])
    assert ended(scheduler) == [1]
    assert store.job(1).values == {"main": 1.0}
    assert not is_running(objective_pid(place.directory, 1))
