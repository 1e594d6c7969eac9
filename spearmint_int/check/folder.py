"""Whether a run may write where it has to: into the folder, its outputs and its database."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spearmint_int.errors import StoreError
from spearmint_int.launcher.output import output_path
from spearmint_int.stores import StoreAddress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spearmint_int.config import Config


def refuse_unwritable(config: Config) -> None:
    """StoreError where a run could not write: a read-only disk, or files of another user."""
    for path in _written(config):
        if path.exists() and not _is_writable(path):
            raise StoreError(
                f"{path}: can't be written, but a run keeps jobs and their outputs there; get the "
                "right to write, or copy config and objective into a folder where you have it"
            )


def _written(config: Config) -> Iterator[Path]:
    yield config.directory
    yield output_path(config.directory, 1).parent
    place = StoreAddress.of(config)
    if place.scheme == "sqlite":
        yield place.sqlite_path


def _is_writable(path: Path) -> bool:
    needed = os.W_OK | os.X_OK if path.is_dir() else os.W_OK
    return os.access(path, needed)
