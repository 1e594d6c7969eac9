"""Growing files of results: lines are appended whole, so a kill loses only what was under way."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class RowFile:
    """Rows of `columns` at `path`, as CSV. Several processes may append to it at once."""

    path: Path
    columns: tuple[str, ...]

    def append(self, rows: Iterable[Mapping[str, object]]) -> None:
        """All the rows in one write: either they are all there or none is counted."""
        _append(self.path, _csv_text(self.columns, rows), header=",".join(self.columns) + "\n")

    def read(self) -> list[dict[str, str]]:
        """The rows so far."""
        return list(csv.DictReader(io.StringIO(_whole_lines(self.path))))

    def keys(self, names: Sequence[str]) -> set[tuple[str, ...]]:
        """What is done already: the values of the columns `names`, as text."""
        return {tuple(row[name] for name in names) for row in self.read()}


@dataclass(frozen=True)
class JsonLines:
    """Records at `path`, a line of JSON each. Several processes may append to it at once."""

    path: Path

    def append(self, records: Iterable[Mapping[str, Any]]) -> None:
        """All the records in one write: either they are all there or none is counted."""
        lines = (json.dumps(record, separators=(",", ":"), allow_nan=False) for record in records)
        _append(self.path, "".join(f"{line}\n" for line in lines), header="")

    def read(self) -> list[dict[str, Any]]:
        """The records so far."""
        lines = enumerate(_whole_lines(self.path).splitlines(), start=1)
        return [self._parsed(line, number) for number, line in lines]

    def _parsed(self, line: str, number: int) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{self.path}, line {number}: {error}; take the line out.") from None
        if not isinstance(record, dict):
            raise ValueError(f"{self.path}, line {number}: not an object; take the line out.")
        return record


def _append(path: Path, text: str, *, header: str) -> None:
    """`text` in one write under a lock, after `header` where the file is new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _drop_torn_line(path)
        if file.seek(0, os.SEEK_END) == 0:
            text = header + text
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def _whole_lines(path: Path) -> str:
    """A line that a kill cut short is not one."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return text[: text.rfind("\n") + 1]


def _csv_text(columns: tuple[str, ...], rows: Iterable[Mapping[str, object]]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writerows(rows)
    return buffer.getvalue()


def _drop_torn_line(path: Path) -> None:
    """A write that a kill cut short leaves a line without its end: take it away before going on."""
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        os.truncate(path, content.rfind(b"\n") + 1)
