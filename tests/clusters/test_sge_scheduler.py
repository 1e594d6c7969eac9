"""The scheduler's contract, on a real Grid Engine that is there already.

SPEARMINT_INT_TEST_SGE=1 python -m pytest tests/clusters/test_sge_scheduler.py
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from spearmint_int.config import Resource
from spearmint_int.manager import EndReason
from spearmint_int.schedulers import Scheduler, WorkerState, open_scheduler
from spearmint_int.stores import Store
from spearmint_int.testing import SchedulerContract
from spearmint_int.testing.orders import claimed_order
from spearmint_int.testing.scheduler_contract import SLEEP, state, wait_until
from tests.manager.experiments import experiment, run
from tests.places import Place

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(240),
    pytest.mark.skipif(
        not os.environ.get("SPEARMINT_INT_TEST_SGE"),
        reason="SPEARMINT_INT_TEST_SGE says whether there is a Grid Engine to be used",
    ),
]


def opened(place: Place, **keys: object) -> Scheduler:
    resource = Resource.model_validate({"scheduler": "SGE", **keys})
    return open_scheduler(resource, place.directory, poll_seconds=0.5)


@pytest.fixture
def scheduler(place: Place) -> Iterator[Scheduler]:
    scheduler = opened(place)
    yield scheduler
    scheduler.close()


@pytest.fixture
def another_scheduler(place: Place) -> Callable[[], Scheduler]:
    return lambda: opened(place)


class TestGridEngine(SchedulerContract):
    """It keeps what every scheduler promises."""


def test_a_queued_worker_is_told_apart_and_can_be_cancelled(place: Place, store: Store) -> None:
    scheduler = opened(place, **{"scheduler-args": "-h"})
    proc_id = scheduler.submit(claimed_order(place, store, SLEEP)[1])
    assert wait_until(lambda: state(scheduler, proc_id) is WorkerState.HELD)
    scheduler.cancel(proc_id)
    assert wait_until(lambda: state(scheduler, proc_id) is WorkerState.GONE)
    scheduler.close()


def test_a_run_to_its_end(place: Place, store: Store) -> None:
    config = experiment(
        place, scheduler="sge", max_concurrent=3, max_finished_jobs=6, polling_time=1.0
    )
    summary, _ = run(config, store)
    assert summary.reason is EndReason.BUDGET
    assert [job.attempts for job in store.jobs()] == [1] * 6
