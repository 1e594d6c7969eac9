"""How many jobs run at a time: by one manager, and by four."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from spearmint_int.config.declaration import eras
from spearmint_int.errors import ConfigError, StoreUnavailable
from spearmint_int.experiment import suggestion_lock
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.suggestion_lock import SuggestionLock
from spearmint_int.jobs import JobDraft, JobStatus
from spearmint_int.manager import EndReason, Event, JobEnded, JobStarted, Manager
from spearmint_int.stores import Store, open_store
from tests.manager.experiments import (
    SQUARE,
    VARIABLES,
    experiment,
    no_estimate,
    on_both_stores,
    run,
)
from tests.places import Place

pytestmark = pytest.mark.timeout(180)

# Writes down when it ran.
TIMED = """
import time
def main(job_id, params):
    began = time.time()
    time.sleep(0.6)
    with open(f"{job_id}.times", "w") as file:
        file.write(f"{began} {time.time()}")
    return float(params["x"][0] ** 2)
"""
WIDER = VARIABLES | {"x": {"type": "FLOAT", "min": -1, "max": 3}}


def run_four_managers(place: Place, **keys: Any) -> int:
    """The most jobs that ran at the same moment."""
    config = experiment(place, TIMED, max_finished_jobs=10, polling_time=0.2, **keys)

    def run_one(_: int) -> None:
        store = open_store(config)
        Manager(config, store, recommender=no_estimate).run()
        store.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run_one, range(4)))
    spans = [tuple(map(float, p.read_text().split())) for p in place.directory.glob("*.times")]
    assert len(spans) == 10
    return max(sum(1 for b, e in spans if b <= began < e) for began, _ in spans)


def test_max_concurrent_is_of_each_manager(place: Place, store: Store) -> None:
    assert run_four_managers(place, max_concurrent=2) > 2


@on_both_stores
@pytest.mark.parametrize("limit", [1, 2])
def test_max_concurrent_in_all_is_of_all_managers_together(
    place: Place, store: Store, limit: int
) -> None:
    assert run_four_managers(place, max_concurrent=2, max_concurrent_in_all=limit) <= limit
    assert store.tally().counts[JobStatus.COMPLETE] == 10


def test_a_manager_ends_when_another_one_declares_the_variables_anew(
    place: Place, store: Store
) -> None:
    config = experiment(place, SQUARE, max_finished_jobs=5)
    other = experiment(place, SQUARE, max_finished_jobs=5, variables=WIDER)

    def declare(event: Event) -> None:
        if isinstance(event, JobEnded):
            StoredExperiment.begin(other, store)

    with pytest.raises(ConfigError, match="another run has declared them otherwise"):
        Manager(config, store, recommender=no_estimate, listener=declare).run()
    summary, _ = run(other, store)
    assert summary.reason is EndReason.BUDGET
    known = StoredExperiment.read(other, store).history.observations()
    widths = [2.0 if job.id == 1 else 4.0 for job in store.jobs()]
    places = [job.point[0] * width for job, width in zip(store.jobs(), widths, strict=True)]
    assert known.points[:, 0] * 4.0 == pytest.approx(places)


def test_the_lock_is_waited_for_before_variables_are_declared_anew(
    place: Place, store: Store
) -> None:
    config = experiment(place, SQUARE)
    StoredExperiment.begin(config, store)
    other = experiment(place, SQUARE, variables=WIDER)
    choosing = SuggestionLock(store, "somebody")
    assert choosing.take()
    threading.Timer(0.5, choosing.release).start()
    begin = time.monotonic()
    StoredExperiment.begin(other, store)
    assert time.monotonic() - begin > 0.4


def test_a_run_lets_those_go_first_who_wait_for_the_lock(place: Place, store: Store) -> None:
    """Its jobs end so fast that it never rests."""
    config = experiment(place, SQUARE, max_concurrent=50, max_finished_jobs=1000)
    manager = Manager(config, store, recommender=no_estimate, listener=lambda _: None)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(manager.run)
        while store.last_id() < 3:
            time.sleep(0.05)
        with SuggestionLock(store, "somebody").held():
            before = store.last_id()
            time.sleep(0.5)
            assert store.last_id() == before
        manager.stop()
        assert running.result().reason is EndReason.STOPPED
    assert before < 50


def test_the_lock_is_waited_for_before_variables_are_declared_first(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggestion_lock, "WAIT_SECONDS", 0.2)
    choosing = SuggestionLock(store, "somebody")
    assert choosing.take()
    with pytest.raises(StoreUnavailable):
        StoredExperiment.begin(experiment(place, SQUARE), store)
    assert eras(store) == []


def test_jobs_before_a_new_declaration_are_of_the_old_one_although_one_was_deleted(
    place: Place, store: Store
) -> None:
    run(experiment(place, SQUARE, max_finished_jobs=3), store)
    store.remove(1)
    StoredExperiment.begin(experiment(place, SQUARE, variables=WIDER), store)
    assert [era.after for era in eras(store)] == [0, 3]


def test_a_budget_that_others_have_finished_is_noticed_at_once(place: Place, store: Store) -> None:
    config = experiment(place, max_finished_jobs=3, polling_time=60)

    def finish_the_budget(event: Event) -> None:
        """As another manager would while our second job runs."""
        if isinstance(event, JobStarted) and event.job.id == 2:
            assert store.add(JobDraft({"x": 0.5, "k": 1}, (0.75, 0.3)), limit=3)
            job = store.claim("another manager", lease_seconds=60)
            assert job is not None
            assert store.complete(job.claim, {"main": 0.5})

    began = time.monotonic()
    manager = Manager(config, store, listener=finish_the_budget, recommender=no_estimate)
    assert manager.run().reason is EndReason.BUDGET
    assert time.monotonic() - began < 30
