"""Where the tests keep an experiment's jobs."""

from __future__ import annotations

import os
from dataclasses import dataclass

from spearmint_int.stores import StoreAddress

# The database that the tests use, and delete, on a MongoDB server; one for each worker of xdist.
DATABASE = "-".join(["spearmint-int-tests", *filter(None, [os.environ.get("PYTEST_XDIST_WORKER")])])


@dataclass(frozen=True)
class Place(StoreAddress):
    """An address in the tests' own database."""

    database_name: str = DATABASE
