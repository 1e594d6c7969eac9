"""Whatever comes in from outside is taken, or refused with a sentence: no traceback, no hang."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spearmint_int.config import Config, config_from
from spearmint_int.errors import DamagedJob, ObjectiveError, SpearmintError, StoreError
from spearmint_int.experiment.results_file import read_rows, result_of
from spearmint_int.jobs import Failure, Job, JobDraft
from spearmint_int.launcher.delivery import deliver_kept_outcomes, undelivered_folder
from spearmint_int.launcher.environment import read_environment
from spearmint_int.launcher.objective import UnusableError, as_report
from spearmint_int.launcher.outcome import outcome_of_output, outcome_of_report
from spearmint_int.stores import SQLiteStore
from spearmint_int.stores.address import shown_address, without_passwords
from spearmint_int.stores.records import job_from_record, new_record
from tests.fuzz.values import EXAMPLES, JSON, SCALARS, TEXT, fuzzing

pytestmark = pytest.mark.timeout(600 + EXAMPLES // 2)

DOCUMENT: dict[str, Any] = {
    "main-file": "objective",
    "language": "PYTHON",
    "likelihood": "GAUSSIAN",
    "max-finished-jobs": 3,
    "max-concurrent": 2,
    "max-time": "2h",
    "seed": 1,
    "chooser": "default_chooser",
    "chooser-args": {"grid_size": 100},
    "tasks": {"main": {"type": "OBJECTIVE"}},
    "database": {"name": "x"},
    "priors": {"noise": {"type": "horseshoe", "scale": 0.1}},
    "initial-points": [{"x": 0.5, "n": 1, "kind": "a"}],
    "variables": {
        "x": {"type": "FLOAT", "min": 0, "max": 1, "size": 1},
        "n": {"type": "INT", "min": 0, "max": 4},
        "kind": {"type": "ENUM", "options": ["a", "b"]},
    },
}
RECORD = new_record(JobDraft({"x": 1}, (0.5,)), now=1.0)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to every value inside of a document."""
    found = [path] if path else []
    if isinstance(value, dict):
        found += [way for key, item in value.items() for way in places(item, (*path, key))]
    if isinstance(value, list):
        found += [way for index, item in enumerate(value) for way in places(item, (*path, index))]
    return found


def replaced(document: Any, way: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(document)
    inner = changed
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = value
    return changed


# --- configs ---


@fuzzing
@given(way=st.sampled_from(places(DOCUMENT)), value=JSON)
def test_a_config_with_anything_anywhere_is_taken_or_refused(
    way: tuple[Any, ...], value: Any
) -> None:
    with suppress(SpearmintError):
        config_from(replaced(DOCUMENT, way, value), Path("/nowhere"))


@fuzzing
@given(st.dictionaries(st.sampled_from(sorted(DOCUMENT)) | TEXT, JSON, max_size=6))
def test_a_config_of_any_shape_is_taken_or_refused(document: dict[str, Any]) -> None:
    with suppress(SpearmintError):
        config_from(document, Path("/nowhere"))


# --- files that people bring ---


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    return config_from(DOCUMENT, tmp_path_factory.mktemp("experiment"))


CELLS = st.sampled_from(
    ["x", "n", "kind", "value", "0.5", "1", "a", "", "nan", '"', "\r", "\0"]
) | (TEXT)
ROWS = st.lists(st.lists(CELLS, max_size=5).map(",".join), max_size=5).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(lines))
)
HEADED = ROWS.map(lambda text: f"x,n,kind,value\n{text}")


@fuzzing
@given(text=ROWS | HEADED | TEXT | JSON.map(lambda value: json.dumps(value, default=str)))
def test_results_of_any_shape_are_taken_or_refused(text: str, config: Config) -> None:
    space = config.space()
    for as_json in (False, True):
        with suppress(SpearmintError):
            for row in read_rows(text, name="a file", as_json=as_json):
                result_of(row, config, space, value_column="value")


@fuzzing
@given(st.binary(max_size=60) | TEXT.map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_an_environment_file_of_any_shape_is_taken_or_refused(data: bytes) -> None:
    path = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path("/tmp")
    path = path / "spearmint-int-fuzz.env"
    path.write_bytes(data)
    with suppress(ObjectiveError):
        assert all("\0" not in name + value for name, value in read_environment(path, {}).items())


# --- what objectives give back ---


class Odd:
    """A number in name only."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __float__(self) -> Any:
        return self._answer

    def __repr__(self) -> str:
        return "<odd \ud800>"


@fuzzing
@given(value=JSON | SCALARS.map(Odd) | st.complex_numbers() | st.binary() | st.decimals())
def test_a_return_value_of_any_kind_is_numbers_or_a_failure(value: Any) -> None:
    try:
        report = as_report(value)
    except UnusableError:
        return
    outcome = outcome_of_report(json.loads(json.dumps(report)), ["main"])
    assert isinstance(outcome, Failure) or set(outcome) == {"main"}


LINES = TEXT | JSON.map(lambda value: json.dumps(value, default=str)) | st.floats().map(repr)


@fuzzing
@given(text=st.lists(LINES, max_size=4).map("\n".join), cut=st.booleans())
def test_a_last_line_of_any_kind_is_numbers_or_a_failure(text: str, cut: bool) -> None:
    outcome = outcome_of_output(text, ["main"], is_cut=cut)
    assert isinstance(outcome, Failure) or set(outcome) == {"main"}


# --- what stands in stores and folders ---


@fuzzing
@given(way=st.sampled_from([(name,) for name in RECORD]), value=JSON)
def test_a_document_with_anything_in_it_is_a_job_or_damaged(
    way: tuple[Any, ...], value: Any
) -> None:
    with suppress(DamagedJob):
        assert isinstance(job_from_record(1, replaced(RECORD, way, value)), Job)


@pytest.fixture(scope="module")
def two_jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SQLiteStore]:
    store = SQLiteStore(tmp_path_factory.mktemp("rows") / "fuzz.sqlite")
    for _ in range(2):
        store.add(JobDraft({"x": 1}, (0.5,)))
    yield store
    store.close()


@fuzzing
@given(
    name=st.sampled_from(["point", "result", "params", "tasks", "process", "failures", "token"])
    | st.sampled_from(["provenance", "attempts", "created", "started", "lease_expires", "source"]),
    value=st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.binary(max_size=20)
    | st.text(max_size=20)
    | JSON.map(lambda value: json.dumps(value, default=str)),
)
def test_a_row_with_anything_in_it_leaves_the_store_usable(
    two_jobs: SQLiteStore, name: str, value: Any
) -> None:
    store = two_jobs
    store.remove(1)  # what the last example has left
    store.put_back(store.raw(2) | {"id": 1})
    with (
        closing(sqlite3.connect(store.location)) as connection,
        connection,
        suppress(sqlite3.Error),
    ):
        connection.execute(f"UPDATE jobs SET {name} = ? WHERE id = 1", (value,))
    readable = {job.id for job in store.jobs()}
    assert readable | {damage.job_id for damage in store.damaged()} == {1, 2}
    assert 2 in {point.id for point in store.job_points(list(store.tally().counts))}
    with suppress(StoreError):
        store.job(1)
    raw = json.loads(json.dumps(store.raw(1)))
    assert raw["id"] == 1


@fuzzing
@given(TEXT | JSON.map(lambda value: json.dumps(value, default=str)))
def test_a_kept_outcome_with_anything_in_it_is_delivered_or_set_aside(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "fuzz-kept"
    kept = undelivered_folder(folder)
    kept.mkdir(parents=True, exist_ok=True)
    store = SQLiteStore(folder / "kept.sqlite")
    (kept / "1.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert deliver_kept_outcomes(folder, store, experiment="none").delivered == ()
    assert not (kept / "1.json").exists() or json.loads(text)
    store.close()


# --- addresses ---


@fuzzing
@given(user=TEXT, rest=TEXT)
def test_no_address_shows_its_password(user: str, rest: str) -> None:
    for address in (f"mongodb://{user}:hunter2@{rest}", f"mongodb://x:hunter2{rest}@host"):
        assert "hunter2" not in shown_address(address).replace(user, "")
    assert "hunter2" not in without_passwords(f"error: mongodb://ann:hunter2@host: {user}")
