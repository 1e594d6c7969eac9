"""Whether a run may write into the folder, its outputs and its database, and has room for it."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from spearmint_int.errors import StoreError
from spearmint_int.launcher.output import output_path
from spearmint_int.stores import StoreAddress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spearmint_int.config import Config

LEAST_ROOM = 1_000_000  # bytes, of which the database takes the most


def refuse_unwritable(config: Config) -> None:
    """StoreError where a run could not write: a read-only disk, or files of another user."""
    for path in _written(config):
        if path.exists() and not _is_writable(path):
            raise StoreError(
                f"{path}: can't be written, but a run keeps jobs and their outputs there; get the "
                "right to write, or copy config and objective into a folder where you have it"
            )


def advice_on_room(config: Config) -> Iterator[tuple[str, str]]:
    """(empty path, sentence) where the disk is full, or nearly so."""
    free = shutil.disk_usage(config.directory).free
    if free < LEAST_ROOM:
        yield "", f"the folder's disk has {free // 1000} kB left: a run waits until there is more"


def _written(config: Config) -> Iterator[Path]:
    yield config.directory
    yield output_path(config.directory, 1).parent
    place = StoreAddress.of(config)
    if place.scheme == "sqlite":
        yield place.sqlite_path


def _is_writable(path: Path) -> bool:
    needed = os.W_OK | os.X_OK if path.is_dir() else os.W_OK
    return os.access(path, needed)
