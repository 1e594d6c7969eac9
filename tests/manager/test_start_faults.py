"""Objectives that can't be started for a while, or no more: the budget is not burnt."""

from __future__ import annotations

import threading

import pytest

from spearmint_int import worker
from spearmint_int.config import Config
from spearmint_int.errors import SchedulerError
from spearmint_int.jobs import FailureKind, JobStatus
from spearmint_int.launcher.order import Order
from spearmint_int.manager import EndReason, Manager, start_backoff
from spearmint_int.manager.progress import MOST_BROKEN_IN_A_ROW
from spearmint_int.schedulers import LocalScheduler
from spearmint_int.stores import Store
from tests.launcher.launches import eventually
from tests.manager.experiments import SQUARE, experiment, no_estimate, run
from tests.places import Place

pytestmark = pytest.mark.timeout(120)

SLOW_SQUARE = "import time\ndef main(job_id, params): time.sleep(1); return float(job_id)"


def test_a_main_file_that_is_away_for_a_while_costs_nothing(place: Place, store: Store) -> None:
    config = experiment(place, SQUARE, max_finished_jobs=4, max_concurrent=2)
    main_file = place.directory / "objective.py"
    away = main_file.rename(place.directory / "away.py")
    threading.Timer(3.0, lambda: away.rename(main_file)).start()
    summary, _ = run(config, store)
    assert summary.reason is EndReason.BUDGET
    assert [(job.status, job.attempts) for job in store.jobs()] == [(JobStatus.COMPLETE, 1)] * 4
    assert store.job(1).failures[0].kind is FailureKind.START


def test_a_main_file_that_stays_away_ends_the_run_with_a_sentence_and_the_budget_whole(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_backoff, "FIRST_SECONDS", 0.01)
    config = experiment(place, SQUARE, max_finished_jobs=60)
    (place.directory / "objective.py").unlink()
    summary, _ = run(config, store)
    assert (summary.reason, summary.succeeded) == (EndReason.FAILING, False)
    assert "there is no main file objective.py" in summary.message
    assert [(job.status, job.attempts) for job in store.jobs()] == [(JobStatus.NEW, 0)]


class Refusing(LocalScheduler):
    """Refuses the first few workers, as a machine without free processes does."""

    refusals = 3

    def submit(self, order: Order) -> str:
        if self.refusals:
            self.refusals -= 1
            raise SchedulerError("no worker could be started: Resource temporarily unavailable")
        return super().submit(order)


def test_a_refused_worker_is_tried_again_and_costs_no_attempt(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_backoff, "FIRST_SECONDS", 0.05)
    scheduler = Refusing(place.directory)
    config = experiment(place, SQUARE, max_finished_jobs=2, max_attempts=1)
    summary, _ = run(config, store, schedulers={"Main": scheduler})
    scheduler.close()
    assert summary.reason is EndReason.BUDGET
    assert store.tally().counts[JobStatus.COMPLETE] == 2


def beside_one_that_refuses(place: Place, code: str) -> Config:
    resources = {name: {"max-finished-jobs": 3} for name in ("refusing", "working")}
    return experiment(place, code, resources=resources)


def test_a_resource_that_refuses_does_not_hold_up_another_one(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_backoff, "FIRST_SECONDS", 60.0)
    schedulers = {"refusing": Refusing(place.directory), "working": LocalScheduler(place.directory)}
    config = beside_one_that_refuses(place, SQUARE)
    manager = Manager(config, store, schedulers=schedulers, recommender=no_estimate)
    thread = threading.Thread(target=manager.run)
    thread.start()
    assert eventually(lambda: store.tally().counts[JobStatus.COMPLETE] == 3, 30)
    manager.stop()
    thread.join(30)
    for scheduler in schedulers.values():
        scheduler.close()
    assert {job.resource for job in store.jobs(JobStatus.COMPLETE)} == {"working"}


def test_a_run_goes_on_where_it_can_and_ends_when_only_what_refuses_is_left(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_backoff, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(start_backoff, "LONGEST_SECONDS", 0.1)
    monkeypatch.setattr(Refusing, "refusals", 10_000)
    schedulers = {"refusing": Refusing(place.directory), "working": LocalScheduler(place.directory)}
    config = beside_one_that_refuses(place, SLOW_SQUARE)
    summary, _ = run(config, store, schedulers=schedulers)
    for scheduler in schedulers.values():
        scheduler.close()
    assert summary.reason is EndReason.FAILING
    assert "Resource temporarily unavailable" in summary.message
    assert {j.resource: j.status for j in store.jobs()} == {
        "refusing": JobStatus.NEW,
        "working": JobStatus.COMPLETE,
    }
    assert store.tally().counts[JobStatus.COMPLETE] == 3


FORKS_FAIL = """
import os, sys
from spearmint_int import worker

refusals, fork = {refusals}, os.fork

def refused():
    global refusals
    if refusals == 0:
        return fork()
    refusals -= 1
    raise BlockingIOError(11, "Resource temporarily unavailable")

os.fork = refused
sys.exit(worker.main(sys.argv))
"""


def test_a_refused_fork_is_tried_again_and_costs_no_attempt(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_backoff, "FIRST_SECONDS", 0.05)
    server = place.directory / "server.py"
    server.write_text(FORKS_FAIL.format(refusals=3))
    monkeypatch.setattr(worker, "__file__", str(server))
    config = experiment(place, SQUARE, max_finished_jobs=2, max_concurrent=2, max_attempts=1)
    summary, _ = run(config, store)
    assert summary.reason is EndReason.BUDGET
    assert [(job.status, job.attempts) for job in store.jobs()] == [(JobStatus.COMPLETE, 1)] * 2
    failures = [failure for job in store.jobs() for failure in job.failures]
    assert [failure.kind for failure in failures] == [FailureKind.START] * 3
    log = (place.directory / "output" / "workers.log").read_text()
    assert log.count("Resource temporarily unavailable") == 3


def test_jobs_that_all_break_from_some_time_on_end_the_run(place: Place, store: Store) -> None:
    code = """
        def main(job_id, params):
            if job_id > 2:
                raise OSError("the licence server is gone")
            return 1.0
    """
    config = experiment(place, code, max_finished_jobs=60, max_attempts=1)
    summary, _ = run(config, store)
    assert (summary.reason, summary.succeeded) == (EndReason.FAILING, False)
    assert "the licence server is gone" in summary.message
    assert store.tally().counts[JobStatus.BROKEN] == MOST_BROKEN_IN_A_ROW + 1
