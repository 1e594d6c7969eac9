"""The embedded job store: one SQLite file in the experiment's folder.

Public methods are a few lines around one statement, inside of one transaction.
"""

from __future__ import annotations

import json
import math
import time
import uuid
from typing import TYPE_CHECKING, Any

from spearmint_int.errors import DamagedJob, JobNotFound, StoreError
from spearmint_int.jobs import (
    COUNTED_SOURCES,
    FINISHED,
    Claim,
    Failure,
    Job,
    JobDraft,
    JobPoint,
    JobStatus,
    ProcessInfo,
    Tally,
    seconds_between,
    status_after_failure,
)
from spearmint_int.stores import records
from spearmint_int.stores.clock import StoreClock, boot_id, uptime
from spearmint_int.stores.protocol import LONGEST_LOCK_SECONDS
from spearmint_int.stores.sqlite_file import SQLiteFile

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from spearmint_int.stores.address import StoreAddress

JSON_COLUMNS = ("point", "result", "params", "tasks", "process", "failures", "provenance")


def open_sqlite(place: StoreAddress, *, create: bool, **_: object) -> SQLiteStore:
    """The store in the experiment's folder."""
    return SQLiteStore(place.sqlite_path, create=create)


class SQLiteStore:
    """A `Store` in one SQLite file; any number of processes of one machine share it."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self._file = SQLiteFile(path, create=create)
        self._clock = StoreClock(self._clock_at_boot, every=math.inf)

    @property
    def location(self) -> str:
        return str(self._file.path)

    def now(self) -> float:
        return self._clock.now()

    def _clock_at_boot(self) -> float:
        """The wall clock of whoever was first since this machine started, and the time since."""
        first = self.first_meta(f"clock of boot {boot_id()}", time.time() - uptime())
        return uptime() + float(first)

    # --- jobs come in ---

    def add(
        self, draft: JobDraft, *, limit: int | None = None, after: int | None = None
    ) -> Job | None:
        record = records.new_record(draft, now=self.now())
        with self._file.transaction() as connection:
            if limit is not None and _counted(connection, draft.resource) >= limit:
                return None
            if after is not None and _last_id(connection) != after:
                return None
            return _insert(connection, record)

    def add_complete(self, draft: JobDraft, values: Mapping[str, float]) -> Job:
        return self.add_all_complete([(draft, values)])[0]

    def add_all_complete(
        self, results: Sequence[tuple[JobDraft, Mapping[str, float]]]
    ) -> list[Job]:
        now = self.now()
        rows = [records.complete_record(draft, values, now=now) for draft, values in results]
        with self._file.transaction(checkpoint=True) as connection:
            return [_insert(connection, row) for row in rows]

    # --- a worker's claim and how it ends ---

    def claim(self, owner: str, *, lease_seconds: float, resource: str | None = None) -> Job | None:
        now = self.now()
        taken = {
            "status": JobStatus.PENDING.value,
            "lease_owner": owner,
            "lease_expires": now + lease_seconds,
            "token": uuid.uuid4().hex,
            "started": now,
            "ended": None,
            "process": {},
        }
        with self._file.transaction() as connection:
            rows = connection.execute(
                "SELECT * FROM jobs WHERE status = 'new' AND resource = coalesce(?, resource)"
                " ORDER BY id",
                (resource,),
            )
            row = next(filter(_is_readable, rows), None)
            rows.close()
            if row is None:
                return None
            connection.execute("UPDATE jobs SET attempts = attempts + 1 WHERE id = ?", (row["id"],))
            _update(connection, row["id"], taken)
            return _select(connection, row["id"])

    def renew(self, claim: Claim, *, lease_seconds: float) -> bool:
        expires = self.now() + lease_seconds
        with self._file.transaction() as connection:
            held = _holds(_row(connection, claim.job_id), claim)
            if held:
                _update(connection, claim.job_id, {"lease_expires": expires})
            return held

    def attach(
        self, claim: Claim, process: ProcessInfo, *, lease_seconds: float | None = None
    ) -> bool:
        lease = {} if lease_seconds is None else {"lease_expires": self.now() + lease_seconds}
        with self._file.transaction(checkpoint=True) as connection:
            row = _row(connection, claim.job_id)
            held = _holds(row, claim)
            if held:
                known = (_loads(row["process"]) or {}) | records.process_record(process)
                _update(connection, claim.job_id, {"process": known} | lease)
            return held

    def complete(
        self, claim: Claim, values: Mapping[str, float], *, seconds_ago: float = 0.0
    ) -> bool:
        finished = {
            "status": JobStatus.COMPLETE.value,
            "result": records.result_record(values),
            "ended": self.now() - seconds_ago,
        }
        with self._file.transaction(checkpoint=True) as connection:
            row = _row(connection, claim.job_id)
            if _may_complete(row, claim):
                _settle(connection, claim, "complete", finished)
                return True
            return bool(row["settled"] == f"complete {claim.token}")

    def fail(self, claim: Claim, failure: Failure, *, max_attempts: int) -> JobStatus | None:
        status, now = status_after_failure(claim.attempts, max_attempts), self.now()
        with self._file.transaction() as connection:
            row = _row(connection, claim.job_id)
            if _holds(row, claim):
                _settle(connection, claim, "fail", _failed(row, failure, status, now))
                return status
            return status if row["settled"] == f"fail {claim.token}" else None

    def release(self, claim: Claim, *, failure: Failure | None = None) -> bool:
        now = self.now()
        with self._file.transaction() as connection:
            row = _row(connection, claim.job_id)
            if _holds(row, claim):
                back = {"status": JobStatus.NEW.value, "attempts": row["attempts"] - 1}
                if failure is not None:
                    back |= _failed(row, failure, JobStatus.NEW, now)
                _settle(connection, claim, "release", back)
                return True
            return bool(row["settled"] == f"release {claim.token}")

    def expire(self, now: float, *, max_attempts: int) -> list[Job]:
        with self._file.transaction() as connection:
            lost = connection.execute(
                "SELECT * FROM jobs WHERE status = 'pending' AND lease_expires < ? ORDER BY id",
                (now,),
            ).fetchall()
            lost = list(filter(_is_readable, lost))
            for row in lost:
                status = status_after_failure(row["attempts"], max_attempts)
                failure = records.lost_worker(_job(row))
                lease = {"lease_owner": None, "lease_expires": None}
                _update(connection, row["id"], _failed(row, failure, status, now) | lease)
            return [_job(row) for row in lost]

    def retry(self, job_id: int) -> Job:
        anew = {"status": JobStatus.NEW.value, "attempts": 0, "started": None, "ended": None}
        with self._file.transaction() as connection:
            status = _row(connection, job_id)["status"]
            if status != JobStatus.BROKEN.value:
                raise StoreError(f"job {job_id} is {status}: only a broken job can be retried")
            _update(connection, job_id, anew | {"token": None})
            return _select(connection, job_id)

    # --- reading ---

    def job(self, job_id: int) -> Job:
        with self._file.reading() as connection:
            return _select(connection, job_id)

    def jobs(
        self, status: JobStatus | None = None, *, after_id: int = 0, limit: int | None = None
    ) -> list[Job]:
        where = "id > ?" if status is None else "id > ? AND status = ?"
        arguments = (after_id,) if status is None else (after_id, status.value)
        with self._file.reading() as connection:
            rows = connection.execute(
                f"SELECT * FROM jobs WHERE {where} ORDER BY id LIMIT ?",
                (*arguments, -1 if limit is None else limit),
            )
            return records.readable(_job, rows)

    def job_points(self, statuses: Collection[JobStatus] = FINISHED) -> list[JobPoint]:
        names = [status.value for status in statuses]
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT id, status, point, result, started, ended FROM jobs"
                f" WHERE status IN ({_marks(names)}) ORDER BY id",
                names,
            ).fetchall()
        return records.readable(_job_point, rows)

    def tally(self, resources: Collection[str] = ()) -> Tally:
        with self._file.reading() as connection:
            rows = connection.execute(
                f"SELECT CASE WHEN resource IN ({_marks(resources)}) THEN resource END,"
                f" source IN ({_marks(COUNTED_SOURCES)}), status, count(*), max(id)"
                " FROM jobs GROUP BY 1, 2, 3",
                (*resources, *COUNTED_SOURCES),
            ).fetchall()
        last_id = max((row[4] for row in rows), default=0)
        return records.tally_of([tuple(row)[:4] for row in rows], resources, last_id=last_id)

    def last_id(self) -> int:
        with self._file.reading() as connection:
            return _last_id(connection)

    # --- repair and backup ---

    def damaged(self) -> list[records.Damage]:
        with self._file.reading() as connection:
            rows = connection.execute("SELECT * FROM jobs ORDER BY id").fetchall()
        return [damage for row in rows if (damage := _damage(row)) is not None]

    def raw(self, job_id: int) -> dict[str, Any]:
        with self._file.reading() as connection:
            row = dict(_row(connection, job_id))
        return {
            name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()
        }

    def remove(self, job_id: int) -> None:
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))

    def put_back(self, raw: Mapping[str, Any]) -> None:
        with self._file.transaction(checkpoint=True) as connection:
            names = [row["name"] for row in connection.execute("PRAGMA table_info(jobs)")]
            with records.reading(raw.get("id")):
                values = [raw[name] for name in names]
            connection.execute(
                f"INSERT INTO jobs ({', '.join(names)}) VALUES ({_marks(names)})", values
            )
            _select(connection, raw["id"])

    def backup(self, path: Path) -> None:
        self._file.backup(path)

    def put_record(self, job_id: int, record: Mapping[str, Any]) -> None:
        """Store a record of another store as it is, for its backup."""
        row = _columns(record)
        with self._file.transaction() as connection:
            connection.execute(
                f"INSERT INTO jobs (id, {', '.join(row)}) VALUES (?, {_marks(row)})",
                (job_id, *row.values()),
            )

    # --- the experiment's other state ---

    def save_chain(self, name: str, chain: Mapping[str, Any]) -> None:
        self._save("chains", name, dict(chain))

    def load_chain(self, name: str) -> dict[str, Any] | None:
        chain: dict[str, Any] | None = self._load("chains", name)
        return chain

    def save_meta(self, name: str, value: Any) -> None:
        self._save("meta", name, value)

    def first_meta(self, name: str, value: Any) -> Any:
        with self._file.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)",
                (name, _dumps(records.plain(value, name))),
            )
        return self.load_meta(name)

    def load_meta(self, name: str) -> Any | None:
        return self._load("meta", name)

    def lock(self, name: str, owner: str, *, seconds: float) -> bool:
        now = self.now()
        with self._file.transaction() as connection:
            if _holder(connection, name, now) not in (None, owner):
                return False
            connection.execute(
                "INSERT OR REPLACE INTO locks (name, owner, expires) VALUES (?, ?, ?)",
                (name, owner, now + seconds),
            )
            return True

    def unlock(self, name: str, owner: str) -> None:
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM locks WHERE name = ? AND owner = ?", (name, owner))

    def lock_holder(self, name: str) -> str | None:
        now = self.now()
        with self._file.reading() as connection:
            return _holder(connection, name, now)

    def close(self) -> None:
        self._file.close()

    def destroy(self) -> None:
        self._file.delete()

    def _save(self, table: str, name: str, value: Any) -> None:
        with self._file.transaction() as connection:
            connection.execute(
                f"INSERT OR REPLACE INTO {table} (name, value) VALUES (?, ?)",
                (name, _dumps(records.plain(value, name))),
            )

    def _load(self, table: str, name: str) -> Any | None:
        with self._file.reading() as connection:
            query = f"SELECT value FROM {table} WHERE name = ?"
            row = connection.execute(query, (name,)).fetchone()
            return None if row is None else json.loads(row["value"])


# --- rows and columns ---


def _dumps(value: Any) -> str:
    # Text as it is, not as \u escapes: people read these columns.
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _loads(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def _columns(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _dumps(value) if name in JSON_COLUMNS and value is not None else value
        for name, value in record.items()
    }


def _insert(connection: sqlite3.Connection, record: Mapping[str, Any]) -> Job:
    row = _columns(record)
    job_id = _last_id(connection) + 1
    connection.execute(
        f"INSERT INTO jobs (id, {', '.join(row)}) VALUES (?, {_marks(row)})",
        (job_id, *row.values()),
    )
    return records.job_from_record(job_id, record)


def _last_id(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM jobs").fetchone()[0])


def _update(connection: sqlite3.Connection, job_id: int, changes: Mapping[str, Any]) -> None:
    row = _columns(changes)
    assignments = ", ".join(f"{name} = ?" for name in row)
    connection.execute(f"UPDATE jobs SET {assignments} WHERE id = ?", (*row.values(), job_id))


def _settle(
    connection: sqlite3.Connection, claim: Claim, outcome: str, changes: Mapping[str, Any]
) -> None:
    """End the job's claim; `settled` lets the same call be recognised when it is repeated."""
    ended = {"token": None, "lease_owner": None, "lease_expires": None}
    _update(connection, claim.job_id, {**changes, **ended, "settled": f"{outcome} {claim.token}"})


def _failed(row: sqlite3.Row, failure: Failure, status: JobStatus, now: float) -> dict[str, Any]:
    return {
        "status": status.value,
        "failures": [*json.loads(row["failures"]), records.failure_record(failure)],
        "ended": now if status is JobStatus.BROKEN else None,
    }


def _row(connection: sqlite3.Connection, job_id: int) -> sqlite3.Row:
    row = connection.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone()
    if row is None:
        raise JobNotFound(f"there is no job {job_id}; `spearmint-int jobs` lists them")
    found: sqlite3.Row = row
    return found


def _select(connection: sqlite3.Connection, job_id: int) -> Job:
    return _job(_row(connection, job_id))


def _job(row: sqlite3.Row) -> Job:
    with records.reading(row["id"]):
        record = {
            name: _loads(value) if name in JSON_COLUMNS else value
            for name, value in dict(row).items()
        }
    return records.job_from_record(row["id"], record)


def _job_point(row: sqlite3.Row) -> JobPoint:
    return JobPoint(
        row["id"],
        JobStatus(row["status"]),
        records.checked_point(json.loads(row["point"])),
        records.result_from_record(_loads(row["result"])),
        seconds_between(row["started"], row["ended"]),
    )


def _damage(row: sqlite3.Row) -> records.Damage | None:
    try:
        _job(row)
    except DamagedJob as error:
        return records.Damage(row["id"], str(error))
    return None


def _is_readable(row: sqlite3.Row) -> bool:
    return _damage(row) is None


def _holds(row: sqlite3.Row, claim: Claim) -> bool:
    return bool(row["status"] == JobStatus.PENDING.value and row["token"] == claim.token)


def _may_complete(row: sqlite3.Row, claim: Claim) -> bool:
    # `expire` leaves the token: a late result counts until the next claim takes the job over.
    return bool(row["token"] == claim.token)


def _counted(connection: sqlite3.Connection, resource: str) -> int:
    query = (
        f"SELECT count(*) FROM jobs WHERE resource = ? AND source IN ({_marks(COUNTED_SOURCES)})"
    )
    return int(connection.execute(query, (resource, *COUNTED_SOURCES)).fetchone()[0])


def _holder(connection: sqlite3.Connection, name: str, now: float) -> str | None:
    row = connection.execute(
        "SELECT owner FROM locks WHERE name = ? AND expires > ? AND expires <= ?",
        (name, now, now + LONGEST_LOCK_SECONDS),
    ).fetchone()
    return None if row is None else str(row["owner"])
