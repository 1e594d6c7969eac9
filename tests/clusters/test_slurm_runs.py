"""Whole runs on a real Slurm: kills, cancellations, limits, a controller that is away."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from spearmint_int.config import Config
from spearmint_int.jobs import FailureKind, Job, JobStatus
from spearmint_int.manager import EndReason, Manager, Notice, Summary
from spearmint_int.stores import Store
from tests.clusters.slurm import SlurmCluster
from tests.launcher.launches import eventually
from tests.manager.experiments import Heard, experiment, no_estimate, on_both_stores, run
from tests.manager.test_kills import calls, manager_process
from tests.places import Place

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(280)]

QUICK = """
import time
def main(job_id, params):
    with open("calls.txt", "a") as calls:
        calls.write(f"{job_id}\\n")
    time.sleep(0.2)
    return float(job_id)
"""
SLOW = QUICK.replace("0.2", "6")
SLOWER = QUICK.replace("0.2", "20")  # all of them run before the first one ends
ENDLESS = QUICK.replace("0.2", "1000")
KEYS: dict[str, Any] = {
    "scheduler": "SLURM",
    "max_concurrent": 2,
    "max_finished_jobs": 2,
    "lease_time": 6.0,
    "polling_time": 1.0,
}
HELD_BACK = {"scheduler_args": "--begin=now+1hour"}


class InBackground:
    """A run in a thread, to be told to stop."""

    def __init__(self, config: Config, store: Store) -> None:
        self.heard = Heard()
        self.manager = Manager(config, store, listener=self.heard, recommender=no_estimate)
        self._summary: list[Summary] = []
        self._thread = threading.Thread(target=lambda: self._summary.append(self.manager.run()))
        self._thread.start()

    def summary(self, seconds: float) -> Summary:
        self._thread.join(seconds)
        assert self._summary, "the run has not ended"
        return self._summary[0]


def pending(store: Store) -> list[Job]:
    return store.jobs(JobStatus.PENDING)


def queue_ids(store: Store) -> list[str]:
    """Of the jobs that wait in the queue."""
    return [job.process.proc_id for job in pending(store) if job.is_queued and job.process
            and job.process.proc_id]  # fmt: skip


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    assert eventually(condition, seconds)


@on_both_stores
def test_every_job_runs_once_with_no_more_at_a_time_than_allowed(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    before = slurm.submissions
    keys = KEYS | {"max_concurrent": 4, "max_finished_jobs": 12}
    background = InBackground(experiment(place, QUICK, **keys), store)
    most = 0
    while background._thread.is_alive():
        most = max(most, len(slurm.run("squeue", "-h", "-t", "R,PD").splitlines()))
        time.sleep(0.3)
    assert background.summary(1).reason is EndReason.BUDGET
    assert sorted(calls(place)) == list(range(1, 13))
    assert slurm.submissions - before == 12
    assert most <= 4


@on_both_stores
@pytest.mark.parametrize("moment", ["queued", "running"])
def test_jobs_of_a_killed_manager_are_adopted_and_not_submitted_again(
    place: Place, store: Store, slurm: SlurmCluster, moment: str
) -> None:
    before = slurm.submissions
    args = {"scheduler_args": "--begin=now+20" if moment == "queued" else ""}
    with manager_process(place, SLOW, **KEYS, **args) as manager:
        if moment == "queued":
            wait_for(lambda: len(queue_ids(store)) == 2)
        else:
            wait_for(lambda: len(calls(place)) == 2)
        manager.kill()
    summary, _ = run(experiment(place, SLOW, **KEYS, **args), store)
    assert summary.reason is EndReason.BUDGET
    assert sorted(calls(place)) == [1, 2]
    assert slurm.submissions - before == 2
    assert [job.attempts for job in store.jobs()] == [1, 1]


def test_a_time_in_the_queue_is_no_time_of_the_job(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_finished_jobs": 1, "scheduler_args": "--begin=now+10"}
    run(experiment(place, QUICK, **keys), store)
    assert 0 < (store.job(1).seconds or 0.0) < 5


def test_a_queued_job_that_is_cancelled_in_slurm_comes_back(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_concurrent": 1, "max_finished_jobs": 1}
    background = InBackground(experiment(place, QUICK, **keys, **HELD_BACK), store)
    wait_for(lambda: len(queue_ids(store)) == 1)
    (first,) = queue_ids(store)
    slurm.run("scancel", first)
    wait_for(lambda: bool(queue_ids(store)) and queue_ids(store) != [first])
    job = store.job(1)
    assert (job.attempts, job.failures[-1].kind) == (1, FailureKind.START)
    assert f"job {first} has ended before its worker came up" in job.failures[-1].message
    background.manager.stop(hand_back=True)
    background.summary(30)


def test_a_running_job_that_is_cancelled_in_slurm_comes_back(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_concurrent": 1, "max_finished_jobs": 1}
    background = InBackground(experiment(place, SLOW, **keys), store)
    wait_for(lambda: calls(place) == [1])
    slurm.run("scancel", f"--name=spearmint-int-{place.experiment_name.replace(' ', '_')}-1")
    assert background.summary(120).reason is EndReason.BUDGET
    assert calls(place) == [1, 1]
    assert (store.job(1).values, store.job(1).attempts) == ({"main": 1.0}, 1)


def test_a_worker_that_is_killed_costs_an_attempt(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_concurrent": 1, "max_finished_jobs": 1, "max_attempts": 2}
    background = InBackground(experiment(place, SLOW, **keys), store)
    for number in (1, 2):
        wait_for(lambda number=number: len(calls(place)) == number)  # type: ignore[misc]
        wait_for(lambda: bool(pending(store)) and not pending(store)[0].is_queued)
        process = store.job(1).process
        assert process is not None
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
    background.summary(60)
    job = store.job(1)
    assert (job.status, job.attempts) == (JobStatus.BROKEN, 2)
    assert [failure.kind for failure in job.failures] == [FailureKind.LOST_WORKER] * 2


def test_a_job_that_slurms_time_limit_ends_is_broken_after_max_attempts(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_finished_jobs": 1, "max_attempts": 1, "scheduler_args": "-t 1"}
    run(experiment(place, ENDLESS, **keys), store)
    job = store.job(1)
    assert (job.status, calls(place)) == (JobStatus.BROKEN, [1])
    assert "ended it when its time was over" in job.failures[-1].message


@on_both_stores
def test_a_run_that_hands_back_leaves_nothing_in_slurm(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_concurrent": 12, "max_finished_jobs": 12}  # on a node with 8 processors
    background = InBackground(experiment(place, ENDLESS, **keys), store)
    wait_for(lambda: len(calls(place)) == 8 and len(queue_ids(store)) == 4)
    background.manager.stop(hand_back=True)
    assert background.summary(40).reason is EndReason.STOPPED
    assert store.tally().counts[JobStatus.NEW] == 12
    assert {job.attempts for job in store.jobs()} == {0}
    assert slurm.run("squeue", "-h", "-t", "R,PD") == ""


def test_a_run_that_is_stopped_waits_for_what_runs_and_takes_back_what_is_queued(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_concurrent": 10, "max_finished_jobs": 10}
    background = InBackground(experiment(place, SLOWER, **keys), store)
    wait_for(lambda: len(calls(place)) == 8 and len(queue_ids(store)) == 2)
    background.manager.stop()
    assert background.summary(60).reason is EndReason.STOPPED
    counts = store.tally().counts
    assert (counts[JobStatus.COMPLETE], counts[JobStatus.NEW]) == (8, 2)


def test_a_job_that_is_stopped_while_it_is_queued_leaves_the_queue(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    from spearmint_int.stopping import stop_job

    keys = KEYS | {"max_concurrent": 1, "max_finished_jobs": 1}
    background = InBackground(experiment(place, QUICK, **keys, **HELD_BACK), store)
    wait_for(lambda: len(queue_ids(store)) == 1)
    stop_job(store, 1)
    background.summary(60)
    assert store.job(1).status is JobStatus.BROKEN
    assert slurm.run("squeue", "-h", "-t", "R,PD") == ""


def test_a_controller_that_is_away_costs_nothing(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_finished_jobs": 4}
    background = InBackground(experiment(place, SLOW, **keys), store)
    wait_for(lambda: len(calls(place)) == 2)
    slurm.kill_controller()
    try:
        wait_for(lambda: bool(background.heard.of(Notice)))
        time.sleep(12)
    finally:
        slurm.start_controller()
    assert background.summary(120).reason is EndReason.BUDGET
    assert sorted(calls(place)) == [1, 2, 3, 4]
    assert [(job.attempts, job.failures) for job in store.jobs()] == [(1, ())] * 4
    told = [notice.message for notice in background.heard.of(Notice)]
    assert "resource Main: squeue does not answer" in told[0]
    assert told[-1] == "resource Main: the scheduler answers again"


def test_a_partition_that_is_not_there_ends_the_run_and_costs_no_attempt(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    summary, _ = run(experiment(place, QUICK, **KEYS, scheduler_args="-p nowhere"), store)
    assert summary.reason is EndReason.FAILING
    job = store.job(1)
    assert (job.status, job.attempts) == (JobStatus.NEW, 0)
    assert "Invalid partition name specified" in job.failures[-1].message


def test_workers_that_do_not_come_up_end_the_run_and_cost_no_attempt(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    args = {"scheduler_args": "--export=ALL,PYTHONHOME=/nowhere"}  # no Python can start so
    summary, _ = run(experiment(place, QUICK, **KEYS, **args), store)
    assert summary.reason is EndReason.FAILING
    assert "has ended before its worker came up" in summary.message
    assert store.job(1).attempts == 0
    assert "PYTHONHOME" in (place.directory / "output" / "00000001.out").read_text()


@pytest.mark.parametrize("delay", [0, 12], ids=["started", "queued"])
def test_a_manager_that_is_killed_right_after_a_submission_costs_nothing(
    place: Place,
    store: Store,
    slurm: SlurmCluster,
    delay: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = KEYS | {"max_concurrent": 1, "max_finished_jobs": 1}
    args = {"scheduler_args": f"--begin=now+{delay}"}
    folder = place.directory / "commands"
    folder.mkdir()
    killing = folder / "sbatch"
    killing.write_text(f'#!/bin/sh\n{shutil.which("sbatch")} "$@" && kill -9 $PPID\n')
    killing.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        with manager_process(place, SLOW, **keys, **args) as manager:
            manager.wait(60)
    summary, _ = run(experiment(place, SLOW, **keys, **args), store)
    assert summary.reason is EndReason.BUDGET
    assert calls(place) == [1]
    assert store.job(1).attempts == 1


def test_a_job_that_no_node_is_large_enough_for_is_told(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_finished_jobs": 1, "scheduler_args": "--cpus-per-task=99"}
    background = InBackground(experiment(place, QUICK, **keys), store)
    wait_for(lambda: bool(background.heard.of(Notice)))
    background.manager.stop()
    assert background.summary(30).reason is EndReason.STOPPED
    (notice,) = background.heard.of(Notice)
    assert "job 1: the batch system holds its job" in notice.message
    assert store.tally().counts[JobStatus.NEW] == 1


def test_what_was_cancelled_while_there_was_no_manager_leaves_no_file(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    keys = KEYS | {"max_finished_jobs": 1}
    with manager_process(place, QUICK, **keys, **HELD_BACK) as manager:
        wait_for(lambda: len(queue_ids(store)) == 1)
        manager.kill()
    slurm.run("scancel", *queue_ids(store))
    run(experiment(place, QUICK, **keys), store)
    assert (store.job(1).values, store.job(1).attempts) == ({"main": 1.0}, 1)
    assert list((place.directory / "output" / "queue").iterdir()) == []
