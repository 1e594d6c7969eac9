"""A process that uses a store at the same time as others; prints what it did as JSON.

python -m tests.stores.worker ACTION DIRECTORY EXPERIMENT ADDRESS
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from spearmint_int.jobs import JobDraft
from spearmint_int.stores import Store, open_store_at
from tests.places import Place


def claim_all(store: Store) -> list[int]:
    """Complete jobs until there are none left; the ids that this process got."""
    taken = []
    while job := store.claim(f"worker {os.getpid()}", lease_seconds=60):
        assert store.complete(job.claim, {"main": float(job.id)})
        taken.append(job.id)
    return taken


def add_to_limit(store: Store) -> list[int]:
    """Add jobs until all processes together have reached the limit; the ids of this one's."""
    added = []
    while job := store.add(JobDraft({"pid": os.getpid()}, (0.5,)), limit=60):
        added.append(job.id)
    return added


def agree(store: Store) -> list[int]:
    """The seed that all processes agree on."""
    return [store.first_meta("seed", os.getpid())]


def die_in_transaction(store: Store) -> list[int]:
    """Killed in the middle of a change, as by the out-of-memory killer."""
    job = store.claim("victim", lease_seconds=60)
    assert job is not None

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    # SQLite calls this after some instructions of the next statement.
    store._file._open_connection().set_progress_handler(die, 50)  # type: ignore[attr-defined]
    store.complete(job.claim, {"main": 1.0})
    return []


ACTIONS: dict[str, Callable[[Store], list[int]]] = {
    action.__name__: action for action in (claim_all, add_to_limit, agree, die_in_transaction)
}

if __name__ == "__main__":
    name, directory, experiment, address = sys.argv[1:]
    opened = open_store_at(Place(Path(directory), experiment, address or None))
    print(json.dumps(ACTIONS[name](opened)))
    opened.close()
