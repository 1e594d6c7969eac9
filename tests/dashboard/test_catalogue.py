"""The experiments of a server, which the page finds without their folders."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pymongo
import pytest

pytest.importorskip("dash")

from spearmint_int.config import load_config
from spearmint_int.dashboard import Access, Catalogue, Source, catalogue, make_app, on_server
from spearmint_int.errors import ConfigError, StoreUnavailable
from spearmint_int.experiment.settings import META
from spearmint_int.stores import StoreAddress
from spearmint_int.stores.mongo_server import MongoServer
from tests.cli.conftest import CONFIG, OBJECTIVE, RESULTS, CommandLine, spearmint

__all__ = ["spearmint"]
Bring = Callable[..., Path]


@pytest.fixture
def database(mongo_uri: str) -> Iterator[str]:
    """A database of its own, gone afterwards."""
    name = f"pages-{uuid.uuid4().hex[:8]}"
    yield name
    with pymongo.MongoClient[dict[str, Any]](mongo_uri) as client:
        for each in client.list_database_names():
            if each.startswith(name):
                client.drop_database(each)


@pytest.fixture
def bring(tmp_path: Path, mongo_uri: str, database: str, spearmint: CommandLine) -> Bring:
    """Make an experiment with four results on the server."""

    def brought(name: str, database: str = database, **settings: Any) -> Path:
        folder = tmp_path / database / name
        folder.mkdir(parents=True)
        place = {"address": mongo_uri, "name": database}
        (folder / "config.json").write_text(json.dumps(CONFIG | {"database": place} | settings))
        (folder / "objective.py").write_text(OBJECTIVE)
        (folder / "results.csv").write_text(RESULTS)
        assert spearmint("add", folder, folder / "results.csv").code == 0
        return folder

    return brought


@pytest.fixture
def server(mongo_uri: str) -> Iterator[MongoServer]:
    with closing(MongoServer(mongo_uri, patience=1.0)) as server:
        yield server


@pytest.fixture
def listed(
    mongo_uri: str, database: str, server: MongoServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Catalogue]:
    monkeypatch.setattr(catalogue, "LIST_SECONDS", 0.0)
    with closing(Catalogue({}, on_server(server, mongo_uri, database))) as listed:
        yield listed


def test_an_experiment_is_read_without_its_folder(bring: Bring, listed: Catalogue) -> None:
    shutil.rmtree(bring("far away", maximize=True))
    (source,) = listed.values()
    assert [row.value for row in source.state().rows[:3]] == [1.25, 0.0625, 5.0]
    assert (source.name, source.config.maximize, source.config.budget) == ("far away", True, 3)


def test_one_that_begins_while_the_page_is_open_comes_in(bring: Bring, listed: Catalogue) -> None:
    assert list(listed) == []
    bring("new")
    first = listed["new"]
    bring("newer")
    assert list(listed) == ["new", "newer"]
    assert listed["new"] is first


def test_two_of_one_name_are_told_apart(
    mongo_uri: str, database: str, server: MongoServer, bring: Bring
) -> None:
    bring("twin")
    bring("twin", f"{database}-2")
    everything = on_server(server, mongo_uri, None)
    ours = [p for p in everything() if p.database_name.startswith(database)]
    names = list(Catalogue({}, lambda: ours))
    assert names == [f"twin in {database}", f"twin in {database}-2"]


def test_the_folder_of_one_on_the_server_is_no_second_one(
    mongo_uri: str, database: str, server: MongoServer, bring: Bring
) -> None:
    folders = {"both": Source.of(load_config(bring("both")))}
    both = Catalogue(folders, on_server(server, mongo_uri, database))
    assert list(both.values()) == list(folders.values())


def test_one_of_an_older_version_says_so_and_hides_no_other(
    mongo_uri: str, database: str, bring: Bring, listed: Catalogue
) -> None:
    bring("old")
    bring("of today")
    with pymongo.MongoClient[dict[str, Any]](mongo_uri) as client:
        client[database]["old.meta"].delete_one({"_id": META})
    with pytest.raises(ConfigError, match="name its folder"):
        listed["old"].state()
    assert len(listed["of today"].state().rows) == 4


def test_a_point_is_reserved_without_the_folder(bring: Bring, listed: Catalogue) -> None:
    shutil.rmtree(bring("bench"))
    assert listed["bench"].reserve() == 5


def test_a_server_that_is_away_is_a_sentence_without_the_password(spearmint: CommandLine) -> None:
    address = "mongodb://ann:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=100"
    answer = spearmint("dashboard", "--mongodb", address)
    assert answer.code == 2
    assert "no MongoDB server answers" in answer.err
    assert "hunter2" not in answer.out + answer.err


def test_a_server_that_goes_away_is_told_at_once_and_forgotten_when_it_is_back(
    mongo_uri: str, database: str, server: MongoServer, bring: Bring, monkeypatch: Any
) -> None:
    bring("kept")
    monkeypatch.setattr(catalogue, "LIST_SECONDS", 0.0)
    listing, is_away = on_server(server, mongo_uri, database), False

    def lossy() -> list[StoreAddress]:
        if is_away:
            raise StoreUnavailable("no MongoDB server answers")
        return listing()

    with closing(Catalogue({}, lossy)) as listed:
        assert len(listed["kept"].state().rows) == 4
        is_away = True
        with pytest.raises(StoreUnavailable):
            listed["kept"].state()
        is_away = False
        assert len(listed["kept"].state().rows) == 4


def test_the_page_lists_what_is_on_the_server(bring: Bring, listed: Catalogue) -> None:
    bring("shown")
    client = make_app(listed, Access(None, 8050)).server.test_client()
    asked = {
        "output": "..experiments.children...seen-list.data..",
        "outputs": [
            {"id": "experiments", "property": "children"},
            {"id": "seen-list", "property": "data"},
        ],
        "inputs": [{"id": "look-list", "property": "data", "value": 1}],
        "state": [{"id": "seen-list", "property": "data", "value": ""}],
        "changedPropIds": ["look-list.data"],
    }
    host = {"Host": "127.0.0.1:8050"}
    answer = client.post("/_dash-update-component", json=asked, headers=host)
    assert "/e/shown" in json.dumps(answer.json)
    assert "mongodb://" not in answer.text
