"""Stopping from elsewhere: by the store, which every manager and every worker looks at.

A run looks for a request as often as for the work of others (`polling-time`). A job that is stopped
loses its claim: its worker notices at the next heartbeat, wherever it is, and ends the objective.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spearmint_int.errors import StoreError
from spearmint_int.jobs import Failure, FailureKind, JobStatus
from spearmint_int.launcher.liveness import new_owner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spearmint_int.jobs import Job
    from spearmint_int.stores.protocol import Store

META = "stop"
LEASE_SECONDS = 60.0
STOPPED = Failure(FailureKind.STOPPED, "it was stopped by hand")


def stop_runs(store: Store) -> None:
    """Ask all that run now to start no more jobs; running ones are awaited. Later ones are free."""
    store.save_meta(META, store.now())


def must_stop(store: Store, *, since: float) -> bool:
    """Whether somebody has asked for it after that moment of the store's clock."""
    asked = store.load_meta(META)
    return isinstance(asked, float) and asked >= since


def stop_job(store: Store, job_id: int) -> Job:
    """Break a running job, or one that is reserved; StoreError where it is neither.

    Its other attempts are not made. `retry` makes it new again.
    """
    return _stopped(store, _stoppable(store, job_id))


def stop_jobs(store: Store, ids: Iterable[int]) -> list[Job]:
    """`stop_job` of several; where one is refused, none is stopped."""
    jobs = [_stoppable(store, job_id) for job_id in dict.fromkeys(ids)]
    return [_stopped(store, job) for job in jobs]


def _stoppable(store: Store, job_id: int) -> Job:
    job = store.job(job_id)
    if job.status is not JobStatus.PENDING and not job.is_reserved:
        raise StoreError(
            f"job {job_id} is {job.status}: only one that runs, or is reserved, can be stopped"
        )
    return job


def _stopped(store: Store, job: Job) -> Job:
    held: Job | None = job
    if job.is_reserved:
        held = store.claim(new_owner(), lease_seconds=LEASE_SECONDS, resource=job.resource)
    if held is None or store.fail(held.claim, STOPPED, max_attempts=1) is None:
        raise StoreError(f"job {job.id} has just ended by itself")
    return store.job(job.id)
