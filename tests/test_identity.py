"""Experiments of one name on one server: who is handed whose results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from spearmint_int.config import Config
from spearmint_int.errors import ConfigError
from spearmint_int.experiment import StoredExperiment
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


def test_a_renamed_task_is_refused(place: Place, store: Store) -> None:
    begin(experiment(place, SQUARE), store)
    renamed = experiment(place, SQUARE, tasks={"error": {"type": "OBJECTIVE"}})
    with pytest.raises(ConfigError, match="the results so far are of main, not of error"):
        begin(renamed, store)


def test_a_changed_likelihood_is_told(place: Place, store: Store) -> None:
    begin(experiment(place, SQUARE), store)
    changed = experiment(place, SQUARE, likelihood="NOISELESS", max_finished_jobs=1)
    _, heard = run(changed, store)
    (notice,) = heard.of(Notice)
    assert "likelihood was GAUSSIAN in the first run, and is NOISELESS now" in notice.message


def test_the_embedded_database_belongs_to_its_folder(tmp_path: Path) -> None:
    place = folder(tmp_path, "ann", None)
    store = open_store_at(place)
    ours = begin(experiment(place, SQUARE), store)
    assert begin(experiment(place, OTHER), store) == ours
    store.close()
