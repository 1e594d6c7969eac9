"""Files that are written as a whole or not at all: a reader never sees half of one.

A link stays a link, and the file it points to is replaced. What is there and no regular file (a
pipe, a device) has no whole to replace: it is written into.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO


def write_whole(path: Path, content: str | bytes) -> None:
    """Put the content in the place of what was there."""
    with _opened(path) as file:
        file.write(_bytes(content))


def write_durably(path: Path, content: str | bytes) -> None:
    """`write_whole`, and it outlives a power cut: file and folder are on disk on return."""
    with _opened(path) as file:
        file.write(_bytes(content))
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(path.resolve().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """What takes the content: the thing itself, or a file that takes its place at the end."""
    if _has_no_whole(path):
        with path.open("wb") as file:
            yield file
        return
    with _replacement(path.resolve()) as file:
        yield file


def _has_no_whole(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:  # nothing is there yet, or where a link points to
        return False


@contextmanager
def _replacement(path: Path) -> Iterator[BinaryIO]:
    """A file beside it, which is gone if anything fails, an interruption too."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            yield file
        os.replace(unfinished, path)
    except BaseException:
        with suppress(OSError):  # the first failure is the one to tell
            unfinished.unlink()
        raise
