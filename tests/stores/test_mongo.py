"""What the MongoDB store alone promises: readable documents, and faults that explain."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymongo
import pytest

from spearmint_int.errors import SpearmintError, StoreError, StoreUnavailable, StoreVersionError
from spearmint_int.jobs import JobStatus
from spearmint_int.stores import open_store, open_store_at
from spearmint_int.stores.address import shown_address
from spearmint_int.stores.mongo import MongoStore
from spearmint_int.stores.mongo_server import MongoServer, as_uri, refuse_weak_options
from spearmint_int.testing.drafts import add, add_and_claim
from tests.manager.experiments import experiment
from tests.mongo_server import free_port
from tests.places import DATABASE, Place

OpenStore = Callable[..., MongoStore]


@pytest.fixture
def open_experiment(mongo_uri: str, tmp_path: Path) -> Iterator[OpenStore]:
    opened: list[MongoStore] = []

    def open_one(name: str = "", **options: Any) -> MongoStore:
        experiment = f"{tmp_path.name}{name}"
        opened.append(MongoStore(mongo_uri, database=DATABASE, experiment=experiment, **options))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def database(mongo_uri: str) -> Iterator[Any]:
    with pymongo.MongoClient[dict[str, Any]](mongo_uri) as client:
        yield client[DATABASE]


def test_integers_are_stored_as_64_bit_integers(
    open_experiment: OpenStore, database: Any, tmp_path: Path
) -> None:
    store = open_experiment()
    add(store, depth=3)
    jobs = database[f"{tmp_path.name}.jobs"]
    assert jobs.count_documents({"_id": {"$type": "long"}, "params.depth": {"$type": "long"}}) == 1
    assert jobs.find_one({"params.depth": 3, "status": "new"})["point"] == [0.5, 0.1]


def test_an_integer_beyond_64_bits_is_refused(open_experiment: OpenStore) -> None:
    store = open_experiment()
    with pytest.raises(StoreError, match="too large for MongoDB"):
        add(store, params={"huge": 2**63})
    assert store.jobs() == []


@pytest.mark.parametrize("params", [{"zero\0byte": 1}, {"text": "x" * 17_000_000}])
def test_a_document_that_mongodb_can_not_hold_is_explained(
    open_experiment: OpenStore, params: dict[str, Any]
) -> None:
    store = open_experiment()
    with pytest.raises(StoreError, match="can't be stored"):
        add(store, params=params)
    assert store.jobs() == []


def test_experiments_in_one_database_do_not_mix(open_experiment: OpenStore) -> None:
    one, two = open_experiment("-one"), open_experiment("-two")
    add_and_claim(one)
    assert two.claim("b", lease_seconds=60) is None
    assert add(two).id == 1
    one.destroy()
    assert len(two.jobs()) == 1


def test_jobs_of_spearmint_itself_are_left_alone(
    open_experiment: OpenStore, database: Any, tmp_path: Path
) -> None:
    database[f"{tmp_path.name}.jobs"].insert_one({"id": 1, "status": "complete"})
    with pytest.raises(StoreVersionError, match=r"jobs of another program \(Spearmint's own\?\)"):
        open_experiment()


def test_another_schema_version_is_refused(
    open_experiment: OpenStore, database: Any, tmp_path: Path
) -> None:
    open_experiment()
    database[f"{tmp_path.name}.meta"].update_one({}, {"$set": {"value": 9}})
    with pytest.raises(StoreVersionError, match="schema version 9, this program needs 2"):
        open_experiment()


def test_the_index_is_there(open_experiment: OpenStore, database: Any, tmp_path: Path) -> None:
    open_experiment()
    names = set(database[f"{tmp_path.name}.jobs"].index_information())
    assert names == {"_id_", "status_1__id_1"}


def test_a_name_that_mongodb_does_not_allow_is_explained(open_experiment: OpenStore) -> None:
    with pytest.raises(StoreError, match="choose one without"):
        open_experiment("$name")


def test_a_server_that_is_not_there_is_told_within_seconds() -> None:
    address = f"127.0.0.1:{free_port()}"
    begin = time.monotonic()
    with pytest.raises(StoreUnavailable, match="no MongoDB server answers") as caught:
        MongoStore(address, database=DATABASE, experiment="x")
    assert time.monotonic() - begin < 10
    assert address in str(caught.value)
    assert "refused" in str(caught.value)
    assert "leave the address out to use the embedded database" in str(caught.value)


@pytest.mark.parametrize("address", ["mongodb://", "http://host", "host:port", "mongodb://u:p@:@h"])
def test_an_impossible_address_is_explained(address: str) -> None:
    with pytest.raises(StoreError, match="not a usable database address"):
        MongoStore(address, database=DATABASE, experiment="x")


def test_a_wrong_password_is_explained(mongo_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = mongo_uri.replace("mongodb://", "mongodb://somebody:secret@")
    with pytest.raises(StoreError, match="refused the user or password") as caught:
        MongoStore(address, database=DATABASE, experiment="x")
    assert "secret" not in str(caught.value)


def test_a_host_is_an_address() -> None:
    assert as_uri("db.example.org:27018") == "mongodb://db.example.org:27018"
    assert as_uri("mongodb+srv://cluster") == "mongodb+srv://cluster"


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("mongodb://ann:secret@host:1/?tls=true", "mongodb://ann@host:1"),
        ("mongodb://a,b:2/admin", "mongodb://a,b:2/admin"),
        ("mongodb+srv://ann:s%40e@host/", "mongodb+srv://ann@host"),
        ("mongodb://ann:se/cr@et@host:1", "mongodb://ann@host:1"),
        ("mongodb://ann:secret", "mongodb://…"),
        ("mongodb://ann:secret/db", "mongodb://…"),
        ("ann:secret@host", "ann@host"),
        ("mongodb://ann:sec?ret@[::1]:27017/db", "mongodb://ann@[::1]:27017/db"),
        ("mongodb://ann:secret@[::1", "mongodb://ann@…"),
    ],
)
def test_passwords_are_not_shown(uri: str, shown: str) -> None:
    assert shown_address(uri) == shown


def test_the_address_of_the_environment_wins(
    mongo_uri: str, tmp_path: Path, open_experiment: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPEARMINT_DB_ADDRESS", mongo_uri)
    store = open_store(experiment(Place(tmp_path, tmp_path.name, None)))
    add(store)
    assert isinstance(store, MongoStore)
    assert len(open_experiment().jobs()) == 1
    store.close()


@pytest.mark.parametrize(
    "option",
    ["w=0", "w=1", "journal=false", "readPreference=secondary", "readConcernLevel=local"],
)
def test_an_address_that_weakens_the_promises_is_refused(option: str) -> None:
    with pytest.raises(StoreError, match=r"the option \w+=\w+ weakens .*leave it out"):
        refuse_weak_options(f"mongodb://host:1/?{option}")


@pytest.mark.parametrize(
    ("database", "name", "sentence"),
    [
        ("spearmint", "e" * 239, "experiment-name: 'eee.*too long.*shorten it by 1"),
        ("spearmint", "é" * 120, "experiment-name: 'ééé.*too long.*shorten it by 2"),
        ("spearmint", "a$b", "experiment-name: .*can't be a collection"),
        ("spearmint", "system.x", "experiment-name: .*can't be a collection"),
        ("spearmint", "ends.", "experiment-name: .*can't be a collection"),
        ("d" * 64, "x", "database.name: .*at most 63 bytes"),
        ("my database", "x", "database.name: .*without space"),
    ],
)
def test_names_that_no_server_can_hold_are_refused_before_anything_is_written(
    database: str, name: str, sentence: str, mongo_uri: str
) -> None:
    with pytest.raises(StoreError, match=sentence):
        MongoStore(mongo_uri, database=database, experiment=name)


def test_the_longest_name_works_in_full(mongo_uri: str) -> None:
    name = "e" * (255 - len(f"{DATABASE}..chains"))
    store = MongoStore(mongo_uri, database=DATABASE, experiment=name)
    add_and_claim(store)
    store.save_chain("chain", {})
    assert store.lock("suggestion", "me", seconds=1)
    store.destroy()


def test_an_address_that_repeats_the_promises_is_fine() -> None:
    refuse_weak_options("mongodb://host/?w=majority&journal=true&readPreference=primary")


def test_results_are_written_to_most_servers_and_read_from_most(mongo_uri: str) -> None:
    server = MongoServer(mongo_uri)
    jobs = server.collection(DATABASE, "jobs")
    assert jobs.write_concern.document == {"w": "majority", "j": True}
    assert jobs.read_concern.level == "majority"
    server.close()


@pytest.mark.parametrize(
    "address",
    [
        "mongodb://ann:hunter2",
        "mongodb://ann:hunter2/jobs",
        "mongodb://ann:hunter2@",
        "mongodb://ann:hunter2@host:port",
        "mongodb://ann:hun/hunter2@host",
        "mongodb://ann:hun@hunter2@host",
        "mongodb://ann:hunter2@[::1",
        "mongodb://ann:%hunter2@host",
        "mongodb://ann:hunter2@host/?w=0",
        "mongodb://ann:hunter2@host/?nonsense=hunter2",
        "mongodb://ann:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=100",
        "mongodb+srv://ann:hunter2@nowhere.invalid/?serverSelectionTimeoutMS=100",
        "ann:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=100",
        "hunter2://ann:hunter2@host",
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_no_message_has_a_password_whatever_is_wrong_with_the_address(
    address: str, tmp_path: Path
) -> None:
    with pytest.raises(SpearmintError) as caught:
        open_store_at(Place(tmp_path, "test", address), patience=0.1)
    assert "hunter2" not in str(caught.value).removeprefix("unknown store 'hunter2'")
    assert "hunter2" not in repr(Place(tmp_path, "test", address))


def test_what_others_put_among_the_jobs_is_no_job(
    open_experiment: OpenStore, database: Any, tmp_path: Path
) -> None:
    store = open_experiment()
    add(store)
    jobs = database[f"{tmp_path.name}.jobs"]
    jobs.insert_one({**jobs.find_one({"_id": 1}), "_id": "a copy"})
    assert store.tally().counts[JobStatus.NEW] == 1
    assert store.tally().last_id == store.last_id() == 1
    assert add(store).id == 2
