"""What several test folders share: a MongoDB server per session, and both kinds of store."""

from __future__ import annotations

import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import pymongo
import pytest

from spearmint_int.stores import Store, open_store_at
from tests.mongo_server import MongoServerProcess, given_uri
from tests.places import DATABASE, Place


@pytest.fixture(scope="session")
def mongo_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a MongoDB server that lives as long as the test session."""
    if uri := given_uri():
        yield uri
        with pymongo.MongoClient[dict[str, object]](uri) as client:
            client.drop_database(DATABASE)
        return
    with MongoServerProcess(tmp_path_factory.mktemp("mongodb")) as server:
        yield server.uri


@pytest.fixture(params=["sqlite", "mongodb"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where one experiment's jobs are, in each kind of store in turn."""
    address = None if request.param == "sqlite" else request.getfixturevalue("mongo_uri")
    return Place(tmp_path, f"{tmp_path.name}-{uuid.uuid4().hex[:8]}", address)


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    """An empty store, of each kind in turn."""
    store = open_store_at(place)
    yield store
    store.close()


@pytest.fixture
def listens_to_ctrl_c() -> Iterator[None]:
    """A process that a shell has put into the background is deaf to it from its start, and so is
    all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
