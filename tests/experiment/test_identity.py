"""Experiments of one name on one server, or in one folder: who is handed whose results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spearmint_int.config import Config
from spearmint_int.errors import ConfigError
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.identity import META, identity_notices, load_identity
from spearmint_int.manager import Notice
from spearmint_int.stores import Store, open_store_at
from tests.manager.experiments import SQUARE, experiment, run
from tests.places import Place

OTHER = "def main(job_id, params): return 1.0"


@pytest.fixture
def place(tmp_path: Path, mongo_uri: str) -> Iterator[Place]:
    place = folder(tmp_path, "ann", mongo_uri)
    yield place
    open_store_at(place).destroy()


def folder(root: Path, user: str, address: str | None) -> Place:
    """A user's folder for an experiment of the same name."""
    (root / user).mkdir()
    return Place(root / user, f"test-{root.name}", address)


def begin(config: Config, store: Store) -> str:
    return StoredExperiment.begin(config, store).id


def test_another_folder_with_another_objective_is_refused(place: Place, store: Store) -> None:
    begin(experiment(place, SQUARE), store)
    bobs = folder(place.directory.parent, "bob", place.address)
    with pytest.raises(ConfigError, match=r"experiment-name: .* is taken .*objective in .*/ann"):
        begin(experiment(bobs, OTHER), store)
    with pytest.raises(ConfigError, match="is taken"):
        StoredExperiment.read(experiment(bobs, OTHER), store)


def test_another_folder_with_a_function_of_the_library_is_refused(
    place: Place, store: Store
) -> None:
    """Of neither is there a file to compare."""
    ours = begin(_without_file(place), store)
    assert begin(_without_file(place), store) == ours
    bobs = folder(place.directory.parent, "bob", place.address)
    with pytest.raises(ConfigError, match="is taken"):
        begin(_without_file(bobs), store)


def _without_file(place: Place) -> Config:
    config = experiment(place, SQUARE)
    config.main_path.unlink()
    return config


def test_another_folder_with_the_same_objective_joins(place: Place, store: Store) -> None:
    ours = begin(experiment(place, SQUARE), store)
    elsewhere = folder(place.directory.parent, "node7", place.address)
    assert begin(experiment(elsewhere, SQUARE), store) == ours


def test_a_folder_that_knows_its_experiment_may_change_its_objective(
    place: Place, store: Store
) -> None:
    ours = begin(experiment(place, SQUARE), store)
    assert begin(experiment(place, OTHER), store) == ours


def beside(place: Place, file_name: str, name: str, **keys: Any) -> Config:
    """The experiment of a config in the place's folder, of a file of its own."""
    (place.directory / file_name).write_text("{}")
    config = experiment(place, SQUARE, experiment_name=f"{place.experiment_name}-{name}", **keys)
    return config.model_copy(update={"file_name": file_name})


@pytest.fixture
def stores(place: Place) -> Iterator[dict[str, Store]]:
    """Of two experiments of one folder."""
    names = {name: replace(place, experiment_name=f"{place.experiment_name}-{name}")
             for name in ("a", "b")}  # fmt: skip
    opened = {name: open_store_at(there) for name, there in names.items()}
    yield opened
    for store in opened.values():
        store.destroy()


def test_a_second_experiment_is_refused_where_the_first_has_its_outputs(
    place: Place, stores: dict[str, Store]
) -> None:
    ours = begin(beside(place, "a.json", "a"), stores["a"])
    other = beside(place, "b.json", "b")
    with pytest.raises(ConfigError, match=r"b.json: .* that of a.json.* folder of their own"):
        begin(other, stores["b"])
    assert stores["b"].load_meta(META) is None
    assert begin(beside(place, "b.json", "a"), stores["a"]) == ours  # of the same experiment
    (place.directory / "b.json").unlink()
    begin(beside(place, "a.json", "b"), stores["b"])  # it was given another name


def test_a_config_that_was_moved_away_leaves_its_folder_to_another(
    place: Place, stores: dict[str, Store]
) -> None:
    begin(beside(place, "a.json", "a"), stores["a"])
    (place.directory / "a.json").unlink()
    begin(beside(place, "b.json", "b"), stores["b"])


def test_an_experiment_on_a_server_is_refused_in_the_folder_of_an_embedded_one(
    place: Place, store: Store
) -> None:
    embedded = replace(place, address=None)
    jobs = open_store_at(embedded)
    run(beside(embedded, "a.json", "a", max_finished_jobs=1), jobs)
    jobs.close()
    with pytest.raises(ConfigError, match=r"output/ in this folder .* that of a.json"):
        begin(beside(place, "b.json", "b"), store)


def test_a_renamed_task_is_refused(place: Place, store: Store) -> None:
    begin(experiment(place, SQUARE), store)
    renamed = experiment(place, SQUARE, tasks={"error": {"type": "OBJECTIVE"}})
    with pytest.raises(ConfigError, match=r"are of main, not of error; .* another experiment-name"):
        begin(renamed, store)


def test_a_changed_likelihood_is_told(place: Place, store: Store) -> None:
    begin(experiment(place, SQUARE), store)
    changed = experiment(place, SQUARE, likelihood="NOISELESS", max_finished_jobs=1)
    _, heard = run(changed, store)
    (notice,) = heard.of(Notice)
    assert "likelihood was GAUSSIAN in the first run, and is NOISELESS now" in notice.message


def test_a_changed_main_file_is_told(place: Place, store: Store) -> None:
    begin(experiment(place, SQUARE), store)
    identity = store.load_meta(META) or {}
    assert not identity_notices(experiment(place, SQUARE, main_file="objective.py"), identity)
    (notice,) = identity_notices(experiment(place, SQUARE, main_file="other.py"), identity)
    assert notice.startswith("main-file was objective in the first run, and is other.py now")


@pytest.fixture
def embedded(tmp_path: Path) -> Place:
    return folder(tmp_path, "ann", None)


def begun(place: Place, **keys: Any) -> Store:
    """The embedded store of an experiment that has begun."""
    store = open_store_at(place)
    begin(experiment(place, SQUARE, **keys), store)
    return store


def named(place: Place, name: str | None, **keys: Any) -> Config:
    """The experiment of this name, or of its folder's."""
    return experiment(place, SQUARE, experiment_name=name, **keys)


def test_the_embedded_database_belongs_to_its_folder(embedded: Place) -> None:
    store = open_store_at(embedded)
    ours = begin(experiment(embedded, SQUARE), store)
    assert begin(experiment(embedded, OTHER), store) == ours
    store.close()


@pytest.mark.parametrize(("first", "then"), [("a", "b"), ("a", None), (None, "b")])
def test_a_folder_holds_one_experiment(embedded: Place, first: str | None, then: str) -> None:
    store = begun(embedded, experiment_name=first)
    other = named(embedded, then, main_file="other.py")
    with pytest.raises(ConfigError, match=f"holds the jobs of '{first or 'ann'}' .objective., not"):
        load_identity(other, store)
    with pytest.raises(ConfigError, match="copy config and objective into a folder of their own"):
        begin(other, store)
    store.close()


@pytest.mark.parametrize("name", [None, "ann", "another"])
def test_an_experiment_goes_on_in_a_folder_that_was_moved(embedded: Place, name: str) -> None:
    store = begun(embedded, experiment_name=name)
    moved = replace(embedded, directory=embedded.directory.rename(embedded.directory.parent / "b"))
    assert load_identity(named(moved, name), store) is not None
    store.close()


def test_a_name_may_be_said_that_is_the_folders_anyway(embedded: Place) -> None:
    store = begun(embedded, experiment_name=None)
    assert load_identity(named(embedded, "ann"), store) is not None
    store.close()


def test_a_store_of_an_earlier_version_takes_the_name_of_the_first_who_goes_on(
    embedded: Place,
) -> None:
    store = begun(embedded, experiment_name="a")
    known = store.load_meta(META) or {}
    store.save_meta(META, {k: v for k, v in known.items() if "name" not in k})
    begin(named(embedded, "b", main_file="other"), store)  # another file: it may be a second one
    begin(named(embedded, "a"), store)
    with pytest.raises(ConfigError, match="holds the jobs of 'a'"):
        load_identity(named(embedded, "b"), store)
    store.close()
