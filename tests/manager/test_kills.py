"""Managers, workers and objectives that are killed: nothing is lost, and nothing runs twice."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from spearmint_int.errors import StoreError
from spearmint_int.jobs import FailureKind, JobDraft, JobStatus
from spearmint_int.manager import EndReason, Event, JobEnded, JobLost, Manager
from spearmint_int.manager.running_jobs import HAND_BACKS_PER_ATTEMPT
from spearmint_int.stores import Store, open_store_at
from tests.launcher.launches import eventually, is_running
from tests.manager import process
from tests.manager.experiments import (
    SLEEP,
    experiment,
    no_estimate,
    on_both_stores,
    run,
    write_objective,
)
from tests.places import Place

pytestmark = pytest.mark.timeout(120)

ROOT = Path(__file__).parents[2]
SLOW = """
import time
def main(job_id, params):
    with open("calls.txt", "a") as calls:
        calls.write(f"{job_id}\\n")
    time.sleep(1.5)
    return float(job_id)
"""


@contextmanager
def manager_process(place: Place, code: str, **keys: Any) -> Iterator[subprocess.Popen[str]]:
    """A manager in its own process; killed at the end if it is still there."""
    write_objective(place.directory, code)
    words = [str(place.directory), place.experiment_name, place.address or "", json.dumps(keys)]
    started = subprocess.Popen(
        [sys.executable, process.__file__, *words],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def calls(place: Place) -> list[int]:
    path = place.directory / "calls.txt"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def pending(store: Store) -> int:
    return store.tally().counts[JobStatus.PENDING]


def pid_of_worker(store: Store) -> int:
    """The worker of the only job that runs."""

    def pids() -> list[int]:
        processes = [job.process for job in store.jobs(JobStatus.PENDING)]
        return [process.pid for process in processes if process and process.pid]

    assert eventually(lambda: len(pids()) == 1, 30)
    return pids()[0]


@on_both_stores
def test_jobs_of_a_killed_manager_end_and_are_not_run_again(place: Place, store: Store) -> None:
    keys = {"max_concurrent": 2, "max_finished_jobs": 4}
    with manager_process(place, SLOW, **keys) as manager:
        assert eventually(lambda: len(calls(place)) == 2, 30)
        manager.kill()
    summary, heard = run(experiment(place, SLOW, **keys), store)
    assert summary.reason is EndReason.BUDGET
    assert sorted(calls(place)) == [1, 2, 3, 4]
    assert sorted(e.job.id for e in heard.of(JobEnded)) == [1, 2, 3, 4], "each was told of, once"
    assert [job.values for job in store.jobs()] == [{"main": float(i)} for i in range(1, 5)]
    assert [job.attempts for job in store.jobs()] == [1, 1, 1, 1]


def test_a_worker_whose_output_was_moved_away_is_not_taken_for_a_killed_one(
    place: Place, store: Store
) -> None:
    """The lock of the output file is how others see a worker; without the file, by its process."""
    code = SLOW.replace("1.5", "8")
    with manager_process(place, code, max_finished_jobs=1) as manager:
        pid_of_worker(store)
        manager.kill()
    (place.directory / "output").rename(place.directory / "output.old")
    run(experiment(place, code, max_finished_jobs=1), store)
    assert calls(place) == [1]
    assert [(job.attempts, job.failures) for job in store.jobs()] == [(1, ())]


def test_jobs_that_a_killed_manager_left_running_take_their_slots(
    place: Place, store: Store
) -> None:
    with manager_process(place, SLOW, max_finished_jobs=2) as manager:
        assert eventually(lambda: len(calls(place)) == 1, 30)
        manager.kill()
    run(experiment(place, SLOW, max_finished_jobs=2), store)
    first, second = store.jobs()
    assert first.ended is not None
    assert second.started is not None
    assert second.started >= first.ended


def test_a_job_whose_manager_and_worker_were_killed_is_taken_back_at_once(
    place: Place, store: Store
) -> None:
    code = """
        import os, time
        def main(job_id, params):
            if not os.path.exists("seen"):
                open("seen", "w").write(str(os.getpid()))
                time.sleep(100)
            return 1.0
    """
    with manager_process(place, code, max_finished_jobs=1) as manager:
        worker = pid_of_worker(store)
        assert eventually((place.directory / "seen").exists, 30)
        manager.kill()
        os.kill(worker, signal.SIGKILL)
    begin = time.monotonic()
    summary, heard = run(experiment(place, code, max_finished_jobs=1), store)
    assert summary.reason is EndReason.BUDGET
    assert time.monotonic() - begin < 15, "long before the lease is over"
    assert [event.job.id for event in heard.of(JobLost)] == [1]
    job = store.job(1)
    assert (job.attempts, job.failures[0].kind) == (2, FailureKind.LOST_WORKER)


def test_a_killed_worker_is_noticed_at_once_with_all_slots_taken(
    place: Place, store: Store
) -> None:
    with manager_process(place, SLEEP, max_finished_jobs=1, max_attempts=2) as manager:
        os.kill(pid_of_worker(store), signal.SIGKILL)
        assert eventually(lambda: store.job(1).attempts == 2, 10)
        assert store.job(1).failures[0].kind is FailureKind.LOST_WORKER
        manager.send_signal(signal.SIGTERM)
        manager.wait()


def test_a_killed_objective_is_tried_again(place: Place, store: Store) -> None:
    with manager_process(place, SLEEP, max_finished_jobs=1, max_attempts=2) as manager:
        pid_file = place.directory / "1.pid"
        assert eventually(lambda: pid_file.exists() and pid_file.read_text() != "", 30)
        os.kill(int(pid_file.read_text()), signal.SIGKILL)
        assert eventually(lambda: store.job(1).attempts == 2, 10)
        assert store.job(1).failures[0].exit_status == -signal.SIGKILL
        manager.send_signal(signal.SIGTERM)
        manager.wait()


def test_an_expired_lease_of_another_machine_is_taken_back(place: Place, store: Store) -> None:
    store.add(JobDraft({"x": 0.5, "k": 1}, (0.75, 0.3)))
    assert store.claim("elsewhere:1:1:x", lease_seconds=1.0) is not None
    summary, heard = run(experiment(place, max_finished_jobs=2), store)
    assert summary.reason is EndReason.BUDGET
    assert [event.job.id for event in heard.of(JobLost)] == [1]
    assert store.job(1).attempts == 2


# --- Ctrl-C ---


def test_one_interrupt_waits_for_the_running_jobs(place: Place, store: Store) -> None:
    with manager_process(place, SLOW, max_finished_jobs=50) as manager:
        assert eventually(lambda: len(calls(place)) == 1, 30)
        manager.send_signal(signal.SIGINT)
        output, _ = manager.communicate(timeout=30)
    assert manager.returncode == 0
    assert output.split()[-1] == "stopped"
    assert store.tally().counts | {JobStatus.COMPLETE: 0} == dict.fromkeys(JobStatus, 0)
    assert store.job(1).values == {"main": 1.0}


def test_a_second_interrupt_hands_the_running_jobs_back_at_once(place: Place, store: Store) -> None:
    with manager_process(place, SLEEP, max_finished_jobs=50, max_concurrent=2) as manager:
        pids = [place.directory / f"{i}.pid" for i in (1, 2)]
        assert eventually(lambda: all(p.exists() and p.read_text() for p in pids), 30)
        manager.send_signal(signal.SIGINT)
        time.sleep(0.3)
        manager.send_signal(signal.SIGINT)
        begin = time.monotonic()
        manager.communicate(timeout=30)
    assert time.monotonic() - begin < 5
    assert not any(is_running(int(p.read_text())) for p in pids)
    assert [(job.status, job.attempts) for job in store.jobs()] == [(JobStatus.NEW, 0)] * 2


def test_jobs_that_were_handed_back_run_first_in_the_next_run(place: Place, store: Store) -> None:
    with manager_process(place, SLEEP, max_finished_jobs=2) as manager:
        assert eventually(lambda: pending(store) == 1, 30)
        manager.send_signal(signal.SIGTERM)
        manager.communicate(timeout=30)
    params = store.job(1).params
    run(experiment(place, max_finished_jobs=2), store)
    assert store.job(1).params == params
    assert store.tally().counts[JobStatus.COMPLETE] == 2


# --- two managers ---


@on_both_stores
def test_two_managers_share_an_experiment_without_double_work(place: Place, store: Store) -> None:
    code = SLOW.replace("1.5", "0.1")
    keys = {"max_concurrent": 2, "max_finished_jobs": 11}
    with manager_process(place, code, **keys) as one, manager_process(place, code, **keys) as two:
        reasons = [m.communicate(timeout=60)[0].split()[-1] for m in (one, two)]
    assert reasons == ["budget", "budget"]
    assert sorted(calls(place)) == list(range(1, 12))
    jobs = store.jobs()
    assert [job.status for job in jobs] == [JobStatus.COMPLETE] * 11
    assert len({job.point for job in jobs}) == 11


LOG_REMOVER = """
import os, time
def main(job_id, params):
    if job_id == 2:
        os.unlink("spearmint.sqlite-wal")
    time.sleep(1.5)
    return float(job_id)
"""


def test_the_results_of_jobs_outlive_a_log_that_one_of_them_deletes(tmp_path: Path) -> None:
    place = Place(tmp_path, "log-remover", None)
    keys = {"max_concurrent": 3, "max_finished_jobs": 3, "heartbeat_time": 1}
    with manager_process(place, LOG_REMOVER, **keys) as manager:
        assert manager.wait(60) == 1  # with a sentence on the command line

    def values() -> dict[int, Any]:
        with contextlib.suppress(StoreError), closing(open_store_at(place)) as store:
            return {job.id: job.values for job in store.jobs(JobStatus.COMPLETE)}
        return {}

    assert eventually(lambda: values() == {n: {"main": float(n)} for n in (1, 2, 3)}, 30)


ENDS_ITS_WORKER = """
import os, signal, time
def main(job_id, params):
    with open("calls.txt", "a") as calls:
        calls.write(f"{job_id}\\n")
    if len(open("calls.txt").readlines()) <= TIMES:
        os.kill(os.getppid(), signal.SIGTERM)
        time.sleep(100)
    return float(job_id)
"""


@on_both_stores
def test_an_objective_that_ends_its_own_worker_does_not_run_for_ever(
    place: Place, store: Store
) -> None:
    code = ENDS_ITS_WORKER.replace("TIMES", "1000")
    config = experiment(place, code, max_finished_jobs=1, max_attempts=1)
    summary, _ = run(config, store)
    assert summary.reason is EndReason.ALL_BROKEN
    assert calls(place) == [1] * HAND_BACKS_PER_ATTEMPT
    (failure,) = store.job(1).failures
    assert "was told to end (SIGTERM) 10 times in this run" in failure.message


def test_a_worker_that_is_told_to_end_costs_no_attempt(place: Place, store: Store) -> None:
    code = ENDS_ITS_WORKER.replace("TIMES", "4")  # as a cluster might, that wants its machine
    config = experiment(place, code, max_finished_jobs=1, max_attempts=1)
    run(config, store)
    job = store.job(1)
    assert calls(place) == [1] * 5
    assert (job.status, job.attempts, job.failures) == (JobStatus.COMPLETE, 1, ())


def test_an_earlier_failure_is_not_told_again_when_the_job_is_handed_back(
    place: Place, store: Store
) -> None:
    fails_first = "    if len(open('calls.txt').readlines()) == 1: raise ValueError('once')\n"
    code = ENDS_ITS_WORKER.replace("    if", f"{fails_first}    if", 1).replace("TIMES", "2")
    _, heard = run(experiment(place, code, max_finished_jobs=1), store)
    failures = [ended.failure for ended in heard.of(JobEnded)]
    assert [failure and failure.kind for failure in failures] == [FailureKind.EXCEPTION, None, None]
    assert calls(place) == [1] * 3


def test_a_job_that_was_given_up_runs_again_after_a_retry_in_the_same_run(
    place: Place, store: Store
) -> None:
    config = experiment(
        place,
        ENDS_ITS_WORKER.replace("TIMES", str(HAND_BACKS_PER_ATTEMPT + 2)),
        max_finished_jobs=1,
        max_attempts=1,
    )
    retried: list[int] = []

    def retry_once(event: Event) -> None:
        if isinstance(event, JobEnded) and event.job.status is JobStatus.BROKEN and not retried:
            retried.append(event.job.id)
            store.retry(event.job.id)

    Manager(config, store, listener=retry_once, recommender=no_estimate).run()
    assert (retried, store.job(1).status) == ([1], JobStatus.COMPLETE)
