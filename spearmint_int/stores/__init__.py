"""Job stores: one protocol, SQLite in the experiment's folder and MongoDB by address."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from spearmint_int.stores.protocol import SCHEMA_VERSION, Store
from spearmint_int.stores.sqlite import SQLiteStore

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ADDRESS_VARIABLE",
    "SCHEMA_VERSION",
    "SQLITE_FILE",
    "SQLiteStore",
    "Store",
    "load_client",
    "open_store",
]

SQLITE_FILE = "spearmint.sqlite"
ADDRESS_VARIABLE = "SPEARMINT_DB_ADDRESS"


class HasDatabase(Protocol):
    """The `database` part of a config."""

    @property
    def address(self) -> str | None: ...
    @property
    def name(self) -> str: ...


class NamesStore(Protocol):
    """The part of a config that says where the jobs are."""

    @property
    def directory(self) -> Path: ...
    @property
    def experiment_name(self) -> str: ...
    @property
    def database(self) -> HasDatabase: ...


def open_store(
    config: NamesStore,
    *,
    create: bool = True,
    patience: float | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Store:
    """The experiment's store: MongoDB when there is an address, else SQLite in the folder.

    The environment's SPEARMINT_DB_ADDRESS wins over the config. With `create=False` a store that
    does not exist yet raises StoreError instead of being made (for commands that only read).
    `patience` is how many seconds a call waits for a server that is away, before it raises.
    """
    address = environment.get(ADDRESS_VARIABLE) or config.database.address
    if address is None:
        return SQLiteStore(Path(config.directory) / SQLITE_FILE, create=create)
    # Most experiments never need pymongo, which takes 0.2 s to import.
    from spearmint_int.stores.mongo import MongoStore  # noqa: PLC0415
    from spearmint_int.stores.mongo_server import PATIENCE_SECONDS  # noqa: PLC0415

    return MongoStore(
        address,
        database=config.database.name,
        experiment=config.experiment_name,
        create=create,
        patience=PATIENCE_SECONDS if patience is None else patience,
    )


def load_client(config: NamesStore, *, environment: Mapping[str, str] = os.environ) -> None:
    """Import what `open_store` will need, for a process that forks others which call it."""
    if environment.get(ADDRESS_VARIABLE) or config.database.address:
        import spearmint_int.stores.mongo  # noqa: F401, PLC0415
