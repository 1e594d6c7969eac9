"""The MongoDB store while answers get lost and servers die: nothing twice, nothing dropped."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pymongo
import pytest
from pymongo.errors import OperationFailure

from spearmint_int.errors import StoreError, StoreUnavailable
from spearmint_int.jobs import Job, JobStatus
from spearmint_int.stores.mongo import MongoStore
from spearmint_int.testing.drafts import FAILURE, LATER, LEASE, add, add_and_claim, claim, draft
from tests.mongo_server import MongoServerProcess
from tests.places import DATABASE
from tests.stores.lossy_proxy import LossyProxy

NEW, PENDING, COMPLETE, BROKEN = JobStatus


def open_mongo(uri: str, **options: Any) -> MongoStore:
    name = f"faults-{uuid.uuid4().hex[:8]}"
    return MongoStore(uri, database=DATABASE, experiment=name, **options)


@pytest.fixture
def proxy(mongo_uri: str) -> Iterator[LossyProxy]:
    with LossyProxy(mongo_uri) as proxy:
        yield proxy


@pytest.fixture
def store(proxy: LossyProxy) -> Iterator[MongoStore]:
    store = open_mongo(proxy.uri)
    yield store
    store.destroy()


def broken(store: MongoStore) -> None:
    store.fail(add_and_claim(store).claim, FAILURE, max_attempts=1)


# (the change, its answer, the status that the job has then)
CHANGES: list[tuple[Callable[[MongoStore, Job], object], object, JobStatus]] = [
    (lambda store, job: store.renew(job.claim, lease_seconds=LEASE), True, PENDING),
    (lambda store, job: store.complete(job.claim, {"main": 1.0}), True, COMPLETE),
    (lambda store, job: store.fail(job.claim, FAILURE, max_attempts=2), NEW, NEW),
    (lambda store, job: store.fail(job.claim, FAILURE, max_attempts=1), BROKEN, BROKEN),
    (lambda store, job: store.release(job.claim), True, NEW),
    (lambda store, job: store.expire(LATER, max_attempts=9) == [job], True, NEW),
]


@pytest.mark.parametrize(("change", "answer", "status"), CHANGES)
def test_a_change_whose_answer_was_lost_is_recognised(
    proxy: LossyProxy,
    store: MongoStore,
    change: Callable[[MongoStore, Job], object],
    answer: object,
    status: JobStatus,
) -> None:
    job = add_and_claim(store)
    proxy.lose_answers_to("update", 2)
    assert change(store, job) == answer
    assert proxy.is_done
    assert store.job(1).status is status
    assert len(store.job(1).failures) <= 1


def test_an_added_job_whose_answer_was_lost_is_added_once(
    store: MongoStore, proxy: LossyProxy
) -> None:
    proxy.lose_answers_to("insert", 2)
    assert add(store).id == 1
    assert proxy.is_done
    assert [job.id for job in store.jobs()] == [1]


def test_an_added_job_whose_answer_was_lost_stays_within_the_limit(
    store: MongoStore, proxy: LossyProxy
) -> None:
    proxy.lose_answers_to("insert")
    assert store.add(draft(), limit=1) is not None
    assert store.add(draft(), limit=1) is None


def test_brought_results_whose_answer_was_lost_are_stored_once(
    store: MongoStore, proxy: LossyProxy
) -> None:
    proxy.lose_answers_to("insert", 2)
    jobs = store.add_all_complete([(draft(k), {"main": k}) for k in range(20)])
    assert jobs == store.jobs()
    assert [job.params["depth"] for job in jobs] == list(range(20))


def test_a_claim_whose_answer_was_lost_takes_one_job(store: MongoStore, proxy: LossyProxy) -> None:
    add(store)
    add(store)
    proxy.lose_answers_to("update", 2)
    job = claim(store)
    assert proxy.is_done
    assert (job.id, job.attempts) == (1, 1)
    assert store.job(1) == job
    assert store.job(2).status is NEW


def test_a_retry_whose_answer_was_lost_is_recognised(store: MongoStore, proxy: LossyProxy) -> None:
    broken(store)
    proxy.lose_answers_to("update")
    assert store.retry(1).status is NEW


def test_a_lock_whose_answer_was_lost_is_held(store: MongoStore, proxy: LossyProxy) -> None:
    proxy.lose_answers_to("update")
    assert store.lock("suggest", "a", seconds=60)
    assert not store.lock("suggest", "b", seconds=60)
    proxy.lose_answers_to("delete")
    store.unlock("suggest", "a")
    assert store.lock_holder("suggest") is None


def test_lost_answers_to_reads_are_asked_for_again(store: MongoStore, proxy: LossyProxy) -> None:
    add(store)
    proxy.lose_answers_to("find", 2)
    assert store.job(1).id == 1
    proxy.lose_answers_to("aggregate", 2)
    assert store.tally().counts[NEW] == 1


@pytest.mark.parametrize("code", [91, 189, 11600, 14031])
def test_a_server_that_steps_down_or_is_full_is_waited_for(
    mongo_uri: str, store: MongoStore, code: int
) -> None:
    job = add_and_claim(store)
    with failing(mongo_uri, ["update"], times=3, errorCode=code):
        assert store.complete(job.claim, {"main": 1.0})


def test_a_write_that_was_not_confirmed_is_asked_for_again(
    mongo_uri: str, store: MongoStore
) -> None:
    unconfirmed = {"code": 91, "errmsg": "the server is shutting down"}
    with failing(mongo_uri, ["insert", "update"], times=1, writeConcernError=unconfirmed):
        job = add(store)
    with failing(mongo_uri, ["insert", "update"], times=1, writeConcernError=unconfirmed):
        claimed = claim(store)
    assert (job.id, claimed.id, claimed.attempts) == (1, 1, 1)
    assert store.jobs() == [claimed]


def test_a_refused_change_is_explained_at_once(mongo_uri: str, store: MongoStore) -> None:
    job = add_and_claim(store)
    with (
        failing(mongo_uri, ["update"], times=1, errorCode=13),
        pytest.raises(StoreError, match="give it the role readWrite"),
    ):
        store.complete(job.claim, {"main": 1.0})
    assert store.complete(job.claim, {"main": 1.0})


class failing:  # noqa: N801 - reads as a statement
    """Lets the server fail the next commands of these names."""

    def __init__(self, uri: str, commands: list[str], *, times: int, **fault: Any) -> None:
        self._client = pymongo.MongoClient[dict[str, Any]](uri)
        self._data = {"failCommands": commands, **fault}
        self._times = times

    def _set(self, mode: Any) -> None:
        data = {} if mode == "off" else {"data": self._data}
        try:
            self._client.admin.command({"configureFailPoint": "failCommand", "mode": mode, **data})
        except OperationFailure as error:
            self._client.close()
            pytest.skip(f"the server has no fault injection: {error}")

    def __enter__(self) -> None:
        self._set({"times": self._times})

    def __exit__(self, *_: object) -> None:
        self._set("off")
        self._client.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MongoServerProcess]:
    """A server that the tests may kill and start again."""
    with MongoServerProcess(tmp_path_factory.mktemp("victim")) as server:
        yield server


def test_a_result_outlives_the_crash_and_restart_of_the_server(server: MongoServerProcess) -> None:
    store = open_mongo(server.uri)
    job = add_and_claim(store)
    server.kill()
    answers: list[bool] = []
    worker = threading.Thread(
        target=lambda: answers.append(store.complete(job.claim, {"main": 1.0}))
    )
    worker.start()
    time.sleep(1.0)
    server.start()
    worker.join()
    assert answers == [True]
    assert store.job(1).values == {"main": 1.0}
    store.close()


def test_what_was_acknowledged_is_there_after_a_crash(server: MongoServerProcess) -> None:
    store = open_mongo(server.uri)
    for k in range(30):
        add(store)
        assert store.complete(claim(store).claim, {"main": float(k)})
    server.kill()
    server.start()
    assert [one.value("main") for one in store.job_points()] == list(range(30))
    store.close()


def test_a_long_outage_is_told_and_the_result_can_be_brought_later(
    server: MongoServerProcess,
) -> None:
    store = open_mongo(f"{server.uri}/?serverSelectionTimeoutMS=200", patience=1.0)
    job = add_and_claim(store)
    server.kill()
    begin = time.monotonic()
    with pytest.raises(StoreUnavailable, match="no MongoDB server answers"):
        store.complete(job.claim, {"main": 1.0})
    assert 0.3 < time.monotonic() - begin < 5
    server.start()
    assert store.complete(job.claim, {"main": 1.0})
    store.close()
