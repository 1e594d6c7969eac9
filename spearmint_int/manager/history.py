"""The experiment's jobs as the model sees them, kept up to date by reading what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spearmint_int.jobs import FINISHED, UNFINISHED, Evaluation, JobStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from spearmint_int.jobs import Job
    from spearmint_int.space import FloatArray
    from spearmint_int.stores.protocol import Store

FEW_JOBS = 20  # up to here jobs are read one by one, beyond it all at once
UNKNOWN = 0
CODES = {JobStatus.COMPLETE: 1, JobStatus.BROKEN: 2}


class History:
    """Finished jobs are read once; unfinished ones, which are few, at each refresh.

    Ids have no gaps, so that every job that is neither known as finished nor listed as unfinished
    must have ended since: it is fetched by its id. Row i of the arrays is the job with id i + 1;
    they grow by doubling.
    """

    def __init__(self, store: Store, *, task: str, dimensions: int) -> None:
        self._store = store
        self._task = task
        self._points: FloatArray = np.empty((0, dimensions))
        self._values: FloatArray = np.empty(0)  # NaN where broken or unknown
        self._codes: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        self._unfinished: list[Evaluation] = []
        self.counts: dict[JobStatus, int] = dict.fromkeys(JobStatus, 0)

    def refresh(self) -> None:
        """Read what has changed."""
        self.counts = self._store.counts()
        self._unfinished = self._store.evaluations(UNFINISHED)
        self._grow(max([self.total, *(e.id for e in self._unfinished)]))
        for evaluation in self._unfinished:  # a broken job may be tried again
            self.forget(evaluation.id)
        self._fetch(self._missing())
        if any(np.count_nonzero(self._codes == CODES[s]) != self.counts[s] for s in FINISHED):
            # Somebody else finished a job between the reads, or had a broken one tried again.
            self._codes[:] = UNKNOWN
            self._keep(self._store.evaluations())

    def forget(self, job_id: int) -> None:
        """Read this job again at the next refresh."""
        self._codes[job_id - 1 : job_id] = UNKNOWN
        self._values[job_id - 1 : job_id] = np.nan

    def note(self, job: Job) -> None:
        """Take the job as it is now, without another read."""
        self._grow(job.id)
        self.forget(job.id)
        if job.is_finished:
            self._keep([Evaluation(job.id, job.status, job.point, job.values)])

    @property
    def total(self) -> int:
        """The number of jobs, which is the highest id."""
        return sum(self.counts.values())

    @property
    def finished(self) -> int:
        """The number of finished jobs that were read."""
        return int(np.count_nonzero(self._codes))

    def points(self) -> FloatArray:
        """[n, D], by id."""
        points: FloatArray = self._points[self._codes != UNKNOWN]
        return points

    def values(self) -> FloatArray:
        """[n]; NaN where the objective failed."""
        values: FloatArray = self._values[self._codes != UNKNOWN]
        return values

    def pending_points(self) -> FloatArray:
        """[p, D]: new and running jobs."""
        rows = [e.point for e in self._unfinished]
        return np.array(rows, dtype=np.float64).reshape(len(rows), self._points.shape[1])

    def best(self) -> tuple[int, float] | None:
        """The job with the lowest finite value, the earliest of equals."""
        finite = np.where(np.isfinite(self._values), self._values, np.inf)
        row = int(np.argmin(finite)) if len(finite) else 0
        return (row + 1, float(finite[row])) if len(finite) and finite[row] < np.inf else None

    def _missing(self) -> list[int]:
        unknown = np.flatnonzero(self._codes[: self.total] == UNKNOWN) + 1
        waiting = {e.id for e in self._unfinished}
        return [job_id for job_id in unknown.tolist() if job_id not in waiting]

    def _fetch(self, ids: list[int]) -> None:
        if len(ids) > FEW_JOBS:
            self._keep(self._store.evaluations())
            return
        for job_id in ids:
            self.note(self._store.job(job_id))

    def _keep(self, evaluations: Iterable[Evaluation]) -> None:
        for e in evaluations:
            self._grow(e.id)
            self._points[e.id - 1] = e.point
            self._values[e.id - 1] = e.value(self._task)
            self._codes[e.id - 1] = CODES[e.status]

    def _grow(self, size: int) -> None:
        have = len(self._codes)
        if size > have:
            more = max(size, 2 * have) - have
            self._points = np.vstack([self._points, np.zeros((more, self._points.shape[1]))])
            self._values = np.concatenate([self._values, np.full(more, np.nan)])
            self._codes = np.concatenate([self._codes, np.zeros(more, dtype=np.uint8)])
