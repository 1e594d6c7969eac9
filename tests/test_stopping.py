"""Runs and jobs that are stopped from elsewhere, by way of the store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spearmint_int.errors import StoreError
from spearmint_int.jobs import RESERVED, JobDraft, JobStatus
from spearmint_int.manager import EndReason
from spearmint_int.stopping import must_stop, stop_job, stop_runs
from spearmint_int.stores import Store
from tests.cli.conftest import CommandLine, experiment, spearmint, with_results
from tests.manager.experiments import experiment as experiment_at
from tests.manager.experiments import on_both_stores, run
from tests.places import Place

__all__ = ["experiment", "spearmint", "with_results"]
FIRST_HANGS = """
import time
def main(job_id, params):
    time.sleep(100 if job_id == 1 else 0.1)
    return 1.0
"""


def test_a_running_job_is_broken_at_once_and_its_claim_is_lost(store: Store) -> None:
    store.add(JobDraft({"x": 0.5}, (0.5,)))
    claimed = store.claim("worker", lease_seconds=100)
    assert claimed is not None
    assert stop_job(store, 1).status is JobStatus.BROKEN
    assert not store.renew(claimed.claim, lease_seconds=100)
    assert not store.complete(claimed.claim, {"main": 1.0})
    assert store.job(1).failures[-1].message == "it was stopped by hand"
    assert store.job(1).is_void


def test_a_reserved_point_is_given_up(store: Store) -> None:
    store.add(JobDraft({"x": 0.5}, (0.5,), resource=f"{RESERVED}1"))
    assert stop_job(store, 1).status is JobStatus.BROKEN


def test_what_does_not_run_cant_be_stopped(store: Store) -> None:
    store.add(JobDraft({"x": 0.5}, (0.5,)))
    store.add_complete(JobDraft({"x": 0.5}, (0.5,)), {"main": 1.0})
    for job_id in (1, 2):
        with pytest.raises(StoreError, match="only one that runs"):
            stop_job(store, job_id)


def test_a_request_is_for_the_runs_that_are_there(store: Store) -> None:
    before = store.now()
    assert not must_stop(store, since=before)
    stop_runs(store)
    assert must_stop(store, since=before)
    assert not must_stop(store, since=store.now() + 1.0)


@on_both_stores
def test_a_run_ends_when_it_is_asked_to_by_the_store(place: Place, store: Store) -> None:
    config = experiment_at(place, max_finished_jobs=500)
    after(lambda: store.tally().counts[JobStatus.COMPLETE] > 0, lambda: stop_runs(store))
    summary, _ = run(config, store)
    assert summary.reason is EndReason.STOPPED
    assert store.tally().counts[JobStatus.PENDING] == 0


@on_both_stores
def test_a_job_that_is_stopped_makes_room_for_the_next(place: Place, store: Store) -> None:
    config = experiment_at(place, FIRST_HANGS, max_finished_jobs=3, heartbeat_time=0.5)
    after(lambda: store.tally().counts[JobStatus.PENDING] > 0, lambda: stop_job(store, 1))
    began = time.monotonic()
    summary, _ = run(config, store)
    assert summary.message.startswith("the budget is spent: 2 complete, 1 broken")
    assert time.monotonic() - began < 60


def after(there: Callable[[], bool], act: Callable[[], Any]) -> None:
    """Act beside the test as soon as something is there."""

    def wait() -> None:
        while not there():
            time.sleep(0.05)
        act()

    threading.Thread(target=wait, daemon=True).start()


def test_the_command_stops_a_reserved_job_and_refuses_a_finished_one(
    spearmint: CommandLine, with_results: Any
) -> None:
    spearmint("suggest", with_results, "--reserve")
    assert spearmint("stop", with_results, "5").out == "1 job stopped\n"
    assert "job 1 is complete" in spearmint("stop", with_results, "1").err
    assert spearmint("stop", with_results).code == 0


def test_the_command_stops_all_jobs_that_are_named_or_none(
    spearmint: CommandLine, with_results: Path
) -> None:
    spearmint("suggest", with_results, "--reserve", "-n", "2")
    assert spearmint("stop", with_results, "5", "1").code == 2
    assert spearmint("status", with_results, "--json").json["reserved"] == 2
    answer = spearmint("stop", with_results, "5", "6", "5", "--json")
    assert answer.json == {"stopped": [5, 6], "running": 0}


def test_the_command_says_that_nothing_runs(spearmint: CommandLine, with_results: Path) -> None:
    answer = spearmint("stop", with_results)
    assert answer.code == 0
    assert answer.out.startswith("no job is running")
    assert spearmint("stop", with_results, "--json").json["running"] == 0
