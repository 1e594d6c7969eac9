"""A growing CSV file: rows are appended whole, so a kill loses only what was under way."""

from __future__ import annotations

import csv
import fcntl
import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class RowFile:
    """Rows of `columns` at `path`. Several processes may append to it at once."""

    path: Path
    columns: tuple[str, ...]

    def append(self, rows: Iterable[Mapping[str, object]]) -> None:
        """All the rows in one write under a lock: either they are all there or none is counted."""
        text = _csv_text(self.columns, rows)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            _drop_torn_line(self.path)
            if file.seek(0, os.SEEK_END) == 0:
                text = ",".join(self.columns) + "\n" + text
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> list[dict[str, str]]:
        """The rows so far; a line that a kill cut short is not one."""
        if not self.path.exists():
            return []
        text = self.path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        return list(csv.DictReader(io.StringIO(whole)))

    def keys(self, names: Sequence[str]) -> set[tuple[str, ...]]:
        """What is done already: the values of the columns `names`, as text."""
        return {tuple(row[name] for name in names) for row in self.read()}


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
