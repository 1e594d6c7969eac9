"""Job stores: one protocol; SQLite in the folder, MongoDB and others by address."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from spearmint_int.registry import STORES
from spearmint_int.stores.protocol import SCHEMA_VERSION, Store
from spearmint_int.stores.sqlite import SQLITE_FILE, SQLiteStore

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ADDRESS_VARIABLE",
    "SCHEMA_VERSION",
    "SQLITE_FILE",
    "SQLiteStore",
    "Store",
    "StoreOpener",
    "load_client",
    "open_store",
]

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


class StoreOpener(Protocol):
    """What the scheme of an address stands for in the registry."""

    def __call__(
        self,
        address: str,
        *,
        directory: Path,
        database: str,
        experiment: str,
        create: bool,
        patience: float | None,
    ) -> Store: ...


def open_store(
    config: NamesStore,
    *,
    create: bool = True,
    patience: float | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Store:
    """The experiment's store: by the scheme of its address, else SQLite in the folder.

    The environment's SPEARMINT_DB_ADDRESS wins over the config. With `create=False` a store that
    does not exist yet raises StoreError instead of being made (for commands that only read).
    `patience` is how many seconds a call waits for a server that is away, before it raises.
    """
    address = _address(config, environment)
    return STORES[scheme_of(address)](
        address,
        directory=Path(config.directory),
        database=config.database.name,
        experiment=config.experiment_name,
        create=create,
        patience=patience,
    )


def load_client(config: NamesStore, *, environment: Mapping[str, str] = os.environ) -> None:
    """Import what `open_store` will need, for a process that forks others which call it."""
    _ = STORES[scheme_of(_address(config, environment))]


def scheme_of(address: str) -> str:
    """What an address names: `mongodb` of a mere host, `sqlite` of none."""
    if not address:
        return "sqlite"
    scheme, separator, _ = address.partition("://")
    return scheme.lower() if separator else "mongodb"


def _address(config: NamesStore, environment: Mapping[str, str]) -> str:
    return environment.get(ADDRESS_VARIABLE) or config.database.address or ""
