"""The embedded job store: one SQLite file in the experiment's folder.

Public methods are a few lines around one statement, inside of one transaction.
"""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Any

from spearmint_int.jobs import (
    FINISHED,
    Claim,
    Failure,
    Job,
    JobDraft,
    JobPoint,
    JobStatus,
    ProcessInfo,
    Tally,
    status_after_failure,
)
from spearmint_int.stores import records, sqlite_rows
from spearmint_int.stores.clock import StoreClock, boot_id, uptime
from spearmint_int.stores.protocol import LONGEST_LOCK_SECONDS
from spearmint_int.stores.sqlite_file import SQLiteFile

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from spearmint_int.stores.address import StoreAddress


def open_sqlite(place: StoreAddress, *, create: bool, **_: object) -> SQLiteStore:
    """The store in the experiment's folder."""
    return SQLiteStore(place.sqlite_path, create=create)


class SQLiteStore:
    """A `Store` in one SQLite file; any number of processes of one machine share it."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self._file = SQLiteFile(path, create=create)
        # The time of the boot is kept in the store. Where the system doesn't tell one boot from the
        # next, a kept time could be that of an earlier boot: there the wall clock has to do.
        at_boot = StoreClock(self._clock_at_boot, every=math.inf)
        self._clock = at_boot if boot_id() else StoreClock(time.time)

    @property
    def location(self) -> str:
        return str(self._file.path)

    def now(self) -> float:
        return self._clock.now()

    def _clock_at_boot(self) -> float:
        """The time by the wall clock of the first process since this machine started, however
        that clock was set later."""
        first = self.first_meta(f"clock of boot {boot_id()}", time.time() - uptime())
        return uptime() + float(first)

    # --- jobs come in ---

    def add(
        self, draft: JobDraft, *, limit: int | None = None, after: int | None = None
    ) -> Job | None:
        record = records.new_record(draft, now=self.now())
        with self._file.transaction() as connection:
            if limit is not None and sqlite_rows.counted(connection, draft.resource) >= limit:
                return None
            if after is not None and sqlite_rows.last_id(connection) != after:
                return None
            return sqlite_rows.insert(connection, record)

    def add_complete(self, draft: JobDraft, values: Mapping[str, float]) -> Job:
        return self.add_all_complete([(draft, values)])[0]

    def add_all_complete(
        self, results: Sequence[tuple[JobDraft, Mapping[str, float]]]
    ) -> list[Job]:
        now = self.now()
        rows = [records.complete_record(draft, values, now=now) for draft, values in results]
        with self._file.transaction(checkpoint=True) as connection:
            return [sqlite_rows.insert(connection, row) for row in rows]

    # --- a worker's claim and how it ends ---

    def claim(self, owner: str, *, lease_seconds: float, resource: str | None = None) -> Job | None:
        taken = records.claimed(
            owner, lease_seconds=lease_seconds, resource=resource, now=self.now()
        )
        with self._file.transaction() as connection:
            rows = connection.execute(
                "SELECT * FROM jobs WHERE status = 'new' AND resource = coalesce(?, resource)"
                " ORDER BY id",
                (resource,),
            )
            row = next(filter(sqlite_rows.is_readable, rows), None)
            rows.close()
            if row is None:
                return None
            connection.execute("UPDATE jobs SET attempts = attempts + 1 WHERE id = ?", (row["id"],))
            sqlite_rows.update(connection, row["id"], taken)
            return sqlite_rows.job_with_id(connection, row["id"])

    def renew(self, claim: Claim, *, lease_seconds: float) -> bool:
        expires = self.now() + lease_seconds
        with self._file.transaction() as connection:
            held = sqlite_rows.holds(sqlite_rows.row_of(connection, claim.job_id), claim)
            if held:
                sqlite_rows.update(connection, claim.job_id, {"lease_expires": expires})
            return held

    def attach(
        self,
        claim: Claim,
        process: ProcessInfo,
        *,
        lease_seconds: float | None = None,
        begins: bool = False,
    ) -> bool:
        lease = records.attached(self.now(), lease_seconds=lease_seconds, begins=begins)
        with self._file.transaction(checkpoint=True) as connection:
            row = sqlite_rows.row_of(connection, claim.job_id)
            held = sqlite_rows.holds(row, claim)
            if held:
                known = (sqlite_rows.loads(row["process"]) or {}) | records.process_record(process)
                sqlite_rows.update(connection, claim.job_id, {"process": known} | lease)
            return held

    def complete(
        self, claim: Claim, values: Mapping[str, float], *, seconds_ago: float = 0.0
    ) -> bool:
        finished = records.completed(values, ended=self._clock.moment(seconds_ago))
        with self._file.transaction(checkpoint=True) as connection:
            row = sqlite_rows.row_of(connection, claim.job_id)
            if sqlite_rows.may_complete(row, claim):
                sqlite_rows.settle(connection, claim, "complete", finished)
                return True
            return bool(row["settled"] == f"complete {claim.token}")

    def fail(
        self, claim: Claim, failure: Failure, *, max_attempts: int, seconds_ago: float = 0.0
    ) -> JobStatus | None:
        status = status_after_failure(claim.attempts, max_attempts)
        ended = self._clock.moment(seconds_ago)
        with self._file.transaction() as connection:
            row = sqlite_rows.row_of(connection, claim.job_id)
            if sqlite_rows.holds(row, claim):
                changes = sqlite_rows.failed(row, failure, status, ended)
                sqlite_rows.settle(connection, claim, "fail", changes)
                return status
            return status if row["settled"] == f"fail {claim.token}" else None

    def release(self, claim: Claim, *, failure: Failure | None = None) -> bool:
        now = self.now()
        with self._file.transaction() as connection:
            row = sqlite_rows.row_of(connection, claim.job_id)
            if sqlite_rows.holds(row, claim):
                back = {"status": JobStatus.NEW.value, "attempts": row["attempts"] - 1}
                if failure is not None:
                    back |= sqlite_rows.failed(row, failure, JobStatus.NEW, now)
                sqlite_rows.settle(connection, claim, "release", back)
                return True
            return bool(row["settled"] == f"release {claim.token}")

    def expire(self, now: float, *, max_attempts: int) -> list[Job]:
        with self._file.transaction() as connection:
            lost = connection.execute(
                "SELECT * FROM jobs WHERE status = 'pending' AND lease_expires < ? ORDER BY id",
                (now,),
            ).fetchall()
            lost = list(filter(sqlite_rows.is_readable, lost))
            for row in lost:
                status = status_after_failure(row["attempts"], max_attempts)
                failure = records.lost_worker(sqlite_rows.job_of(row))
                changes = sqlite_rows.failed(row, failure, status, now)
                lease = {"lease_owner": None, "lease_expires": None}
                sqlite_rows.update(connection, row["id"], changes | lease)
            return [sqlite_rows.job_of(row) for row in lost]

    def retry(self, job_id: int) -> Job:
        with self._file.transaction() as connection:
            status = sqlite_rows.row_of(connection, job_id)["status"]
            if status != JobStatus.BROKEN.value:
                raise records.not_broken(job_id, status)
            sqlite_rows.update(connection, job_id, records.retried())
            return sqlite_rows.job_with_id(connection, job_id)

    # --- reading ---

    def job(self, job_id: int) -> Job:
        with self._file.reading() as connection:
            return sqlite_rows.job_with_id(connection, job_id)

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
            return records.readable(sqlite_rows.job_of, rows)

    def job_points(self, statuses: Collection[JobStatus] = FINISHED) -> list[JobPoint]:
        names = [status.value for status in statuses]
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT id, status, point, result, started, ended,"
                " CASE status WHEN 'broken' THEN failures ELSE '[]' END AS failures FROM jobs"
                f" WHERE status IN ({sqlite_rows.marks(names)}) ORDER BY id",
                names,
            ).fetchall()
        return records.readable(sqlite_rows.job_point_of, rows)

    def tally(self, resources: Collection[str] = ()) -> Tally:
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT resource, source, status, count(*),"
                f" max(max(id), coalesce(({sqlite_rows.REMOVED_ID}), 0)) FROM jobs GROUP BY 1, 2, 3"
            ).fetchall()
            removed = 0 if rows else sqlite_rows.last_id(connection)
        last_id = max((row[4] for row in rows), default=removed)
        return records.tally_of([tuple(row)[:4] for row in rows], resources, last_id=last_id)

    def last_id(self) -> int:
        with self._file.reading() as connection:
            return sqlite_rows.last_id(connection)

    # --- repair and backup ---

    def damaged(self) -> list[records.Damage]:
        with self._file.reading() as connection:
            rows = connection.execute("SELECT * FROM jobs ORDER BY id").fetchall()
        return [damage for row in rows if (damage := sqlite_rows.damage_of(row)) is not None]

    def raw(self, job_id: int) -> dict[str, Any]:
        with self._file.reading() as connection:
            row = dict(sqlite_rows.row_of(connection, job_id))
        return {
            name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()
        }

    def remove(self, job_id: int) -> None:
        with self._file.transaction() as connection:
            sqlite_rows.remove(connection, job_id)

    def put_back(self, raw: Mapping[str, Any]) -> None:
        job_id = raw.get("id")
        with self._file.transaction(checkpoint=True) as connection, records.reading(job_id):
            sqlite_rows.put_back(connection, raw)

    def backup(self, path: Path) -> None:
        self._file.backup(path)

    def put_record(self, job_id: int, record: Mapping[str, Any]) -> None:
        """Store a record of another store as it is, for its backup."""
        row = sqlite_rows.columns(record)
        with self._file.transaction() as connection:
            connection.execute(
                f"INSERT INTO jobs (id, {', '.join(row)}) VALUES (?, {sqlite_rows.marks(row)})",
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
                (name, sqlite_rows.dumps(records.plain(value, name))),
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
                (name, sqlite_rows.dumps(records.plain(value, name))),
            )

    def _load(self, table: str, name: str) -> Any | None:
        with self._file.reading() as connection:
            query = f"SELECT value FROM {table} WHERE name = ?"
            row = connection.execute(query, (name,)).fetchone()
            return None if row is None else json.loads(row["value"])


def _holder(connection: sqlite3.Connection, name: str, now: float) -> str | None:
    row = connection.execute(
        "SELECT owner FROM locks WHERE name = ? AND expires > ? AND expires <= ?",
        (name, now, now + LONGEST_LOCK_SECONDS),
    ).fetchone()
    return None if row is None else str(row["owner"])
