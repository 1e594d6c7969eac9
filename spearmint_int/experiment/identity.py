"""Which experiment a store holds: written by the first run, and checked by those that follow.

On a server many people's experiments lie side by side, told apart by a name, which is by default
that of the folder. Two folders of the same name must not get each other's results. So an experiment
has an id, which its folder knows too; a folder that does not know it must have the same objective.

The embedded database is in the folder itself, which may be moved or copied. It holds one
experiment: a second config with another name must not get the first one's results.

Wherever the jobs are stored, their outputs are in the folder, under the jobs' numbers. From these
outputs managers see which workers live, and which processes a killed worker has left. So all
configs whose jobs run in a folder must be of one experiment.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
import uuid
from typing import TYPE_CHECKING, Any

from spearmint_int.atomic import write_whole
from spearmint_int.config.declaration import start_anew
from spearmint_int.errors import ConfigError
from spearmint_int.stores import SQLITE_FILE, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from spearmint_int.config import Config
    from spearmint_int.stores.protocol import Store

META = "identity"
NAME = "experiment_name"
IN_THIS_LIGHT = "results so far are read in this light"
AS_ITS_OWN = "results so far count as its own"


def begin_identity(config: Config, store: Store) -> dict[str, Any]:
    """The store's identity, made if it has none; ConfigError when it is another experiment's."""
    check_folder(config, store.load_meta(META))
    new = _new_identity(config)
    identity: dict[str, Any] = store.first_meta(META, new)
    if identity["id"] != new["id"]:
        check_identity(config, identity)
    if NAME not in identity and _same_file(config.main_file, identity["main_file"]):
        identity |= _name(config)  # begun by an earlier version, which didn't say it
        store.save_meta(META, identity)
    if config.database.address is not None:
        keep_in_folder(config, identity["id"])
    return identity


def check_folder(config: Config, identity: Mapping[str, Any] | None) -> None:
    """Refuse to work in a folder whose outputs are those of another config's experiment."""
    theirs, file_name = _in_folder(config.directory)
    other = config.directory / file_name
    if not file_name or not other.is_file() or config.experiment_id is not None:
        return
    is_ours = identity is not None and identity["id"] == theirs
    if not is_ours and other.resolve() != (config.directory / config.file_name).resolve():
        raise ConfigError(
            f"{config.file_name}: experiment-name: output/ in this folder has the outputs of "
            f"another experiment, that of {file_name}, not of {config.experiment_name!r}; copy "
            f"config and objective into a folder of their own, or move {file_name} out of this one"
        )


def keep_in_folder(config: Config, experiment: str) -> None:
    """Write down whose outputs the folder has: the experiment's id and its config's file name."""
    ours = experiment, config.file_name
    if config.experiment_id is not None or _in_folder(config.directory) == ours:
        return
    path = id_path(config.directory)
    with contextlib.suppress(OSError):  # then the objective has to do
        path.parent.mkdir(exist_ok=True)
        write_whole(path, f"{experiment}\n{config.file_name}\n")


def load_identity(config: Config, store: Store) -> dict[str, Any] | None:
    """The identity that the store has, if any; ConfigError when it is another experiment's."""
    identity: dict[str, Any] | None = store.load_meta(META)
    if identity is not None:
        check_identity(config, identity)
    return identity


def open_own_store(config: Config, *, create: bool = False, patience: float | None = None) -> Store:
    """The store of the config's experiment; ConfigError when its jobs are another's."""
    store = open_store(config, create=create, patience=patience)
    try:
        identity: dict[str, Any] | None = store.load_meta(META)
        if identity is not None:
            _check_owner(config, identity)
    except BaseException:
        store.close()
        raise
    return store


def check_identity(config: Config, identity: Mapping[str, Any]) -> None:
    """Refuse an experiment of another objective, folder, name or task."""
    _check_owner(config, identity)
    ours = list(config.tasks)
    if identity["tasks"] != ours:
        theirs = ", ".join(identity["tasks"])
        raise ConfigError(
            f"{config.file_name}: tasks: the results so far are of {theirs}, not of "
            f"{', '.join(ours)}; put the tasks back, or {start_anew(config)}"
        )


def _check_owner(config: Config, identity: Mapping[str, Any]) -> None:
    if _is_known(config, identity):
        return
    where = f"{config.file_name}: experiment-name"
    if config.database.address is None:
        raise ConfigError(
            f"{where}: {SQLITE_FILE} in this folder holds the jobs of {identity[NAME]!r} "
            f"({identity['main_file']}), not of {config.experiment_name!r}; put the name back, or "
            "copy config and objective into a folder of their own"
        )
    raise ConfigError(
        f"{where}: {config.experiment_name!r} is taken on this server "
        f"by another experiment ({identity['main_file']} in {identity['folder']}); choose another "
        "experiment-name or database.name"
    )


def identity_notices(config: Config, identity: Mapping[str, Any]) -> list[str]:
    """Sentences on settings that have changed since the first run, perhaps on purpose."""
    return [f"{key} {sentence}" for key, sentence in identity_changes(config, identity)]


def identity_changes(config: Config, identity: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, sentence) of each setting that has changed and that results so far depend on."""
    main_file = identity.get("main_file", config.main_file)
    if not _same_file(config.main_file, main_file):
        yield "main-file", _changed(main_file, config.main_file, AS_ITS_OWN)
    for key, now in (("likelihood", config.likelihood), ("maximize", config.maximize)):
        was = identity.get(key, now)  # stores of earlier versions don't say which direction it was
        if was != now:
            yield key, _changed(_shown(was), _shown(now), IN_THIS_LIGHT)


def _changed(was: str, now: str, consequence: str) -> str:
    return f"was {was} in the first run, and is {now} now: {consequence}"


def _shown(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _same_file(one: str, other: str) -> bool:
    """Whether two main files are the same: the ending .py may be left out."""
    return one.removesuffix(".py") == other.removesuffix(".py")


def id_path(directory: Path) -> Path:
    """Where a folder keeps the id of its experiment, and the name of its config."""
    return directory / "output" / ".experiment-id"


def _is_known(config: Config, identity: Mapping[str, Any]) -> bool:
    """Whether the store's experiment is the config's: by the name in the folder itself, by the id
    or the objective on a server."""
    if config.database.address is None:
        return _is_of_name(config, identity)
    if _known_id(config) == identity["id"]:
        return True
    ours = _fingerprint(config)  # None for functions of the library, which nobody can compare
    return ours is not None and bool(identity["objective"] == ours)


def _is_of_name(config: Config, identity: Mapping[str, Any]) -> bool:
    """Whether the names agree; those that are their folder's may change with it."""
    if NAME not in identity or identity[NAME] == config.experiment_name:
        return True
    return not identity["has_own_name"] and not config.has_own_name


def _known_id(config: Config) -> str | None:
    if config.experiment_id is not None:
        return config.experiment_id
    return _in_folder(config.directory)[0] or None


def _in_folder(directory: Path) -> tuple[str, str]:
    """The id and the config file of the folder's experiment; empty where they are not known."""
    try:
        lines = id_path(directory).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return "", ""
    experiment, file_name = (*lines, "", "")[:2]  # earlier versions kept the id alone
    return experiment.strip(), file_name


def _new_identity(config: Config) -> dict[str, Any]:
    return {
        "id": uuid.uuid4().hex,
        **_name(config),
        "folder": f"{socket.gethostname()}:{config.directory.resolve()}",
        "main_file": config.main_file,
        "objective": _fingerprint(config),
        "tasks": list(config.tasks),
        "likelihood": config.likelihood,
        "maximize": config.maximize,
    }


def _name(config: Config) -> dict[str, Any]:
    return {NAME: config.experiment_name, "has_own_name": config.has_own_name}


def _fingerprint(config: Config) -> str | None:
    """Of the objective's source; None when it is not a file here."""
    try:
        return hashlib.sha256(config.main_path.read_bytes()).hexdigest()[:16]
    except (ConfigError, OSError):
        return None
