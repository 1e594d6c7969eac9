"""A manager in a process of its own: `process.py DIR EXPERIMENT ADDRESS KEYS`, to be killed.

Prints a line for each event, and the reason at the end; signals stop it as they do on the command
line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from spearmint_int.manager import Event, Manager, stopped_by_signals
from spearmint_int.stores import open_store_at
from tests.manager.batch_queue import BatchQueue
from tests.manager.experiments import experiment, no_estimate
from tests.places import Place


def tell(event: Event) -> None:
    """One line for an event."""
    print(type(event).__name__, flush=True)


def main(directory: str, name: str, address: str, keys: str) -> None:
    """Run the experiment to its end."""
    place = Place(Path(directory), name, address or None)
    objective = (place.directory / "objective.py").read_text(encoding="utf-8")
    store = open_store_at(place)
    given = json.loads(keys)
    options: dict[str, Any] = {}
    if queue := given.pop("queue", None):
        options["schedulers"] = {"Main": BatchQueue(Path(queue))}
    config = experiment(place, objective, **given)
    manager = Manager(config, store, recommender=no_estimate, listener=tell, **options)
    with stopped_by_signals(manager):
        print(manager.run().reason, flush=True)
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
