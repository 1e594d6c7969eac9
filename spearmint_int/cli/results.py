"""What a store says of an experiment's results, read in the cheapest way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spearmint_int.jobs import JobStatus

if TYPE_CHECKING:
    from spearmint_int.jobs import Job
    from spearmint_int.stores import Store


def best_job(store: Store, task: str) -> Job | None:
    """The complete job with the lowest value, the first of equals."""
    evaluations = store.evaluations([JobStatus.COMPLETE])
    finite = [e for e in evaluations if math.isfinite(e.value(task))]
    return store.job(min(finite, key=lambda e: e.value(task)).id) if finite else None


def last_jobs(store: Store, status: JobStatus | None, limit: int | None) -> list[Job]:
    """The newest `limit` jobs of one status or all, by ascending id."""
    if limit is None:
        return store.jobs(status)
    statuses = list(JobStatus) if status is None else [status]
    ids = [evaluation.id for evaluation in store.evaluations(statuses)][-limit:]
    return store.jobs(status, after_id=ids[0] - 1, limit=limit) if ids else []
