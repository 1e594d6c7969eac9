"""The settings of an experiment on a server, for whoever looks at it there without its folder."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from spearmint_int.config import DEFAULT_FILE, Config, Database
from spearmint_int.errors import ConfigError
from spearmint_int.experiment.identity import META as IDENTITY
from spearmint_int.stores import StoreAddress, open_store_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spearmint_int.stores import Store

META = "settings"
# Where it is, each reader knows better; and an address may have a password.
PLACE = {"directory", "file_name", "database", "experiment_id"}


def keep_settings(config: Config, store: Store) -> None:
    """Those of now in place of the last ones; an embedded store is beside its config anyway."""
    if config.database.address is None:
        return
    settings = config.model_dump(mode="json", exclude=PLACE)
    if store.load_meta(META) != settings:
        store.save_meta(META, settings)


def kept_config(place: StoreAddress, *, patience: float | None = None) -> Config:
    """The config of an experiment on a server; ConfigError where nobody has kept it."""
    store = open_store_at(place, create=False, patience=patience)
    try:
        kept, identity = store.load_meta(META), store.load_meta(IDENTITY)
        if kept is None or identity is None:
            raise ConfigError(f"{store.location}: was begun by an older version; name its folder")
        return _restored(kept, identity, place)
    except ValidationError:
        raise ConfigError(
            f"{store.location}: its settings are of another version; name its folder"
        ) from None
    finally:
        store.close()


def _restored(kept: Mapping[str, Any], identity: Mapping[str, Any], place: StoreAddress) -> Config:
    database = Database(address=place.address, name=place.database_name)
    here = {
        "directory": _folder(str(identity["folder"])),
        "file_name": DEFAULT_FILE,
        "database": database,
        "experiment_id": identity["id"],
    }
    return Config.model_validate({**kept, **here})


def _folder(written: str) -> Path:
    """Where the outputs of its jobs are, if that is this machine; a folder of none otherwise."""
    host, _, path = written.partition(":")
    return Path(path) if host == socket.gethostname() else Path("/nonexistent", host, path[1:])
