"""Experiments for the manager's tests: a folder with an objective, and a config for it."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from spearmint_int.config import Config, config_from
from spearmint_int.manager import Event, Manager, Summary
from spearmint_int.stores import Store
from tests.places import Place

SQUARE = "def main(job_id, params): return float(params['x'][0] ** 2 + params['k'][0])"
SLEEP = """
import os, time
def main(job_id, params):
    open(f"{job_id}.pid", "w").write(str(os.getpid()))
    time.sleep(100)
"""
VARIABLES = {
    "x": {"type": "FLOAT", "min": -1, "max": 1},
    "k": {"type": "INT", "min": 0, "max": 4},
}
# Plenty of choosers are tested elsewhere; here the cheapest one will do.
DEFAULTS: dict[str, Any] = {
    "main-file": "objective",
    "variables": VARIABLES,
    "chooser": "random_chooser",
    "max-finished-jobs": 3,
    "polling-time": 0.5,
}

on_both_stores = pytest.mark.parametrize("place", ["sqlite", "mongodb"], indirect=True)


def experiment(place: Place, code: str = SQUARE, **keys: Any) -> Config:
    """The experiment at this place, with these keys of its config."""
    write_objective(place.directory, code)
    database = {"name": place.database_name}
    if place.address is not None:
        database["address"] = place.address
    given = {name.replace("_", "-"): value for name, value in keys.items()}
    named = {"experiment-name": place.experiment_name, "database": database}
    document = DEFAULTS | named | given
    if "resources" in document:
        del document["max-finished-jobs"]  # it belongs into the block
    return config_from(document, place.directory)


def write_objective(directory: Path, code: str) -> None:
    """Put it there unless it is: another manager's job may be reading it."""
    path, text = directory / "objective.py", textwrap.dedent(code)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


class Heard:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def run(config: Config, store: Store, **parts: Any) -> tuple[Summary, Heard]:
    """A run to its end, and what was heard of it; without the model's minimum unless asked for."""
    heard = Heard()
    given = {"recommender": no_estimate} | parts
    return Manager(config, store, listener=heard, **given).run(), heard


def no_estimate(*data: Any, **options: Any) -> None:
    """A recommender that costs nothing."""
