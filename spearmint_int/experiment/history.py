"""Histories: an experiment's evaluations as arrays for the model, in memory or from a store."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from spearmint_int.arrays import inside_cube
from spearmint_int.best import best_of
from spearmint_int.chooser import Observations
from spearmint_int.errors import DamagedJob, JobNotFound
from spearmint_int.experiment.job_rows import BROKEN, COMPLETE, FAILED, VOID, JobRows
from spearmint_int.jobs import FINISHED, UNFINISHED, JobPoint, JobStatus, Tally, has_failed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from spearmint_int.arrays import FloatArray
    from spearmint_int.jobs import Job
    from spearmint_int.stores.protocol import Store

CHAIN = "hyperparameters"  # the chain's name in a store
FEW_JOBS = 20  # up to here jobs are read one by one, beyond it all at once
STATUSES = {
    COMPLETE: JobStatus.COMPLETE,
    BROKEN: JobStatus.BROKEN,
    VOID: JobStatus.BROKEN,
    FAILED: JobStatus.COMPLETE,
}


class History(Protocol):
    """Where a problem gets its data from: evaluations, pending points, and the chain."""

    def observations(self) -> Observations:
        """The evaluations that have ended, by ascending id."""

    def pending(self) -> FloatArray:
        """The pending points [p, D]."""

    def chain(self) -> Mapping[str, Any] | None:
        """The state of the hyperparameters' chain that was kept last, JSON-ready."""

    def keep_chain(self, chain: Mapping[str, Any]) -> None:
        """Go on from this chain the next time."""


class StoreHistory:
    """The jobs of a store, kept up to date by reading what is new.

    Finished jobs are read once; unfinished ones, which are few, at each refresh. Ids have no gaps,
    unless somebody deletes a job by hand. So a job that is neither known as finished nor listed as
    unfinished must have ended since the last refresh: it is fetched by its id.
    """

    def __init__(
        self,
        store: Store,
        *,
        tasks: Sequence[str],
        dimensions: int,
        maximize: bool = False,
        recode: Callable[[int, Sequence[float]], FloatArray] | None = None,
        resources: Collection[str] = (),
    ) -> None:
        """`recode` gives a job's point its place among variables that have changed since; the tally
        has the budgets of the `resources`."""
        self._store, self._maximize, self._recode = store, maximize, recode
        self._dimensions, self._rows = dimensions, JobRows(tasks, dimensions)
        self._unfinished: dict[int, JobPoint] = {}  # by ascending id
        self._unreadable: set[int] = set()  # damaged, of another space, or deleted by hand
        self._left_out: set[int] = set()
        self._unsaved_chain: Mapping[str, Any] | None = None
        self._resources = resources
        nothing = dict.fromkeys(JobStatus, 0)
        self.tally = Tally(nothing, dict.fromkeys(resources, nothing))
        self._is_exact = False  # whether the tally is of the same moment as the jobs read with it

    @property
    def counts(self) -> dict[JobStatus, int]:
        """The number of jobs in each status."""
        return self.tally.counts

    def refresh(self) -> None:
        """Read what has changed."""
        self.tally = self._store.tally(self._resources)  # first: what follows is no older
        unfinished = self._store.job_points(UNFINISHED)
        self._is_exact = self._were_counted(unfinished)
        self._unfinished = {job.id: job for job in unfinished if self._fits(job)}
        for job_id in self._unfinished:  # a broken job may be tried again
            self.forget(job_id)
        self._fetch_ended()
        if any(self._known(status) != self.counts[status] for status in FINISHED):
            # Somebody else finished a job between the reads, or had a broken one tried again.
            self._is_exact = False
            self._rows.forget_all()
            self._unreadable.clear()
            self._keep(self._store.job_points())
            ended = set(self.finished_ids)  # some of them since the unfinished ones were read
            self._unfinished = {i: job for i, job in self._unfinished.items() if i not in ended}

    def _known(self, status: JobStatus) -> int:
        codes = [code for code, of in STATUSES.items() if of is status]
        return int(np.count_nonzero(np.isin(self._rows.codes, codes)))

    def _were_counted(self, unfinished: Sequence[JobPoint]) -> bool:
        """Whether the tally counted these very jobs: nobody has added or claimed one in between."""
        read = Counter(job.status for job in unfinished)
        known = all(job.id <= self.tally.last_id for job in unfinished)
        return known and all(read[status] == self.counts[status] for status in UNFINISHED)

    def forget(self, job_id: int) -> None:
        """Read this job again at the next refresh."""
        self._rows.forget(job_id)

    def leave_out(self, ids: Iterable[int]) -> None:
        """Don't use these jobs: they are damaged, if in a part that is not read here."""
        for job_id in ids:
            if isinstance(job_id, int) and job_id > 0:  # one without an id is never read here
                self._left_out.add(job_id)
                self.forget(job_id)

    @property
    def finished_ids(self) -> list[int]:
        """The finished jobs that were read."""
        ids: list[int] = self._rows.ids.tolist()
        return ids

    def note(self, job: Job) -> bool:
        """Take over a job that was added, claimed or ended here, without reading it again.

        False when the tally may be inexact now, until the next refresh.
        """
        before = self._status(job.id)
        if before is None and job.id <= self.tally.last_id:
            self._is_exact = False  # it was counted, but nobody knows in which status
        else:
            self.tally = self.tally.with_job(job, before=before)
        self._take(job)
        self._unfinished.pop(job.id, None)
        point = _point_of(job)
        if not job.is_finished and self._fits(point):
            self._unfinished = dict(sorted({**self._unfinished, job.id: point}.items()))
        return self._is_exact

    @property
    def total(self) -> int:
        """The number of jobs that there have been, which is the highest id."""
        return self.tally.last_id

    @property
    def finished(self) -> int:
        """The number of finished jobs that were read."""
        return len(self._rows.ids)

    def observations(self) -> Observations:
        rows = self._rows
        has_place = ~np.isnan(rows.points).any(axis=1)
        is_void = rows.codes == VOID
        known = has_place & ~is_void
        return Observations(
            rows.points[known],
            {task: values[known] for task, values in rows.values.items()},
            rows.seconds[known],
            rows.codes[known] == COMPLETE,
            void=int(np.count_nonzero(has_place & is_void)),
        )

    def pending(self) -> FloatArray:
        """The points of new and running jobs [p, D]."""
        rows = [place for _, place in self._pending_places()]
        return np.array(rows, dtype=np.float64).reshape(len(rows), self._dimensions)

    @property
    def pending_ids(self) -> tuple[int, ...]:
        """The ids of `pending`."""
        return tuple(job_id for job_id, _ in self._pending_places())

    def _pending_places(self) -> list[tuple[int, FloatArray]]:
        places = [(job.id, self._place(job)) for job in self._unfinished.values()]
        return [(job_id, place) for job_id, place in places if not np.isnan(place).any()]

    def _place(self, job: JobPoint) -> FloatArray:
        """The job's point [D] in the present space; NaN where it has none."""
        if self._recode is not None:
            return self._recode(job.id, job.point)
        return np.array(job.point, dtype=np.float64)

    def best(self) -> tuple[int, float] | None:
        """The job with the best finite value that fulfils every constraint, and the value: one
        within the present bounds where there is such a job, and the earliest of equals."""
        values, *constraints = self._rows.values.values()
        usable = np.all([np.isfinite(values), *(c >= 0.0 for c in constraints)], axis=0)
        within = inside_cube(self._rows.points[usable])
        results = list(zip(self._rows.ids[usable].tolist(), values[usable].tolist(), strict=True))
        return best_of(
            results, value=itemgetter(1), maximize=self._maximize, within=within.tolist()
        )

    @property
    def has_result(self) -> bool:
        """Whether any job has a number for the objective, whether or not it fulfils constraints."""
        return bool(np.any(np.isfinite(next(iter(self._rows.values.values())))))

    # --- the chain ---

    def chain(self) -> Mapping[str, Any] | None:
        return self._unsaved_chain or self._store.load_chain(CHAIN)

    def keep_chain(self, chain: Mapping[str, Any]) -> None:
        """In memory, until `save_chain` is called: a new job must not wait for that."""
        self._unsaved_chain = chain

    def save_chain(self) -> None:
        """Write down the chain that was kept, if it was not yet."""
        if self._unsaved_chain is not None:
            self._store.save_chain(CHAIN, self._unsaved_chain)
            self._unsaved_chain = None

    # --- reading ---

    def _fetch_ended(self) -> None:
        """Read the jobs that must have ended since: neither known as finished nor unfinished."""
        waiting = {i for i in self._unfinished.keys() | self._unreadable if i <= self.total}
        missing = self.total - self.finished - len(waiting)
        if missing > FEW_JOBS:
            self._keep(self._store.job_points())
        elif missing > 0:
            known = waiting.union(self.finished_ids)
            for job_id in range(1, self.total + 1):
                if job_id not in known:
                    self._fetch_one(job_id)

    def _fetch_one(self, job_id: int) -> None:
        try:
            self._take(self._store.job(job_id))
        except (JobNotFound, DamagedJob):
            self._unreadable.add(job_id)

    def _take(self, job: Job) -> None:
        self.forget(job.id)
        if job.is_finished:
            self._keep([_point_of(job)])

    def _status(self, job_id: int) -> JobStatus | None:
        """The job's status when it was read; None where it was not."""
        if job_id in self._unfinished:
            return self._unfinished[job_id].status
        code = self._rows.code(job_id)
        return None if code is None else STATUSES[code]

    def _keep(self, jobs: Iterable[JobPoint]) -> None:
        for job in jobs:
            if self._fits(job):
                self._rows.put(job, self._place(job))
                self._unreadable.discard(job.id)

    def _fits(self, job: JobPoint) -> bool:
        """False for a damaged job, and for a point of another space."""
        if job.id not in self._left_out and self._place(job).shape == (self._dimensions,):
            return True
        self._unreadable.add(job.id)
        return False


def _point_of(job: Job) -> JobPoint:
    return JobPoint(job.id, job.status, job.point, job.values, job.seconds, job.is_void)


class MemoryHistory:
    """Evaluations that live in this process alone."""

    def __init__(self, *, tasks: Sequence[str], dimensions: int) -> None:
        self._tasks, self._dimensions = tasks, dimensions
        self._rows: list[tuple[FloatArray, Mapping[str, float]]] = []
        self._pending: list[FloatArray] = []
        self._chain: Mapping[str, Any] | None = None

    def add(self, point: FloatArray, values: Mapping[str, float]) -> None:
        """One more evaluation has ended, with these numbers of the tasks."""
        self._rows.append((point, values))

    def set_pending(self, points: Iterable[FloatArray]) -> None:
        self._pending = list(points)

    def observations(self) -> Observations:
        points = np.array([point for point, _ in self._rows]).reshape(-1, self._dimensions)
        columns = {
            task: np.array([values.get(task, np.nan) for _, values in self._rows])
            for task in self._tasks
        }
        unknown = np.full(len(points), np.nan)
        worked = [not has_failed(values, self._tasks) for _, values in self._rows]
        return Observations(points, columns, unknown, np.array(worked, dtype=np.bool_))

    def pending(self) -> FloatArray:
        return np.array(self._pending).reshape(-1, self._dimensions)

    def chain(self) -> Mapping[str, Any] | None:
        return self._chain

    def keep_chain(self, chain: Mapping[str, Any]) -> None:
        self._chain = chain
