"""Points for people at a bench: held under a job's number until somebody tells the result.

A reserved job has a resource of its own, which no manager works for, so that nobody else claims it.
It is pending for the model and counts against no run's budget.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from spearmint_int.errors import SpearmintError, StoreError, alternatives
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.suggestion_lock import SuggestionLock
from spearmint_int.jobs import RESERVED, JobStatus
from spearmint_int.launcher.liveness import new_owner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spearmint_int.chooser import Chooser
    from spearmint_int.config import Config
    from spearmint_int.jobs import Job
    from spearmint_int.stores.protocol import Store

LEASE_SECONDS = 60.0


def reserve(
    config: Config, store: Store, count: int, *, chooser: Chooser | None = None
) -> list[Job]:
    """The next points as jobs that nobody else gets; by default by the config's chooser."""
    experiment = StoredExperiment.begin(config, store, chooser=chooser)
    with SuggestionLock(store, new_owner()).held():
        added = experiment.add_suggestions(count, resource=lambda: f"{RESERVED}{uuid.uuid4().hex}")
    return [job for _, job in added]


def told_values(words: Sequence[str], config: Config) -> dict[str, float]:
    """`["0.35", "weight=0.2"]` as the numbers of the tasks; SpearmintError where one is none."""
    value, *beside = words or [""]
    values = {config.task_name: _number("the result", value)}
    for word in beside:
        name, _, number = word.partition("=")
        if name not in config.constraints:
            others = alternatives(name, config.constraints)
            raise SpearmintError(f"{word}: no constraint has the name {name!r}{others}")
        values[name] = _number(name, number)
    return values


def _number(what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SpearmintError(f"{what} must be a number, got {text!r}") from None


def tell(store: Store, job_id: int, values: Mapping[str, float]) -> Job:
    """The result of a reserved job; StoreError where it is another kind of job, or told before."""
    job = store.job(job_id)
    if not job.resource.startswith(RESERVED):
        raise StoreError(
            f"job {job_id} was not reserved, but is of a run; 'add' brings results from elsewhere"
        )
    if _was_interrupted(job, now=store.now()):
        store.release(job.claim)  # a `tell` that comes to itself is refused from here on
    claimed = store.claim(new_owner(), lease_seconds=LEASE_SECONDS, resource=job.resource)
    if claimed is None or not store.complete(claimed.claim, values):
        raise StoreError(_why_not(store.job(job_id)))
    return store.job(job_id)


def _was_interrupted(job: Job, *, now: float) -> bool:
    """Whether a `tell` was killed before it had stored the result: it takes a moment, and nobody
    but a run, which there may be none of, looks for leases that have ended."""
    is_held = job.status is JobStatus.PENDING and job.token is not None
    return is_held and job.lease_expires is not None and job.lease_expires < now


def _why_not(job: Job) -> str:
    """Why no result can be told of a job that was reserved."""
    if job.status is JobStatus.COMPLETE:
        return f"job {job.id} is complete: its result is there already"
    if job.status is JobStatus.BROKEN:
        reason = job.failures[-1].message if job.failures else "it has failed"
        return f"job {job.id} is broken ({reason}); 'retry' reserves it again, then tell"
    return (
        f"job {job.id} is being told by somebody else right now; if that was interrupted, try "
        f"again in {LEASE_SECONDS:g} s"
    )
