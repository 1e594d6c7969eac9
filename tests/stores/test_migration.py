"""Stores of earlier versions are brought up to this one when they are opened."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

import pymongo

from spearmint_int.jobs import FailureKind, JobStatus, ProcessInfo
from spearmint_int.stores import SCHEMA_VERSION, Store, StoreAddress, open_store_at
from tests.places import DATABASE, Place

VERSION_1 = Path(__file__).with_name("version1.sql").read_text(encoding="utf-8")


def version_1(place: StoreAddress) -> None:
    with closing(sqlite3.connect(place.sqlite_path)) as connection:
        connection.executescript(VERSION_1)


def check_that_all_is_there_and_goes_on(store: Store) -> None:
    one, two, three = store.jobs()
    assert (one.status, one.values, one.provenance) == (
        JobStatus.COMPLETE,
        {"main": 1.5},
        {"acquisition": "ei"},
    )
    assert one.process == ProcessInfo("node7", 4711, "123")
    assert three.failures[0].kind is FailureKind.EXIT
    assert store.attach(two.claim, ProcessInfo(pid=5))
    assert store.complete(two.claim, {"main": 2.0})
    assert store.load_meta("seed") == 7
    assert store.damaged() == []


def test_a_file_of_version_1_is_brought_up_to_date(tmp_path: Path) -> None:
    place = Place(tmp_path, "old", None)
    version_1(place)
    for _ in range(2):
        store = open_store_at(place)
        version = store._file._version(store._file._open_connection())  # type: ignore[attr-defined]
        assert version == SCHEMA_VERSION
        if store.tally().counts[JobStatus.PENDING]:
            check_that_all_is_there_and_goes_on(store)
        store.close()


def test_documents_of_version_1_are_brought_up_to_date(tmp_path: Path, mongo_uri: str) -> None:
    old = Place(tmp_path, "old", None)
    version_1(old)
    name = f"old-{uuid.uuid4().hex[:8]}"
    with closing(sqlite3.connect(old.sqlite_path)) as connection:
        connection.row_factory = sqlite3.Row
        rows = [dict(row) for row in connection.execute("SELECT * FROM jobs")]
    with pymongo.MongoClient[dict[str, object]](mongo_uri) as client:
        database = client[DATABASE]
        database[f"{name}.jobs"].insert_many([document(row) for row in rows])
        database[f"{name}.meta"].insert_many(
            [{"_id": "schema-version", "value": 1}, {"_id": "seed", "value": 7}]
        )
    place = Place(tmp_path, name, mongo_uri)
    store = open_store_at(place)
    check_that_all_is_there_and_goes_on(store)
    assert store.load_meta("schema-version") == SCHEMA_VERSION
    store.destroy()


def document(row: dict[str, object]) -> dict[str, object]:
    """A row as MongoDB had it."""
    import json

    columns = ("point", "result", "params", "tasks", "process", "failures", "provenance")
    values = {n: json.loads(str(row[n])) if row[n] is not None else None for n in columns}
    return {"_id": row["id"], **{k: v for k, v in row.items() if k != "id"}, **values}
