"""A worker settles its claim in the store by itself; each test on both stores."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from spearmint_int.errors import StoreUnavailable
from spearmint_int.jobs import Failure, FailureKind, Job, JobStatus
from spearmint_int.launcher import supervisor
from spearmint_int.launcher.delivery import (
    deliver_kept_outcomes,
    keep_outcome,
    undelivered_folder,
)
from spearmint_int.launcher.order import Order
from spearmint_int.launcher.supervisor import supervise
from spearmint_int.launcher.wakeup import Wakeup
from spearmint_int.stores import Store, StoreAddress, open_store_at
from spearmint_int.testing.orders import claimed_order
from tests.launcher.launches import eventually, printed
from tests.places import Place

pytestmark = pytest.mark.timeout(60)

SLEEP = "import time\ndef main(job_id, params): time.sleep(100)"
SQUARE = "def main(job_id, params): return params['x'][0] ** 2"


def work(order: Order, interrupt: Wakeup | None = None) -> None:
    supervise(order, interrupt or Wakeup())


def test_an_order_survives_its_journey(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, SQUARE, time_limit=3.0)
    sent = replace(order, store=StoreAddress(**vars(place)))  # a Place is of the tests alone
    assert Order.from_json(order.to_json()) == sent


def test_a_result_is_in_the_store_when_the_worker_ends(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, SQUARE)
    work(order)
    job = store.job(1)
    assert (job.status, job.values) == (JobStatus.COMPLETE, {"main": 4.0})


def test_a_failure_makes_the_job_new_until_its_attempts_are_used(
    place: Place, store: Store
) -> None:
    _, order = claimed_order(place, store, "def main(job_id, params): raise OSError('disk')")
    work(order)
    job = store.job(1)
    assert (job.status, job.attempts) == (JobStatus.NEW, 1)
    assert job.failures[0].kind is FailureKind.EXCEPTION


@pytest.mark.parametrize("result", ["float('nan')", "'text'"])
def test_an_answer_that_another_try_would_repeat_breaks_the_job_at_once(
    place: Place, store: Store, result: str
) -> None:
    _, order = claimed_order(place, store, f"def main(job_id, params): return {result}")
    work(order)
    assert store.job(1).status is JobStatus.BROKEN


def test_an_interrupted_job_is_handed_back_without_an_attempt(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, SLEEP)
    interrupt = Wakeup()
    threading.Timer(0.5, interrupt.set).start()
    work(order, interrupt)
    job = store.job(1)
    assert (job.status, job.attempts, job.failures) == (JobStatus.NEW, 0, ())


def test_the_lease_is_renewed_while_the_objective_runs(place: Place, store: Store) -> None:
    code = "import time\ndef main(job_id, params): time.sleep(2); return 1"
    claimed, order = claimed_order(place, store, code, lease=1.0)
    work(order)
    assert claimed.lease_expires is not None
    assert store.now() > claimed.lease_expires
    assert store.job(1).status is JobStatus.COMPLETE


def test_the_store_knows_the_workers_process(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, SLEEP)
    interrupt = Wakeup()
    thread = threading.Thread(target=work, args=(order, interrupt))
    thread.start()
    assert eventually(lambda: store.job(1).process is not None)
    interrupt.set()
    thread.join()


def test_a_lost_claim_ends_the_objective_and_changes_nothing(place: Place, store: Store) -> None:
    job, order = claimed_order(place, store, SLEEP, lease=0.5)
    assert store.expire(store.now() + 100, max_attempts=3) == [job]
    second = store.claim("another manager", lease_seconds=100)
    work(order)
    assert store.job(1) == second


def test_an_objective_that_cant_start_is_a_broken_job(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, "", environment_file="missing.env")
    work(order)
    assert store.job(1).failures[0].kind is FailureKind.LAUNCH
    assert "missing.env" in printed(place.directory, 1)


def test_a_result_waits_for_a_store_that_is_away(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away_until_the_result_is_kept(*args: object, **options: bool) -> Store:
        if not list(undelivered_folder(place.directory).glob("*.json")):
            raise StoreUnavailable("the database is away")
        return open_store_at(place)

    _, order = claimed_order(place, store, SQUARE)
    monkeypatch.setattr(supervisor, "open_store_at", away_until_the_result_is_kept)
    work(order)
    assert store.job(1).values == {"main": 4.0}
    assert not list(undelivered_folder(place.directory).glob("*.json"))


def test_kept_outcomes_are_delivered_once(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, SQUARE)
    (place.directory / "output").mkdir()
    keep_outcome(order, {"main": 2.5})
    assert deliver_kept_outcomes(place.directory, store) == [1]
    assert store.job(1).values == {"main": 2.5}
    assert not undelivered_folder(place.directory).exists()
    assert deliver_kept_outcomes(place.directory, store) == []


def test_a_kept_failure_is_delivered_whole(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, SQUARE)
    (place.directory / "output").mkdir()
    failure = Failure(FailureKind.SIGNAL, "killed", exit_status=-9, stderr_tail="é\n")
    keep_outcome(order, failure)
    deliver_kept_outcomes(place.directory, store)
    assert store.job(1).failures == (failure,)


def test_a_kept_outcome_of_a_lost_claim_overwrites_nothing(place: Place, store: Store) -> None:
    job, order = claimed_order(place, store, SQUARE)
    (place.directory / "output").mkdir()
    keep_outcome(order, {"main": 2.5})
    store.expire(store.now() + 100, max_attempts=3)
    second: Job | None = store.claim("another manager", lease_seconds=100)
    assert deliver_kept_outcomes(place.directory, store) == []
    assert store.job(job.id) == second
