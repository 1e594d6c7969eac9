"""One trial: a run, a `kill -9` at a random moment, a restart, and a look at what is there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spearmint_int.errors import StoreError
from tests.chaos.experiment import BUDGET, Call, ChaosExperiment
from tests.chaos.invariants import results, violations
from tests.mongo_server import MongoServerProcess

RUN_SECONDS = 120.0  # a run that takes longer hangs
LONGEST_OUTAGE = 2.0
LONGEST_WAIT = 0.5  # between the start or the end of a job and the kill


@dataclass(frozen=True)
class Trial:
    """What happened."""

    moment: float | None  # of the kill, seconds after the start; None: the run was over before
    done_before: int  # results that were there at the kill
    ran_again: int  # calls of the objective beyond one for each job
    seconds: float
    violations: tuple[str, ...]
    folder: Path

    @property
    def was_hit(self) -> bool:
        return self.moment is not None


# Kills something of the run; the time of it, or None when there was nothing to kill any more.
Kill = Callable[[ChaosExperiment, "subprocess.Popen[bytes]", random.Random], "float | None"]


def run_trial(
    kill: Kill, folder: Path, *, rng: random.Random, server: MongoServerProcess | None
) -> Trial:
    """A run that is hurt once, at a random moment."""
    begin = time.monotonic()
    experiment = ChaosExperiment.make(folder, address=None if server is None else server.uri)
    manager = experiment.start_manager()
    wait_for_moment(experiment, manager, rng)
    killed_at = kill(experiment, manager, rng) if manager.poll() is None else None
    kept = experiment.told_results() | stored_results(experiment)
    found = bring_to_end(experiment, manager) or violations(
        experiment.jobs(), experiment.calls(), kept, budget=BUDGET
    )
    begun = [call.job_id for call in experiment.calls() if call.at == "begin"]
    return Trial(
        moment=None if killed_at is None else killed_at - begin,
        done_before=len(kept),
        ran_again=len(begun) - len(set(begun)),
        seconds=time.monotonic() - begin,
        violations=tuple(found),
        folder=folder,
    )


def wait_for_moment(
    experiment: ChaosExperiment, manager: subprocess.Popen[bytes], rng: random.Random
) -> None:
    """Some time after the start or the end of some job, or while the manager itself starts.

    Counted in jobs, because a busy machine stretches the seconds.
    """
    lines = rng.randrange(2 * BUDGET)  # of the log: each job begins and ends
    while len(experiment.calls()) < lines and manager.poll() is None:
        time.sleep(0.005)
    time.sleep(rng.uniform(0.0, LONGEST_WAIT))


def stored_results(experiment: ChaosExperiment) -> dict[int, float]:
    try:
        return results(experiment.jobs())
    except StoreError:  # killed before there was a store
        return {}


def bring_to_end(experiment: ChaosExperiment, manager: subprocess.Popen[bytes]) -> list[str]:
    """Wait for the manager, and start another one if it was killed; what went wrong."""
    status = wait(manager)
    if status == -signal.SIGKILL or (
        status == 2 and "no MongoDB server" in experiment.last_words()
    ):
        status = wait(experiment.start_manager())
    if status == 0:
        return []
    end = "did not end" if status is None else f"ended with exit code {status}"
    return [f"the manager {end}: {experiment.last_words()}"]


def wait(manager: subprocess.Popen[bytes]) -> int | None:
    try:
        return manager.wait(RUN_SECONDS)
    except subprocess.TimeoutExpired:
        manager.kill()
        manager.wait()
        return None


# --- what can be killed ---


def kill_manager(
    experiment: ChaosExperiment, manager: subprocess.Popen[bytes], rng: random.Random
) -> float | None:
    killed_at = time.monotonic()
    manager.kill()
    return killed_at if manager.wait() == -signal.SIGKILL else None


def kill_objective(
    experiment: ChaosExperiment, manager: subprocess.Popen[bytes], rng: random.Random
) -> float | None:
    return kill_process_of_a_job(experiment, manager, lambda call: call.pid, rng)


def kill_worker(
    experiment: ChaosExperiment, manager: subprocess.Popen[bytes], rng: random.Random
) -> float | None:
    return kill_process_of_a_job(experiment, manager, lambda call: call.parent, rng)


def kill_process_of_a_job(
    experiment: ChaosExperiment,
    manager: subprocess.Popen[bytes],
    process: Callable[[Call], int],
    rng: random.Random,
) -> float | None:
    """Wait for running jobs, and kill a process of one of them."""
    while manager.poll() is None:
        running = running_calls(experiment.calls())
        if running and kill_pid(process(rng.choice(running))):
            return time.monotonic()
        time.sleep(0.005)
    return None


def running_calls(calls: list[Call]) -> list[Call]:
    """The calls that have begun and not ended, killed ones left out."""
    ended = {call.pid for call in calls if call.at == "end"}
    return [c for c in calls if c.pid not in ended and Path(f"/proc/{c.pid}").exists()]


def kill_pid(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def server_killer(server: MongoServerProcess) -> Kill:
    """Kills the database server, and starts it again after a while."""

    def kill(
        experiment: ChaosExperiment, manager: subprocess.Popen[bytes], rng: random.Random
    ) -> float | None:
        killed_at = time.monotonic()
        server.kill()
        time.sleep(rng.uniform(0.0, LONGEST_OUTAGE))
        server.start()
        return killed_at

    return kill
