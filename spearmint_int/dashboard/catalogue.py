"""The experiments to show: those of the folders, and those on a server, which come and go."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spearmint_int.dashboard.source import PATIENCE_SECONDS, Source
from spearmint_int.errors import StoreUnavailable
from spearmint_int.experiment.settings import kept_config
from spearmint_int.stores import StoreAddress

if TYPE_CHECKING:
    from spearmint_int.stores.mongo_server import MongoServer

LIST_SECONDS = 5.0  # a server is asked for new experiments at most so often

Listing = Callable[[], list[StoreAddress]]


class Catalogue(Mapping[str, Source]):
    """Experiments by their names. Those of one name in several databases have it added."""

    def __init__(self, folders: Mapping[str, Source], listing: Listing) -> None:
        self._folders, self._listing = folders, listing
        self._asking = threading.Lock()
        self._asked = float("-inf")
        self._on_server: dict[StoreAddress, Source] = {}

    def __getitem__(self, name: str) -> Source:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def close(self) -> None:
        """Close the server's stores."""
        for source in self._on_server.values():
            source.close()

    def _all(self) -> dict[str, Source]:
        with self._asking:
            if time.monotonic() - self._asked > LIST_SECONDS:
                self._refresh()
                self._asked = time.monotonic()
            return {**self._folders, **{s.name: s for s in self._on_server.values()}}

    def _refresh(self) -> None:
        """Ask the server what it has; while it is away, no experiment has to find that out by
        itself."""
        away = None
        try:
            before, self._on_server = self._on_server, self._listed()
            for place in before.keys() - self._on_server.keys():
                before[place].close()
        except StoreUnavailable as error:
            away = error
        for source in self._on_server.values():
            source.away = away

    def _listed(self) -> dict[StoreAddress, Source]:
        """The experiments on the server now; those that were there before keep what they have
        read."""
        shown = {_place(source) for source in self._folders.values()}
        there = [p for p in self._listing() if (p.database_name, p.experiment_name) not in shown]
        names = [*self._folders, *(place.experiment_name for place in there)]
        return {
            place: self._on_server.get(place)
            or Source(
                partial(kept_config, place, patience=PATIENCE_SECONDS),
                name=_name(place, unique=names.count(place.experiment_name) == 1),
            )
            for place in there
        }


def _place(source: Source) -> tuple[str, str] | None:
    """The database and name of a folder's experiment, if it is on a server."""
    database = source.config.database
    return None if database.address is None else (database.name, source.config.experiment_name)


def _name(place: StoreAddress, *, unique: bool) -> str:
    return place.experiment_name if unique else f"{place.experiment_name} in {place.database_name}"


def on_server(server: MongoServer, address: str, database: str | None) -> Listing:
    """How to ask a server for its experiments, of one database or of all."""

    def listing() -> list[StoreAddress]:
        return [
            StoreAddress(Path(), experiment, address, name)
            for name, experiment in server.experiments(database)
        ]

    return listing
