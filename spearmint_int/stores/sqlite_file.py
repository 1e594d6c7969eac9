"""One SQLite file: opening it, its schema and version, transactions, and what its faults mean."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from spearmint_int.errors import StoreError, StoreMissing, StoreUnavailable, StoreVersionError
from spearmint_int.stores.protocol import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

# How long a writer waits for the others; a transaction of ours takes milliseconds.
BUSY_SECONDS = 30.0

# Marks the file as ours (`PRAGMA application_id`): "SpIn" in ASCII.
APPLICATION_ID = 0x5370496E

# The log is moved into the main file after so many pages of 4 kB: some twenty changes.
CHECKPOINT_PAGES = 100
# Such a checkpoint is incomplete while somebody reads, and is then tried again.
CHECKPOINT_TRIES = 10
CHECKPOINT_WAIT_SECONDS = 0.005
WAL_LOOKS = 10

# The statements that migrate a file from each version to the next one.
MIGRATIONS: dict[int, tuple[str, ...]] = {
    # 1 → 2: a pending job has an object for its process, which manager and worker fill in.
    1: ("UPDATE jobs SET process = '{}' WHERE process IS NULL AND status = 'pending'",),
}

# The columns that the model reads come first: SQLite then leaves the pages of the heavy ones alone.
SCHEMA = """
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('new', 'pending', 'complete', 'broken')),
    point TEXT NOT NULL,          -- JSON: [number, ...]
    result TEXT,                  -- JSON: {task: number or null}
    params TEXT NOT NULL,         -- JSON: {variable: value}
    source TEXT NOT NULL,
    resource TEXT NOT NULL,
    tasks TEXT NOT NULL,          -- JSON: [task, ...]
    attempts INTEGER NOT NULL,
    created REAL NOT NULL,        -- times: UTC seconds since 1970
    started REAL,
    ended REAL,
    lease_owner TEXT,
    lease_expires REAL,
    token TEXT,                   -- the claim that may change the job
    settled TEXT,                 -- how the last claim ended, and its token
    process TEXT,                 -- JSON: {host, pid, born, proc_id}
    failures TEXT NOT NULL,       -- JSON: [{kind, message, exit_status, stderr_tail}, ...]
    provenance TEXT NOT NULL      -- JSON: what the chooser knew
);
CREATE INDEX jobs_by_status ON jobs (status, id);
CREATE INDEX jobs_by_budget ON jobs (resource, source, status);
CREATE TABLE chains (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE locks (name TEXT PRIMARY KEY, owner TEXT NOT NULL, expires REAL NOT NULL);
"""

# The beginning of a message of SQLite → what it means and what to do.
FULL, NOT_OPENED, IO_ERROR = "database or disk is full", "unable to open", "disk I/O error"
NO_ROOM = (FULL, NOT_OPENED, IO_ERROR)  # what a full disk may cause
FAULTS = {
    FULL: "the disk is full: free some space",
    "attempt to write a readonly": "it can't be written: check the permissions of file and folder",
    NOT_OPENED: (
        "it can't be opened: check that the folder exists and is writable, and the disk not full"
    ),
    "file is not a database": "it is not an SQLite database: move it away and start anew",
    "database disk image is malformed": (
        "it is damaged: restore a copy, or save what is readable with `sqlite3 FILE .recover`"
    ),
    IO_ERROR: "the disk is full, or fails, or a quota is used up: free some space, or check it",
    "no such table": "it is not a job store: move it away and start anew",
}


class SQLiteFile:
    """A connection to one file, with transactions that several threads may share."""

    def __init__(self, path: Path, *, create: bool) -> None:
        self.path = path
        self._mutex = threading.RLock()
        if not create and not path.exists():
            raise StoreMissing(f"{path}: there are no jobs yet; `spearmint-int run` makes some")
        self._wal_inode: int | None = None
        self._check_wal()
        self._may_copy, self._is_copy = not create, False
        self._read_only = not create and not os.access(path.parent, os.W_OK)
        self._connection: sqlite3.Connection | None = None
        with self._faults():
            self._open()
            self._inode = os.stat(path).st_ino

    @contextmanager
    def transaction(self, *, checkpoint: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it happens or nothing, with no other writer in between.

        With `checkpoint` the log is moved into the main file at its end.
        """
        with self._mutex, self._faults():
            connection = self._open_connection()
            if self._is_copy:
                raise StoreUnavailable(f"{self.path}: {FAULTS[FULL]}")
            self._check_still_there()
            with _all_or_nothing(connection):
                yield connection
            if checkpoint and self._has_room():
                _checkpoint(connection)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection for single SELECTs: each is a snapshot by itself, and waits for no
        writer."""
        with self._mutex, self._faults():
            yield self._open_connection()

    def close(self) -> None:
        """Close the connection; a second time does nothing."""
        with self._mutex:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def delete(self) -> None:
        """Close, and remove the file with its companions."""
        self.close()
        with self._faults():
            for suffix in ("", "-wal", "-shm", "-journal"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _open(self) -> None:
        connect = self._connect_read_only if self._read_only else self._connect
        try:
            self._use(connect())
        except sqlite3.OperationalError as error:
            if not self._may_copy or not str(error).startswith(NO_ROOM):
                raise
            self._use_copy(error)

    def _use(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        try:
            self._prepare(connection)
        except BaseException:
            self.close()
            raise

    def _use_copy(self, error: sqlite3.Error) -> None:
        """Read from a copy in memory, where the disk has no room for the files of the log. Copying
        keeps others out for a moment; the copy is made anew for each look."""
        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        copy.row_factory = sqlite3.Row
        try:
            self._copy_to(copy)
        except sqlite3.Error:
            copy.close()
            raise error from None
        self._is_copy = True
        self._use(copy)

    def _copy_to(self, copy: sqlite3.Connection) -> None:
        try:
            with closing(self._connect()) as connection:
                # SQLite then keeps the index of the log, the -shm file, in memory.
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.backup(copy)
                # The first try has left it, and it would be taken for the trace of a deleted log.
                Path(f"{self.path}-shm").unlink(missing_ok=True)
        except sqlite3.OperationalError:
            if Path(f"{self.path}-wal").exists():
                raise
            with closing(self._connect_read_only()) as connection:
                connection.backup(copy)

    def _connect(self, uri: str | None = None) -> sqlite3.Connection:
        connection = sqlite3.connect(
            uri or os.path.join(os.curdir, self.path),  # a folder may be called file:…
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        connection.row_factory = sqlite3.Row
        return connection

    def _connect_read_only(self) -> sqlite3.Connection:
        """A connection for a folder that can't be written, where SQLite can't make the files of its
        log."""
        uri = self.path.resolve().as_uri()
        connection = self._connect(f"{uri}?mode=ro")
        try:
            self._version(connection)
        except sqlite3.OperationalError:  # the log is not there: then nobody writes either
            connection.close()
            return self._connect(f"{uri}?immutable=1")
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if self._version(connection) == 0:
            # Refused on some network file systems; the rollback journal then serves as well.
            connection.execute("PRAGMA journal_mode = WAL")
        # On disk at every commit: NORMAL could lose the last results in a power cut.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        if self._version(connection) == 0:
            self._create_schema(connection)
        if 0 < self._version(connection) < SCHEMA_VERSION:
            if self._read_only or self._is_copy:
                return  # an older version can be read as it is
            self._migrate(connection)
        if (version := self._version(connection)) != SCHEMA_VERSION:
            raise StoreVersionError(
                f"{self.path}: has schema version {version}, this program needs {SCHEMA_VERSION}; "
                "use the version of spearmint-int that wrote it, or move the file away"
            )

    def _create_schema(self, connection: sqlite3.Connection) -> None:
        with _all_or_nothing(connection):
            # Looked at again inside: two managers may start at the same moment.
            if self._version(connection) != 0:
                return
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise StoreError(
                    f"{self.path}: belongs to another program; move it away and start anew"
                )
            for statement in SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Bring the file up to the present version, one version after another."""
        with _all_or_nothing(connection):
            for version in range(self._version(connection), SCHEMA_VERSION):
                for statement in MIGRATIONS[version]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version + 1}")

    def backup(self, path: Path) -> None:
        """Copy everything as it is now to a new file; others go on writing meanwhile."""
        where = f"{path}, the copy of {self.path}"
        with self._mutex, self._faults(where), closing(sqlite3.connect(path)) as target:
            self._open_connection().backup(target)

    def _has_room(self) -> bool:
        """Whether the disk has room for a checkpoint: on a full one half of the log might be moved,
        and the main file would need the other half to be sound."""
        try:
            disk, size = os.statvfs(self.path.parent), os.stat(self.path).st_size
        except FileNotFoundError:  # the folder was moved, with what was just written
            return False
        return disk.f_bavail * disk.f_frsize > size

    def _check_wal(self) -> None:
        """Raise StoreError for a -shm without its -wal: a crash leaves both behind, and without the
        -wal the last changes may be gone."""
        wal, index = Path(f"{self.path}-wal"), Path(f"{self.path}-shm")
        for _ in range(WAL_LOOKS):  # a process that ends removes one after the other
            if wal.exists() or not index.exists():
                return
            time.sleep(0.05)
        raise StoreError(
            f"{wal}: was deleted, and perhaps the last change with it; put it back, or, as soon as "
            f"nothing works on the experiment any more, delete {index.name} to go on without it"
        )

    @staticmethod
    def _version(connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(f"{self.path}: the store is closed")
        if self._is_copy:  # others may have written since, or there is room again
            self._connection.close()
            self._is_copy = False
            self._open()
        return self._connection

    def _check_still_there(self) -> None:
        # Writing to a deleted file succeeds in silence, and the results are gone.
        try:
            inode = os.stat(self.path).st_ino
        except FileNotFoundError:
            inode = None
        if inode != self._inode:
            raise StoreError(
                f"{self.path}: was deleted, moved or replaced while in use; start again"
            )
        try:
            wal_inode = os.stat(f"{self.path}-wal").st_ino
        except FileNotFoundError:
            wal_inode = None
        if self._wal_inode is not None and wal_inode != self._wal_inode:
            raise StoreError(f"{self.path}-wal: was deleted while in use; start again")
        self._wal_inode = wal_inode

    @contextmanager
    def _faults(self, where: str | None = None) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _explained(error, where or str(self.path)) from error
        except OSError as error:
            if isinstance(error, StoreError):  # StoreUnavailable is a ConnectionError too
                raise
            raise StoreError(f"{self.path}: {error.strerror or error}") from error


@contextmanager
def _all_or_nothing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction, with no other writer in between: committed, or rolled back on any error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite ends it by itself after some faults
            connection.execute("ROLLBACK")
        raise


def _explained(error: sqlite3.Error, where: str) -> StoreError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return StoreUnavailable(
            f"{where}: another process kept it locked for {BUSY_SECONDS:g} s; "
            "end that process, or wait, and run the command again"
        )
    for beginning, remedy in FAULTS.items():
        if text.startswith(beginning):
            kind = StoreUnavailable if _may_pass(error) else StoreError
            return kind(f"{where}: {remedy}")
    return StoreError(f"{where}: SQLite failed: {text}")


def _may_pass(error: sqlite3.Error) -> bool:
    """Whether only room on the disk is missing, for which a run waits as for a server. Where a
    quota is used up, SQLite says that it can't write."""
    can_not_write = getattr(error, "sqlite_errorname", "") == "SQLITE_IOERR_WRITE"  # Python 3.11
    return can_not_write or str(error).startswith(FULL)


def _checkpoint(connection: sqlite3.Connection) -> None:
    """Move the log into the main file, so that no result is lost when somebody deletes the -wal.

    The changes are safe in the log already: where this fails, a later change does it.
    """
    with suppress(sqlite3.Error):
        for _ in range(CHECKPOINT_TRIES):
            answer = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            busy, pages, moved = answer
            if not busy and pages == moved:
                return
            time.sleep(CHECKPOINT_WAIT_SECONDS)
