"""Jobs as rows of SQLite, and the statements that read and change them inside of a transaction."""

from __future__ import annotations

import json
from types import NoneType
from typing import TYPE_CHECKING, Any

from spearmint_int.errors import DamagedJob
from spearmint_int.jobs import (
    COUNTED_SOURCES,
    Claim,
    Failure,
    Job,
    JobPoint,
    JobStatus,
)
from spearmint_int.stores import records

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

# The highest id there was when a job was removed; null before that.
REMOVED_ID = f"SELECT CAST(value AS INTEGER) FROM meta WHERE name = '{records.REMOVED}'"
CELL = (str, int, float, NoneType)  # what SQLite can hold
JSON_COLUMNS = ("point", "result", "params", "tasks", "process", "failures", "provenance")


def dumps(value: Any) -> str:
    # Text as it is, not as \u escapes: people read these columns.
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def loads(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def columns(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: dumps(value) if name in JSON_COLUMNS and value is not None else value
        for name, value in record.items()
    }


def insert(connection: sqlite3.Connection, record: Mapping[str, Any]) -> Job:
    row = columns(record)
    job_id = last_id(connection) + 1
    connection.execute(
        f"INSERT INTO jobs (id, {', '.join(row)}) VALUES (?, {marks(row)})",
        (job_id, *row.values()),
    )
    return records.job_from_record(job_id, record)


def last_id(connection: sqlite3.Connection) -> int:
    row = connection.execute(f"SELECT max(id), ({REMOVED_ID}) FROM jobs").fetchone()
    return max(int(number or 0) for number in row)


def remove(connection: sqlite3.Connection, job_id: int) -> None:
    """Delete the row; its id is not given again."""
    highest = last_id(connection)
    connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))
    keep = "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)"
    connection.execute(keep, (records.REMOVED, dumps(highest)))


def put_back(connection: sqlite3.Connection, raw: Mapping[str, Any]) -> None:
    """Insert a row as it was, or as somebody has mended it; it must be one that can be read."""
    names = [row["name"] for row in connection.execute("PRAGMA table_info(jobs)")]
    values = [_cell(name, raw[name]) for name in names]
    if connection.execute("SELECT 1 FROM jobs WHERE id = ?", (raw["id"],)).fetchone():
        raise records.already_there(raw["id"])
    connection.execute(f"INSERT INTO jobs ({', '.join(names)}) VALUES ({marks(names)})", values)
    job_with_id(connection, raw["id"])


def _cell(name: str, value: Any) -> Any:
    if not isinstance(value, CELL):
        raise ValueError(f"{name} must be a text, a number or null, got {str(value)[:60]}")
    return value


def update(connection: sqlite3.Connection, job_id: int, changes: Mapping[str, Any]) -> None:
    row = columns(changes)
    assignments = ", ".join(f"{name} = ?" for name in row)
    connection.execute(f"UPDATE jobs SET {assignments} WHERE id = ?", (*row.values(), job_id))


def settle(
    connection: sqlite3.Connection, claim: Claim, outcome: str, changes: records.Record
) -> None:
    """End the job's claim; by the mark in `settled` a repeated call is recognised."""
    update(connection, claim.job_id, changes | records.settled(claim, outcome))


def failed(row: sqlite3.Row, failure: Failure, status: JobStatus, now: float) -> dict[str, Any]:
    return {
        "status": status.value,
        "failures": [*json.loads(row["failures"]), records.failure_record(failure)],
        "ended": now if status is JobStatus.BROKEN else None,
    }


def row_of(connection: sqlite3.Connection, job_id: int) -> sqlite3.Row:
    wanted = (records.possible_id(job_id),)
    row = connection.execute("SELECT * FROM jobs WHERE id = ?", wanted).fetchone()
    if row is None:
        raise records.no_such_job(job_id)
    found: sqlite3.Row = row
    return found


def job_with_id(connection: sqlite3.Connection, job_id: int) -> Job:
    return job_of(row_of(connection, job_id))


def job_of(row: sqlite3.Row) -> Job:
    with records.reading(row["id"]):
        record = {
            name: loads(value) if name in JSON_COLUMNS else value
            for name, value in dict(row).items()
        }
    return records.job_from_record(row["id"], record)


def job_point_of(row: sqlite3.Row) -> JobPoint:
    status = JobStatus(row["status"])
    return JobPoint(
        records.checked_id(row["id"]),
        status,
        records.checked_point(json.loads(row["point"])),
        records.result_from_record(loads(row["result"])),
        records.seconds_of(row["started"], row["ended"]),
        records.is_void_record(status, json.loads(row["failures"])),
    )


def damage_of(row: sqlite3.Row) -> records.Damage | None:
    try:
        job_of(row)
    except DamagedJob as error:
        return records.Damage.of(row["id"], error, dict(row))
    return None


def is_readable(row: sqlite3.Row) -> bool:
    return damage_of(row) is None


def holds(row: sqlite3.Row, claim: Claim) -> bool:
    return bool(row["status"] == JobStatus.PENDING.value and row["token"] == claim.token)


def may_complete(row: sqlite3.Row, claim: Claim) -> bool:
    # `expire` leaves the token: a late result counts until the next claim takes the job over.
    return bool(row["token"] == claim.token)


def counted(connection: sqlite3.Connection, resource: str) -> int:
    query = f"SELECT count(*) FROM jobs WHERE resource = ? AND source IN ({marks(COUNTED_SOURCES)})"
    return int(connection.execute(query, (resource, *COUNTED_SOURCES)).fetchone()[0])
