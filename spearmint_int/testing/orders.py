"""Orders for workers: a claimed job of a real store, with an objective in the same folder."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from spearmint_int.jobs import Job, JobDraft
from spearmint_int.launcher.order import Argument, Launch, Order
from spearmint_int.stores import Store, StoreAddress

LEASE = 30.0
EXPERIMENT = "an experiment's id"
X = Argument("x", "FLOAT", (2.0,))


def launch(folder: Path, code: str, **changes: Any) -> Launch:
    """A Python objective with this source."""
    (folder / "objective.py").write_text(textwrap.dedent(code), encoding="utf-8")
    fields: dict[str, Any] = {
        "job_id": 7,
        "attempt": 1,
        "directory": str(folder),
        "language": "PYTHON",
        "main_file": "objective",
        "arguments": (X,),
        "tasks": ("main",),
    }
    return Launch(**(fields | changes))


def claimed_order(
    place: StoreAddress, store: Store, code: str, *, lease: float = LEASE, **changes: Any
) -> tuple[Job, Order]:
    """A new job, claimed, and the order for its worker."""
    store.add(JobDraft({"x": 2.0}, (0.5,)))
    job = store.claim("a manager", lease_seconds=lease)
    assert job is not None
    return job, order_of(place, job, code, lease=lease, **changes)


def order_of(
    place: StoreAddress, job: Job, code: str, *, lease: float = LEASE, **changes: Any
) -> Order:
    """The order for the worker of a claimed job."""
    launched = launch(place.directory, code, job_id=job.id, attempt=job.attempts, **changes)
    return Order(launched, job.claim.token, place, EXPERIMENT, lease, lease / 3, max_attempts=3)
