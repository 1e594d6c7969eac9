"""What the embedded store alone promises: a file that people can read, and faults that explain."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from spearmint_int.errors import StoreError, StoreUnavailable, StoreVersionError
from spearmint_int.jobs import JobStatus
from spearmint_int.stores import SQLiteStore, clock, sqlite, sqlite_file
from spearmint_int.testing.drafts import FAILURE, LEASE, add, add_and_claim, claim, draft
from tests.chaos.storm import disk, fill, is_sound


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spearmint.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    store = SQLiteStore(path)
    yield store
    store.close()


def query(path: Path, statement: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def test_the_columns_are_readable_by_sql(store: SQLiteStore, path: Path) -> None:
    store.complete(add_and_claim(store).claim, {"main": 1.5})
    statement = (
        "SELECT id, status, json_extract(params, '$.depth'), typeof(json_extract(params,"
        " '$.depth')), json_extract(result, '$.main') FROM jobs"
    )
    assert query(path, statement) == [(1, "complete", 3, "integer", 1.5)]


def test_text_is_stored_as_people_wrote_it(store: SQLiteStore, path: Path) -> None:
    add(store, params={"größe": "süß"})
    assert query(path, "SELECT params FROM jobs") == [('{"größe": "süß"}',)]


def test_the_file_has_a_schema_version_and_a_write_ahead_log(
    store: SQLiteStore, path: Path
) -> None:
    assert query(path, "PRAGMA user_version") == [(2,)]
    assert query(path, "PRAGMA journal_mode") == [("wal",)]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT id FROM jobs WHERE status = 'new' AND resource = coalesce(NULL, resource)"
        " ORDER BY id LIMIT 1",
        "SELECT * FROM jobs WHERE status = 'pending' ORDER BY id",
        "SELECT status, count(*) FROM jobs GROUP BY status",
        "SELECT count(*) FROM jobs WHERE resource = 'Main' AND source IN ('chooser', 'initial')",
        "SELECT * FROM jobs WHERE id > 5 ORDER BY id LIMIT 3",
    ],
)
def test_every_query_has_its_index(store: SQLiteStore, path: Path, statement: str) -> None:
    plan = " ".join(str(row) for row in query(path, f"EXPLAIN QUERY PLAN {statement}"))
    assert "INDEX" in plan or "PRIMARY KEY" in plan
    assert "TEMP B-TREE" not in plan


def test_another_schema_version_is_refused(store: SQLiteStore, path: Path) -> None:
    store.close()
    query(path, "PRAGMA user_version = 7")
    with pytest.raises(StoreVersionError, match="schema version 7, this program needs 2"):
        SQLiteStore(path)


def test_the_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    query(path, "CREATE TABLE photos (id)")
    with pytest.raises(StoreError, match="belongs to another program"):
        SQLiteStore(path)
    assert query(path, "SELECT name FROM sqlite_master") == [("photos",)]


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_text("hello " * 1000)
    with pytest.raises(StoreError, match="not an SQLite database: move it away"):
        SQLiteStore(path)


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()  # left by a process that was killed at the very beginning
    store = SQLiteStore(path)
    assert add(store).id == 1
    store.close()


def test_a_damaged_file_is_explained(store: SQLiteStore, path: Path) -> None:
    for _ in range(200):
        add(store, provenance={"text": "x" * 1000})
    store.close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    damaged = SQLiteStore(path)
    with pytest.raises(StoreError, match="damaged: restore a copy"):
        damaged.jobs()
    damaged.close()


def test_a_missing_folder_is_explained(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="check that the folder exists"):
        SQLiteStore(tmp_path / "nowhere" / "spearmint.sqlite")


def test_a_full_disk_is_explained_and_nothing_is_half_done(store: SQLiteStore, path: Path) -> None:
    job = add_and_claim(store)
    with store._file.transaction() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailable, match="the disk is full: free some space"):
        store.add(draft(provenance={"text": "x" * 100_000}))
    with store._file.transaction() as connection:
        connection.execute("PRAGMA max_page_count = 100000")
    assert len(store.jobs()) == 1
    assert store.complete(job.claim, {"main": 1.0})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_without_write_permission_is_explained(store: SQLiteStore, path: Path) -> None:
    store.close()
    path.chmod(0o400)
    locked = SQLiteStore(path)
    with pytest.raises(StoreError, match="can't be written: check the permissions"):
        add(locked)
    locked.close()


def test_a_connection_that_may_not_write_is_explained(store: SQLiteStore) -> None:
    store._file._open_connection().execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="can't be written: check the permissions"):
        add(store)


def test_a_file_that_stays_locked_is_explained(
    store: SQLiteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.1)
    impatient = SQLiteStore(path)
    with store._file.transaction(), pytest.raises(StoreUnavailable, match="kept it locked"):
        add(impatient)
    assert add(impatient).id == 1
    impatient.close()


def test_readers_do_not_wait_for_a_writer(store: SQLiteStore, path: Path) -> None:
    add(store)
    reader = SQLiteStore(path)
    with store._file.transaction() as connection:
        connection.execute("UPDATE jobs SET status = 'broken'")
        assert reader.job(1).status is JobStatus.NEW
    reader.close()


def test_a_file_that_is_replaced_under_a_manager_is_noticed(store: SQLiteStore, path: Path) -> None:
    add(store)
    SQLiteStore(path).destroy()
    SQLiteStore(path).close()
    with pytest.raises(StoreError, match="deleted, moved or replaced while in use"):
        add(store)


def test_a_folder_that_is_moved_under_a_manager_is_noticed(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    store = SQLiteStore(before / "a.sqlite")
    add(store)
    with store._file.transaction(checkpoint=True) as connection:
        connection.execute("UPDATE jobs SET status = 'broken'")
        before.rename(after)  # what was written at that moment counts
    with pytest.raises(StoreError, match="deleted, moved or replaced while in use"):
        add(store)
    store.close()
    assert query(after / "a.sqlite", "SELECT status FROM jobs") == [("broken",)]


def test_a_reboot_does_not_turn_the_clock_back_where_boots_have_no_names(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    days, seconds = 864_000.0, 60.0
    monkeypatch.setattr(sqlite, "boot_id", lambda: "")
    set_uptime(monkeypatch, days)
    before = SQLiteStore(path)
    add_and_claim(before)
    before.close()
    set_uptime(monkeypatch, seconds)
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + LEASE + 1.0)
    after = SQLiteStore(path)
    assert after.now() == pytest.approx(time.time(), abs=5.0)
    assert len(after.expire(after.now(), max_attempts=3)) == 1
    after.close()


def set_uptime(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """As if the machine had started so long ago."""
    begin = time.monotonic() - seconds
    for module in (clock, sqlite):
        monkeypatch.setattr(module, "uptime", lambda: time.monotonic() - begin)


def test_nothing_stays_behind_after_deleting(store: SQLiteStore, tmp_path: Path) -> None:
    add(store)
    store.destroy()
    assert list(tmp_path.iterdir()) == []


def delete_and_stumble(store: SQLiteStore) -> None:
    with store._file.transaction() as connection:
        connection.execute("DELETE FROM jobs")
        connection.execute("SELECT nonsense")


def test_an_error_inside_of_a_change_undoes_it(store: SQLiteStore) -> None:
    job = add_and_claim(store)
    with pytest.raises(StoreError, match="nonsense"):
        delete_and_stumble(store)
    assert store.fail(job.claim, FAILURE, max_attempts=2) is JobStatus.NEW
    assert claim(store).attempts == 2


def test_a_hard_copy_of_the_folder_of_a_running_experiment_opens(
    store: SQLiteStore, path: Path, tmp_path: Path
) -> None:
    add(store)
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in tmp_path.glob("spearmint.sqlite*"):
        shutil.copy(file, copy)
    copied = SQLiteStore(copy / path.name)
    assert copied.job(1) == store.job(1)
    copied.close()


def test_opening_the_embedded_store_does_not_import_pymongo() -> None:
    code = "import sys, json, spearmint_int.stores; print(json.dumps('pymongo' in sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert json.loads(answer.stdout) is False


def test_a_result_is_in_the_main_file_as_soon_as_it_is_confirmed(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "a.sqlite")
    for number in range(1, 6):
        job = add_and_claim(store)
        store.complete(job.claim, {"main": float(number)})
        copied = tmp_path / f"copied-{number}.sqlite"
        copied.write_bytes((tmp_path / "a.sqlite").read_bytes())
        copy = SQLiteStore(copied)
        assert copy.job(number).values == {"main": float(number)}
        copy.close()
    store.close()


def test_most_of_the_jobs_are_in_the_main_file_before_they_have_results(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "a.sqlite")
    for _ in range(100):
        add(store)
    copied = tmp_path / "copied.sqlite"
    copied.write_bytes((tmp_path / "a.sqlite").read_bytes())
    copy = SQLiteStore(copied)
    assert len(copy.jobs()) > 60
    copy.close()
    store.close()


def test_a_reader_that_stays_holds_up_no_result(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    store = SQLiteStore(path)
    add(store)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM jobs").fetchone()
        begin = time.monotonic()
        store.complete(claim(store).claim, {"main": 1.0})
        assert time.monotonic() - begin < 2.0
    assert store.job(1).values == {"main": 1.0}
    store.close()


def test_a_log_that_was_deleted_while_in_use_is_noticed(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "a.sqlite")
    add(store)
    (tmp_path / "a.sqlite-wal").unlink()
    with pytest.raises(StoreError, match=r"a\.sqlite-wal: was deleted while in use"):
        add(store)
    store.close()


def test_a_log_that_is_missing_after_a_crash_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    code = (
        "import os, sys; from pathlib import Path; from spearmint_int.stores import SQLiteStore; "
        "from spearmint_int.testing.drafts import draft; "
        "SQLiteStore(Path(sys.argv[1])).add_complete(draft(), {'main': 1.0}); os._exit(1)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    (tmp_path / "a.sqlite-wal").unlink()
    with pytest.raises(StoreError, match=r"a\.sqlite-wal: was deleted.* delete a\.sqlite-shm"):
        SQLiteStore(path)
    (tmp_path / "a.sqlite-shm").unlink()
    store = SQLiteStore(path)
    assert store.job(1).values == {"main": 1.0}
    store.close()


@contextlib.contextmanager
def small_disk(tmp_path: Path, *options: str) -> Iterator[Path]:
    """Where a store may be on a disk of its own."""
    with disk(tmp_path / "disk", *options) as mounted:
        if not mounted:
            pytest.skip("no small disk can be mounted here")
        yield tmp_path / "disk" / "a.sqlite"


def test_on_a_full_disk_a_result_leaves_the_main_file_sound(tmp_path: Path) -> None:
    with small_disk(tmp_path) as path:
        store = SQLiteStore(path)
        large = draft(provenance={"text": "x" * 60_000})
        first, second = add_and_claim(store), add_and_claim(store)
        store.add(large)
        store.add(large)
        store.complete(first.claim, {"main": 1.0})  # the log keeps its size, and begins anew
        store.add(large)  # its pages are in the log alone
        fill(path.parent)
        assert store.complete(second.claim, {"main": 2.0})
        assert is_sound(path)
        assert store.job(second.id).values == {"main": 2.0}
        store.close()


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A store with one result, whose last process has ended, on a disk that is full by now."""
    with small_disk(tmp_path) as path:
        store = SQLiteStore(path)
        store.add_complete(draft(), {"main": 1.0})
        store.close()
        fill(path.parent)
        yield path


def test_jobs_can_be_read_where_the_disk_is_full(full_disk: Path) -> None:
    store = SQLiteStore(full_disk, create=False)
    assert store.job(1).values == {"main": 1.0}
    with pytest.raises(StoreUnavailable, match="the disk is full: free some space"):
        add(store)
    store.close()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python does not say what SQLite could not")
def test_a_quota_that_is_used_up_is_a_full_disk(tmp_path: Path) -> None:
    code = """
import resource, sys
from pathlib import Path
from spearmint_int.errors import StoreUnavailable
from spearmint_int.stores import SQLiteStore
from spearmint_int.testing.drafts import draft
store = SQLiteStore(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))
try:
    store.add(draft(provenance={"text": "x" * 200_000}))
except StoreUnavailable as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
print(store.add(draft()).id)
"""
    words = [sys.executable, "-c", code, str(tmp_path / "a.sqlite")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    said, job_id = done.stdout.splitlines()
    assert "or a quota is used up" in said
    assert job_id == "1"


def test_once_there_is_room_again_a_reader_sees_what_is_new_and_may_write(full_disk: Path) -> None:
    reader = SQLiteStore(full_disk, create=False)
    (full_disk.parent / "filler").unlink()
    writer = SQLiteStore(full_disk)  # nobody keeps it out
    writer.add_complete(draft(), {"main": 2.0})
    assert reader.job(2).values == {"main": 2.0}
    assert add(reader).id == 3
    reader.close()
    writer.close()


def test_what_only_the_log_has_is_read_on_a_full_disk(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from spearmint_int.stores import SQLiteStore; "
        "from spearmint_int.testing.drafts import draft; "
        "SQLiteStore(Path(sys.argv[1])).add(draft()); os._exit(1)"
    )
    with small_disk(tmp_path) as path:
        subprocess.run([sys.executable, "-c", code, str(path)], check=False)
        (path.parent / "a.sqlite-shm").unlink()
        fill(path.parent)
        for _ in range(2):
            reader = SQLiteStore(path, create=False)
            assert reader.job(1).status is JobStatus.NEW
            reader.close()


def test_jobs_can_be_read_where_no_more_files_can_be_made(tmp_path: Path) -> None:
    with small_disk(tmp_path, "nr_inodes=20") as path:
        store = SQLiteStore(path)
        store.add_complete(draft(), {"main": 1.0})
        store.close()
        with contextlib.suppress(OSError):
            for i in range(20):
                (path.parent / f"file{i}").touch()
        reader = SQLiteStore(path, create=False)
        assert reader.job(1).values == {"main": 1.0}
        reader.close()


def test_a_folder_may_be_called_like_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("file:x?mode=memory") / "a.sqlite"
    path.parent.mkdir()
    store = SQLiteStore(path)
    store.add_complete(draft(), {"main": 1.0})
    store.close()
    assert query(tmp_path / path, "SELECT count(*) FROM jobs") == [(1,)]
