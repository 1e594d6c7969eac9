"""Orders for workers: a claimed job of a real store, with an objective in the same folder."""

from __future__ import annotations

from typing import Any

from spearmint_int.jobs import Job, JobDraft
from spearmint_int.launcher.launch import Claim, Order
from spearmint_int.stores import Store
from tests.launcher.launches import launch
from tests.places import Place

LEASE = 30.0


def claimed_order(
    place: Place, store: Store, code: str, *, lease: float = LEASE, **changes: Any
) -> tuple[Job, Order]:
    """A new job, claimed, and the order for its worker."""
    store.add(JobDraft({"x": 2.0}, (0.5,)))
    job = store.claim("a manager", lease_seconds=lease)
    assert job is not None
    return job, order_of(place, job, code, lease=lease, **changes)


def order_of(place: Place, job: Job, code: str, *, lease: float = LEASE, **changes: Any) -> Order:
    """The order for the worker of a claimed job."""
    claim = Claim(
        token=job.token or "",
        experiment_name=place.experiment_name,
        database_address=place.address,
        database_name=place.database.name,
        lease_seconds=lease,
        max_attempts=3,
    )
    launched = launch(place.directory, code, job_id=job.id, attempt=job.attempts, **changes)
    return Order(launched, claim)
