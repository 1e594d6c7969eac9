"""The store contract between processes: nothing twice, nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from spearmint_int.jobs import JobStatus
from spearmint_int.stores import Store, open_store_at
from spearmint_int.testing.drafts import add, draft
from tests.places import Place

ROOT = Path(__file__).parents[2]
PROCESSES = 8
JOBS = 500


def start(action: str, place: Place) -> subprocess.Popen[str]:
    arguments = [str(place.directory), place.experiment_name, place.address or ""]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.stores.worker", action, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def run_together(action: str, place: Place) -> list[list[int]]:
    processes = [start(action, place) for _ in range(PROCESSES)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * PROCESSES
    return [json.loads(output) for output in outputs]


def fill(store: Store, number: int) -> None:
    """New jobs in bulk: brought results would be complete, so each is added by itself."""
    for depth in range(number):
        add(store, depth)


def test_eight_processes_claim_each_job_once_and_lose_none(store: Store, place: Place) -> None:
    fill(store, JOBS)
    taken = run_together("claim_all", place)
    assert sorted(job_id for ids in taken for job_id in ids) == list(range(1, JOBS + 1))
    assert [one.value("main") for one in store.job_points()] == list(range(1, JOBS + 1))
    assert store.tally().counts[JobStatus.COMPLETE] == JOBS
    assert {job.attempts for job in store.jobs()} == {1}


def test_eight_processes_add_dense_ids_up_to_the_limit(store: Store, place: Place) -> None:
    added = run_together("add_to_limit", place)
    assert sorted(job_id for ids in added for job_id in ids) == list(range(1, 61))
    assert len(store.jobs()) == 60


def test_eight_processes_that_start_together_agree_on_a_seed(place: Place) -> None:
    answers = run_together("agree", place)  # the store is made by whoever comes first
    assert len({tuple(answer) for answer in answers}) == 1


def test_a_process_that_dies_in_a_transaction_leaves_no_lock(tmp_path: Path) -> None:
    place = Place(tmp_path, "killed", None)
    store = open_store_at(place)
    store.add(draft())
    victim = start("die_in_transaction", place)
    victim.communicate()
    assert victim.returncode == -signal.SIGKILL
    assert store.job(1).status is JobStatus.PENDING
    assert store.expire(store.now() + 100, max_attempts=3)
    assert add(store).id == 2
    store.close()
