"""Job stores: one protocol; SQLite in the folder, MongoDB and others by address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from spearmint_int.registry import STORES
from spearmint_int.stores.address import SQLITE_FILE, StoreAddress
from spearmint_int.stores.protocol import SCHEMA_VERSION, Store
from spearmint_int.stores.sqlite import SQLiteStore

if TYPE_CHECKING:
    from spearmint_int.config import Config

__all__ = [
    "SCHEMA_VERSION",
    "SQLITE_FILE",
    "SQLiteStore",
    "Store",
    "StoreAddress",
    "StoreOpener",
    "check_address",
    "load_client",
    "open_store",
    "open_store_at",
]


class StoreOpener(Protocol):
    """A function that opens the store at an address; the registry has one for each scheme."""

    def __call__(self, place: StoreAddress, *, create: bool, patience: float | None) -> Store: ...


def open_store(config: Config, *, create: bool = True, patience: float | None = None) -> Store:
    """The store of the config's experiment; see `open_store_at`."""
    return open_store_at(StoreAddress.of(config), create=create, patience=patience)


def open_store_at(
    place: StoreAddress, *, create: bool = True, patience: float | None = None
) -> Store:
    """The store at this place: by the scheme of its address, else SQLite in the folder.

    With `create=False` a store that does not exist yet raises StoreError instead of being made (for
    commands that only read). `patience` is how many seconds a call waits for a server that is away,
    before it raises.
    """
    return STORES[place.scheme](place, create=create, patience=patience)


def check_address(place: StoreAddress) -> None:
    """Raise StoreError or UnknownNameError when no store can be opened with such an address."""
    _ = STORES[place.scheme]
    if place.address is not None and place.scheme.startswith("mongodb"):
        from spearmint_int.stores import mongo_server  # noqa: PLC0415

        mongo_server.refuse_weak_options(place.address)
        mongo_server.refuse_names(place.database_name, place.experiment_name)


def load_client(place: StoreAddress) -> None:
    """Load what `open_store_at` needs, in a process that forks others which will call it."""
    _ = STORES[place.scheme]
    if place.address is not None and place.scheme.startswith("mongodb"):
        from spearmint_int.stores import mongo_server  # noqa: PLC0415

        mongo_server.rehearse(place.address)
