"""Files that are written as a whole or not at all: a reader never sees half of one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Put the text in the place of what was there."""
    unfinished = _unfinished(path)
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, path)


def write_durably(path: Path, text: str) -> None:
    """`write_whole`, and it outlives a power cut: file and folder are on disk on return."""
    unfinished = _unfinished(path)
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _unfinished(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")
