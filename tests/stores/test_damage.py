"""Rows and documents that somebody has edited: one sentence each, and the others stay usable."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pymongo
import pytest

from spearmint_int.errors import DamagedJob, StoreError
from spearmint_int.jobs import JobDraft, JobStatus
from spearmint_int.manager import EndReason, Notice
from spearmint_int.stores import Store, open_store_at
from spearmint_int.testing.drafts import add
from tests.manager.experiments import experiment, run
from tests.places import Place

Edit = Callable[[int, dict[str, Any]], None]

# field → what somebody wrote there
DAMAGES: dict[str, Any] = {
    "point": [0.5, 7.0],
    "params": [1, 2],
    "result": {"main": "three"},
    "tasks": "main",
    "attempts": "many",
    "created": "yesterday",
    "started": -1e300,
    "ended": 1e308,
    "provenance": 5,
    "failures": [{"kind": "no such kind", "message": ""}],
    "source": "a friend",
}


@pytest.fixture
def edit(place: Place) -> Edit:
    """Change fields of a job behind the store's back."""
    return edit_sqlite(place) if place.address is None else edit_mongo(place, place.address)


def edit_sqlite(place: Place) -> Edit:
    def edit(job_id: int, fields: dict[str, Any]) -> None:
        with closing(sqlite3.connect(place.sqlite_path)) as connection, connection:
            for name, value in fields.items():
                text = value if isinstance(value, str) else json.dumps(value)
                connection.execute(f"UPDATE jobs SET {name} = ? WHERE id = ?", (text, job_id))

    return edit


def edit_mongo(place: Place, address: str) -> Edit:
    def edit(job_id: int, fields: dict[str, Any]) -> None:
        with pymongo.MongoClient[dict[str, Any]](address) as client:
            jobs = client[place.database_name][f"{place.experiment_name}.jobs"]
            jobs.update_one({"_id": job_id}, {"$set": fields})

    return edit


def three(store: Store) -> None:
    for value in (1.0, 2.0, 3.0):
        add(store)
        job = store.claim("a", lease_seconds=60)
        assert job is not None
        store.complete(job.claim, {"main": value})


@pytest.mark.parametrize("field", DAMAGES)
def test_a_damaged_job_is_one_sentence_and_the_others_are_there(
    store: Store, edit: Edit, field: str
) -> None:
    three(store)
    edit(2, {field: DAMAGES[field]})
    assert [job.id for job in store.jobs()] == [1, 3]
    (damage,) = store.damaged()
    assert damage.job_id == 2
    assert damage.sentence.startswith("job 2 can't be read: ")
    with pytest.raises(DamagedJob, match="job 2 can't be read"):
        store.job(2)
    assert store.last_id() == 3


def test_a_job_with_a_time_that_is_none_is_no_point_of_the_model(store: Store, edit: Edit) -> None:
    three(store)
    edit(2, {"ended": 1e308})
    assert [point.id for point in store.job_points()] == [1, 3]
    (damage,) = store.damaged()
    assert damage.sentence.startswith("job 2 can't be read: ended is 1e+308, which is not a time; ")


def test_a_damaged_new_job_is_not_claimed_and_a_damaged_pending_one_not_expired(
    store: Store, edit: Edit
) -> None:
    for _ in range(12):
        add(store)
    for job_id in range(1, 12):
        edit(job_id, {"params": "nothing"})
    job = store.claim("a", lease_seconds=60)
    assert job is not None
    assert job.id == 12
    edit(12, {"tasks": "nothing"})
    assert store.expire(store.now() + 100, max_attempts=3) == []
    assert store.claim("a", lease_seconds=60) is None


def test_what_was_set_aside_and_mended_can_be_put_back(store: Store, edit: Edit) -> None:
    three(store)
    good = store.raw(2)
    edit(2, {"point": [2.0, 2.0]})
    bad = store.raw(2)
    store.remove(2)
    assert [job.id for job in store.jobs()] == [1, 3]
    assert store.damaged() == []
    with pytest.raises(DamagedJob):
        store.put_back(bad)
    assert store.last_id() == 3
    store.put_back(good)
    assert [job.id for job in store.jobs()] == [1, 2, 3]
    with pytest.raises(StoreError, match=r"^job 2 is there already$"):
        store.put_back(good)


def test_what_no_column_can_hold_is_not_put_back(store: Store) -> None:
    three(store)
    good = store.raw(2)
    store.remove(2)
    with pytest.raises(DamagedJob, match=r"job 2 can't be read: params"):
        store.put_back(good | {"params": [{"x": 1}]})
    assert [job.id for job in store.jobs()] == [1, 3]


def test_the_id_of_a_removed_job_is_not_given_again(store: Store, place: Place) -> None:
    three(store)
    last = store.raw(3)
    store.remove(3)
    assert store.last_id() == store.tally().last_id == 3
    with closing(open_store_at(place)) as later:
        assert later.last_id() == 3
    draft = JobDraft({}, (0.5,))
    assert store.add(draft, after=2) is None
    job = store.add(draft, after=3)
    assert job is not None
    assert job.id == 4
    store.put_back(last)
    assert [job.id for job in store.jobs()] == [1, 2, 3, 4]


def test_a_store_whose_only_job_was_removed_knows_its_id(store: Store) -> None:
    add(store)
    store.remove(1)
    assert store.last_id() == store.tally().last_id == 1


@pytest.fixture
def renumber(place: Place) -> Callable[[int, Any], None]:
    """Give a job another id behind the store's back."""

    def sqlite(job_id: int, new: Any) -> None:
        with closing(sqlite3.connect(place.sqlite_path)) as connection, connection:
            connection.execute("UPDATE jobs SET id = ? WHERE id = ?", (new, job_id))

    def mongo(job_id: int, new: Any) -> None:
        with pymongo.MongoClient[dict[str, Any]](place.address) as client:
            jobs = client[place.database_name][f"{place.experiment_name}.jobs"]
            document = jobs.find_one_and_delete({"_id": job_id})
            assert document is not None
            jobs.insert_one({**document, "_id": new})

    return sqlite if place.address is None else mongo


@pytest.mark.parametrize("new", [0, -1, 2.5, "7"])
def test_a_job_with_an_id_that_is_none_is_damaged_and_a_run_goes_on(
    store: Store, place: Place, renumber: Callable[[int, Any], None], new: Any
) -> None:
    if place.address is None and not isinstance(new, int):
        pytest.skip("SQLite refuses it")
    run(experiment(place, max_finished_jobs=2), store)
    renumber(1, new)
    assert [job.id for job in store.jobs()] == [point.id for point in store.job_points()] == [2]
    assert [damage.job_id for damage in store.damaged()] == [new]
    run(experiment(place, max_finished_jobs=3), store)
    assert [job.id for job in store.jobs()][:2] == [2, 3]
    store.remove(new)
    assert store.damaged() == []
    store.destroy()


def test_a_backup_has_all_jobs_and_state(store: Store, tmp_path: Path) -> None:
    three(store)
    store.save_meta("seed", 7)
    store.save_chain("main", {"a": [1.5]})
    (tmp_path / "copy").mkdir()
    place = Place(tmp_path / "copy", "copy", None)
    store.backup(place.sqlite_path)
    copy = open_store_at(place)
    assert [(j.id, j.values, j.point) for j in copy.jobs()] == [
        (j.id, j.values, j.point) for j in store.jobs()
    ]
    assert (copy.load_meta("seed"), copy.load_chain("main")) == (7, {"a": [1.5]})
    assert copy.tally().counts == store.tally().counts
    copy.close()


def test_a_run_goes_on_beside_a_job_whose_status_is_none(store: Store, place: Place) -> None:
    if place.address is None:
        pytest.skip("SQLite refuses it")
    run(experiment(place, max_finished_jobs=2), store)
    edit_mongo(place, place.address)(2, {"status": ["complete"]})
    run(experiment(place, max_finished_jobs=3), store)
    assert [job.id for job in store.jobs()][:2] == [1, 3]
    store.destroy()


@pytest.mark.parametrize("chooser", ["random_chooser", "default_chooser"])
def test_a_run_goes_on_with_damaged_and_deleted_jobs_and_says_so(
    store: Store, place: Place, edit: Edit, chooser: str
) -> None:
    keys: dict[str, Any] = {"likelihood": "NOISELESS", "mcmc_iters": 2, "burnin": 2}
    config = experiment(place, max_finished_jobs=4, chooser=chooser, **keys)
    run(config, store)
    edit(1, {"point": [0.5, 0.5, 0.5]})
    edit(2, {"point": [0.5, 7.0]})
    store.remove(3)
    more = experiment(place, max_finished_jobs=6, chooser=chooser, **keys)
    summary, heard = run(more, store)
    assert summary.reason is EndReason.BUDGET
    assert any("job 2 can't be read" in notice.message for notice in heard.of(Notice))
    assert store.tally().counts[JobStatus.COMPLETE] == 6
    store.destroy()
