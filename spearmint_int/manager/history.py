"""The experiment's jobs as the model sees them, kept up to date by reading what is new."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spearmint_int.jobs import FINISHED, UNFINISHED, Evaluation, JobStatus

if TYPE_CHECKING:
    from collections.abc import Collection

    from spearmint_int.space import FloatArray
    from spearmint_int.stores.protocol import Store

FEW_JOBS = 20  # up to here jobs are read one by one, beyond it all at once


class History:
    """Finished jobs are read once; unfinished ones, which are few, at each refresh.

    Ids have no gaps, so that every job that is neither known as finished nor listed as unfinished
    must have ended since: it is fetched by its id.
    """

    def __init__(self, store: Store, *, task: str, dimensions: int) -> None:
        self._store = store
        self._task = task
        self._dimensions = dimensions
        self._finished: dict[int, Evaluation] = {}
        self._unfinished: list[Evaluation] = []
        self.counts: dict[JobStatus, int] = dict.fromkeys(JobStatus, 0)

    def refresh(self) -> None:
        """Read what has changed."""
        self.counts = self._store.counts()
        self._unfinished = self._store.evaluations(UNFINISHED)
        for evaluation in self._unfinished:  # a broken job that is tried again
            self._finished.pop(evaluation.id, None)
        self._fetch(self._missing())
        if any(self._known(status) != self.counts[status] for status in FINISHED):
            # Somebody else finished a job between the reads, or had a broken one tried again.
            self._finished = {e.id: e for e in self._store.evaluations()}

    def forget(self, job_id: int) -> None:
        """Read this job again at the next refresh."""
        self._finished.pop(job_id, None)

    @property
    def total(self) -> int:
        """The number of jobs, which is the highest id."""
        return sum(self.counts.values())

    @property
    def finished(self) -> int:
        """The number of finished jobs that were read."""
        return len(self._finished)

    def points(self) -> FloatArray:
        """[n, D], by id."""
        return self._array(self._ordered())

    def values(self) -> FloatArray:
        """[n]; NaN where the objective failed."""
        return np.array([e.value(self._task) for e in self._ordered()], dtype=np.float64)

    def pending_points(self) -> FloatArray:
        """[p, D]: new and running jobs."""
        return self._array(self._unfinished)

    def best(self) -> tuple[int, float] | None:
        """The job with the lowest finite value, the earliest of equals."""
        pairs = ((e.value(self._task), e.id) for e in self._finished.values())
        value, job_id = min((p for p in pairs if math.isfinite(p[0])), default=(math.nan, 0))
        return (job_id, value) if job_id else None

    def _missing(self) -> list[int]:
        waiting = {e.id for e in self._unfinished}
        if len(self._finished) + len(waiting) == self.total:
            return []
        return [i for i in range(1, self.total + 1) if i not in self._finished and i not in waiting]

    def _fetch(self, ids: Collection[int]) -> None:
        if len(ids) > FEW_JOBS:
            self._finished |= {e.id: e for e in self._store.evaluations()}
            return
        for job in map(self._store.job, ids):
            if job.is_finished:
                self._finished[job.id] = Evaluation(job.id, job.status, job.point, job.values)

    def _known(self, status: JobStatus) -> int:
        return sum(1 for e in self._finished.values() if e.status is status)

    def _ordered(self) -> list[Evaluation]:
        return [self._finished[i] for i in sorted(self._finished)]

    def _array(self, evaluations: list[Evaluation]) -> FloatArray:
        rows = [e.point for e in evaluations]
        return np.array(rows, dtype=np.float64).reshape(len(rows), self._dimensions)
