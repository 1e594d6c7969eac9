"""Jobs for the store contract to put in, and how it opens stores."""

from __future__ import annotations

from typing import Any, Protocol

from spearmint_int.jobs import Failure, FailureKind, Job, JobDraft
from spearmint_int.stores import Store

FAILURE = Failure(FailureKind.EXCEPTION, "ValueError: no such depth", 1, "Traceback …")
LEASE = 60.0
LATER = 1e10  # a time at which every lease is over


class OpenStore(Protocol):
    """Opens a connection of its own to the experiment that the fixture `store` is connected to."""

    def __call__(self, *, create: bool = True) -> Store: ...


def draft(depth: int = 3, **changes: Any) -> JobDraft:
    fields: dict[str, Any] = {"params": {"depth": depth, "lr": 0.1}, "point": (0.5, 0.1)}
    return JobDraft(**(fields | changes))


def add(store: Store, depth: int = 3, **changes: Any) -> Job:
    job = store.add(draft(depth, **changes))
    assert job is not None
    return job


def claim(store: Store, owner: str = "a worker") -> Job:
    job = store.claim(owner, lease_seconds=LEASE)
    assert job is not None
    return job


def add_and_claim(store: Store) -> Job:
    add(store)
    return claim(store)
