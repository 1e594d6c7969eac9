"""A file of rows that survives kills and is shared by processes."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest

from experiments.rows import JsonLines, RowFile

if TYPE_CHECKING:
    from pathlib import Path


def _append_many(path: Path, name: int) -> None:
    file = RowFile(path, ("name", "step"))
    for step in range(50):
        file.append([{"name": name, "step": step}, {"name": name, "step": -step}])


def test_rows_come_back_as_written(tmp_path: Path) -> None:
    file = RowFile(tmp_path / "deep" / "rows.csv", ("a", "b"))
    file.append([{"a": 1, "b": "x, y"}, {"a": 2.5, "b": ""}])
    assert file.read() == [{"a": "1", "b": "x, y"}, {"a": "2.5", "b": ""}]


def test_a_missing_file_has_no_rows(tmp_path: Path) -> None:
    assert RowFile(tmp_path / "rows.csv", ("a",)).read() == []


def test_a_line_that_a_kill_cut_short_is_neither_read_nor_kept(tmp_path: Path) -> None:
    file = RowFile(tmp_path / "rows.csv", ("a", "b"))
    file.append([{"a": 1, "b": 2}])
    file.path.write_text(file.path.read_text() + "3,")
    assert file.keys(("a",)) == {("1",)}
    file.append([{"a": 4, "b": 5}])
    assert file.path.read_text() == "a,b\n1,2\n4,5\n"


def test_records_come_back_as_written(tmp_path: Path) -> None:
    file = JsonLines(tmp_path / "deep" / "records.jsonl")
    file.append([{"a": 1, "b": [0.5, "x"]}])
    file.append([{"a": 2}])
    assert file.read() == [{"a": 1, "b": [0.5, "x"]}, {"a": 2}]


@pytest.mark.parametrize("garbage", ["{]", "3", "\x00"])
def test_a_line_that_is_no_record_is_named(tmp_path: Path, garbage: str) -> None:
    file = JsonLines(tmp_path / "records.jsonl")
    file.path.write_text('{"a":1}\n' + garbage + "\n")
    with pytest.raises(ValueError, match="line 2"):
        file.read()


def test_processes_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(_append_many, path), range(2)))
    rows = RowFile(path, ("name", "step")).read()
    assert len(rows) == 200
    assert path.read_text().count("name") == 1
