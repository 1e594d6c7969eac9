"""Where an experiment's jobs are: the part of a config that `open_store` reads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

# The database that the tests use, and delete, on a MongoDB server; one for each worker of xdist.
DATABASE = "-".join(["spearmint-int-tests", *filter(None, [os.environ.get("PYTEST_XDIST_WORKER")])])


@dataclass(frozen=True)
class Database:
    address: str | None
    name: str = DATABASE


@dataclass(frozen=True)
class Place:
    directory: Path
    experiment_name: str
    address: str | None

    @property
    def database(self) -> Database:
        return Database(self.address)
