"""Which of the new jobs are points that people evaluate: no run takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spearmint_int.jobs import JobStatus

if TYPE_CHECKING:
    from spearmint_int.stores import Store


def reserved_ids(store: Store) -> frozenset[int]:
    """New jobs are read whole for it; there are few of them."""
    return frozenset(job.id for job in store.jobs(JobStatus.NEW) if job.is_reserved)
