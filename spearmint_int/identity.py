"""Which experiment a store holds: said by the first run, and compared by those that follow.

On a server many people's experiments lie side by side, told apart by a name that is a folder's as a
rule. Two folders of one name must not be handed each other's results. So an experiment has an id,
which its folder knows too; a folder that does not know it must have the same objective.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
import uuid
from typing import TYPE_CHECKING, Any

from spearmint_int.atomic import write_whole
from spearmint_int.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from spearmint_int.config import Config
    from spearmint_int.stores.protocol import Store

META = "identity"
IN_THIS_LIGHT = "results so far are read in this light"


def begin_identity(config: Config, store: Store) -> dict[str, Any]:
    """The experiment's identity, made if there is none; ConfigError when it is another one's."""
    new = _new_identity(config)
    identity: dict[str, Any] = store.first_meta(META, new)
    if identity["id"] != new["id"]:
        check_identity(config, identity)
    if config.database.address is not None and _known_id(config) != identity["id"]:
        path = id_path(config.directory)
        with contextlib.suppress(OSError):  # then the objective has to do
            path.parent.mkdir(exist_ok=True)
            write_whole(path, f"{identity['id']}\n")
    return identity


def load_identity(config: Config, store: Store) -> dict[str, Any] | None:
    """The identity that the store has, if any; ConfigError when it is another experiment's."""
    identity: dict[str, Any] | None = store.load_meta(META)
    if identity is not None:
        check_identity(config, identity)
    return identity


def check_identity(config: Config, identity: Mapping[str, Any]) -> None:
    """Refuse an experiment of another objective, folder or task under our name."""
    ours = list(config.tasks)
    if identity["tasks"] != ours:
        theirs = ", ".join(identity["tasks"])
        raise ConfigError(
            f"{config.file_name}: tasks: the results so far are of {theirs}, not of "
            f"{', '.join(ours)}; rename it back, or choose another experiment-name"
        )
    if _is_known(config, identity):
        return
    raise ConfigError(
        f"{config.file_name}: experiment-name: {config.experiment_name!r} is taken on this server "
        f"by another experiment ({identity['main_file']} in {identity['folder']}); choose another "
        "experiment-name or database.name"
    )


def identity_notices(config: Config, identity: Mapping[str, Any]) -> list[str]:
    """What has changed since the first run and may be meant."""
    return [f"{key} {sentence}" for key, sentence in identity_changes(config, identity)]


def identity_changes(config: Config, identity: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, sentence) of the settings that all results so far are read by, and which are others."""
    for key, now in (("likelihood", config.likelihood), ("maximize", config.maximize)):
        was = identity.get(key, now)  # stores of earlier versions don't say which direction it was
        if was != now:
            yield (
                key,
                f"was {_shown(was)} in the first run, and is {_shown(now)} now: {IN_THIS_LIGHT}",
            )


def _shown(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def id_path(directory: Path) -> Path:
    """Where a folder keeps the id of its experiment."""
    return directory / "output" / ".experiment-id"


def _is_known(config: Config, identity: Mapping[str, Any]) -> bool:
    """The embedded database is in the folder itself; on a server, id or objective must agree."""
    if config.database.address is None or _known_id(config) == identity["id"]:
        return True
    ours = _fingerprint(config)  # None for functions of the library, which nobody can compare
    return ours is not None and bool(identity["objective"] == ours)


def _known_id(config: Config) -> str | None:
    if config.experiment_id is not None:
        return config.experiment_id
    try:
        return id_path(config.directory).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _new_identity(config: Config) -> dict[str, Any]:
    return {
        "id": uuid.uuid4().hex,
        "folder": f"{socket.gethostname()}:{config.directory.resolve()}",
        "main_file": config.main_file,
        "objective": _fingerprint(config),
        "tasks": list(config.tasks),
        "likelihood": config.likelihood,
        "maximize": config.maximize,
    }


def _fingerprint(config: Config) -> str | None:
    """Of the objective's source; None when it is not a file here."""
    try:
        return hashlib.sha256(config.main_path.read_bytes()).hexdigest()[:16]
    except (ConfigError, OSError):
        return None
