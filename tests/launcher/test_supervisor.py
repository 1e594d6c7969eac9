"""A worker settles its claim in the store by itself; each test on both stores."""

from __future__ import annotations

import errno
import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from spearmint_int.errors import StoreError, StoreMissing, StoreUnavailable
from spearmint_int.jobs import Failure, FailureKind, Job, JobStatus
from spearmint_int.launcher import supervisor
from spearmint_int.launcher.delivery import (
    Delivery,
    deliver_kept_outcomes,
    keep_outcome,
    undelivered_folder,
)
from spearmint_int.launcher.order import Order
from spearmint_int.launcher.output import worker_is_alive
from spearmint_int.launcher.supervisor import supervise
from spearmint_int.launcher.wakeup import Wakeup
from spearmint_int.stores import Store, StoreAddress, open_store_at
from spearmint_int.testing.orders import EXPERIMENT, claimed_order
from tests.launcher.launches import eventually, printed
from tests.places import Place

pytestmark = pytest.mark.timeout(60)

SLEEP = "import time\ndef main(job_id, params): time.sleep(100)"
SQUARE = "def main(job_id, params): return params['x'][0] ** 2"


def deliver(place: Place, store: Store, experiment: str = EXPERIMENT) -> Delivery:
    return deliver_kept_outcomes(place.directory, store, experiment=experiment)


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


def test_an_answer_that_another_try_would_repeat_breaks_the_job_at_once(
    place: Place, store: Store
) -> None:
    _, order = claimed_order(place, store, "def main(job_id, params): return 'text'")
    work(order)
    assert store.job(1).status is JobStatus.BROKEN


def test_nan_is_an_answer_whose_job_is_complete(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, "def main(job_id, params): return float('nan')")
    work(order)
    job = store.job(1)
    assert job.status is JobStatus.COMPLETE
    assert job.values is not None
    assert math.isnan(job.values["main"])


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
    keep_outcome(order, {"main": 2.5})
    assert deliver(place, store).delivered == (1,)
    assert store.job(1).values == {"main": 2.5}
    assert not undelivered_folder(place.directory).exists()
    assert deliver(place, store).delivered == ()


def test_a_jobs_time_is_without_the_outage_that_its_result_waited_for(
    place: Place, store: Store
) -> None:
    claimed, order = claimed_order(place, store, SQUARE)
    keep_outcome(order, {"main": 3.0})
    time.sleep(1.0)
    deliver(place, store)
    job = store.job(claimed.id)
    assert job.started is not None
    assert job.seconds is not None
    assert 0.0 <= job.seconds <= store.now() - job.started - 0.9


def test_a_kept_result_ended_before_the_store_was_found_to_be_away(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away_at_first(*args: object, **options: bool) -> Store:
        if not list(undelivered_folder(place.directory).glob("*.json")):
            time.sleep(1.0)  # so long a try takes
            raise StoreUnavailable("the database is away")
        deliver(place, store)  # a manager is quicker than the worker
        return open_store_at(place)

    claimed, order = claimed_order(place, store, SQUARE)
    monkeypatch.setattr(supervisor, "open_store_at", away_at_first)
    work(order)
    job = store.job(claimed.id)
    assert job.started is not None
    assert job.seconds is not None
    assert 0.0 <= job.seconds <= store.now() - job.started - 0.9


def test_a_kept_failure_is_delivered_whole(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, SQUARE)
    failure = Failure(FailureKind.SIGNAL, "killed", exit_status=-9, stderr_tail="é\n")
    keep_outcome(order, failure)
    deliver(place, store)
    assert store.job(1).failures == (failure,)


def test_a_kept_outcome_of_a_lost_claim_overwrites_nothing(place: Place, store: Store) -> None:
    job, order = claimed_order(place, store, SQUARE)
    keep_outcome(order, {"main": 2.5})
    store.expire(store.now() + 100, max_attempts=3)
    second: Job | None = store.claim("another manager", lease_seconds=100)
    assert deliver(place, store).delivered == ()
    assert store.job(job.id) == second
    assert [path.suffix for path in undelivered_folder(place.directory).iterdir()] == [".refused"]


def test_a_kept_outcome_of_another_experiment_is_left_for_it(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, SQUARE)
    path = keep_outcome(order, {"main": 2.5})
    assert deliver(place, store, "another").delivered == ()
    assert path.exists()
    assert store.job(1).status is JobStatus.PENDING
    assert deliver(place, store).delivered == (1,)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"job_id": 1}', '{"job_id": "x"}'])
def test_a_damaged_kept_outcome_is_set_aside_with_a_sentence(
    place: Place, store: Store, text: str
) -> None:
    _, order = claimed_order(place, store, SQUARE)
    path = keep_outcome(order, {"main": 2.5})
    path.write_text(text)
    (notice,) = deliver(place, store).notices
    assert "a kept result was not delivered: it can't be read" in notice
    assert path.with_suffix(".damaged").read_text() == text
    assert deliver(place, store) == Delivery()


def test_a_result_outlives_an_outage_of_the_store_with_the_disk_full(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **options: float) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    tries = iter(range(100))

    def away_for_a_while(*args: object, **options: bool) -> Store:
        if next(tries) < 4:
            raise StoreUnavailable("the database is away")
        return open_store_at(place)

    _, order = claimed_order(place, store, SQUARE)
    monkeypatch.setattr(supervisor, "keep_outcome", full)
    monkeypatch.setattr(supervisor, "open_store_at", away_for_a_while)
    work(order)
    assert store.job(1).values == {"main": 4.0}


def test_a_worker_that_waits_for_the_store_says_so_and_is_seen_to_be_alive(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away_until_it_was_said(*args: object, **options: bool) -> Store:
        if "the store is away; the outcome waits in" not in printed(place.directory, 1):
            assert worker_is_alive(place.directory, 1)
            raise StoreUnavailable("the database is away")
        return open_store_at(place)

    _, order = claimed_order(place, store, SQUARE)
    monkeypatch.setattr(supervisor, "REPORT_SECONDS", 0.5)
    monkeypatch.setattr(supervisor, "open_store_at", away_until_it_was_said)
    work(order)
    assert store.job(1).values == {"main": 4.0}


def test_a_worker_whose_store_was_deleted_keeps_its_result_and_ends(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, order = claimed_order(place, store, SQUARE)
    monkeypatch.setattr(supervisor, "open_store_at", fail_with(StoreMissing("no jobs yet")))
    thread = threading.Thread(target=work, args=(order,), daemon=True)
    thread.start()
    thread.join(20.0)
    assert not thread.is_alive()
    assert "the outcome waits in" in printed(place.directory, 1)
    assert deliver(place, store).delivered == (1,)
    assert store.job(1).values == {"main": 4.0}


def test_a_worker_that_waits_for_the_store_ends_when_it_is_told_to_and_its_result_is_kept(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, order = claimed_order(place, store, SQUARE)
    monkeypatch.setattr(supervisor, "open_store_at", fail_with(StoreUnavailable("it is away")))
    interrupt = Wakeup()
    thread = threading.Thread(target=work, args=(order, interrupt), daemon=True)
    thread.start()
    assert eventually(lambda: undelivered_folder(place.directory).exists(), 20.0)
    time.sleep(1.0)
    assert thread.is_alive()  # it waits until somebody wants its machine
    interrupt.set()
    thread.join(20.0)
    assert not thread.is_alive()
    assert deliver(place, store).delivered == (1,)
    assert store.job(1).values == {"main": 4.0}


def fail_with(error: StoreError) -> Callable[..., Store]:
    def fail(*_: object, **options: object) -> Store:
        raise error

    return fail
