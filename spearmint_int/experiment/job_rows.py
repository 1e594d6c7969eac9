"""Ended jobs as arrays with a row for each: their points, numbers, costs and how they ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from spearmint_int.jobs import JobStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from spearmint_int.arrays import FloatArray, IntArray
    from spearmint_int.jobs import JobPoint

Number = TypeVar("Number", bound=np.generic)

COMPLETE, BROKEN = 1, 2
VOID = 3  # broken, and says nothing of its point
FAILED = 4  # complete, with NaN for a task


class JobRows:
    """Rows by ascending id. The properties are views of arrays that grow by doubling: they are
    valid until the next `put`."""

    def __init__(self, tasks: Sequence[str], dimensions: int) -> None:
        self._ids: IntArray = np.empty(0, dtype=np.int64)
        self._points: FloatArray = np.empty((0, dimensions))
        # NaN where broken; the objective's task is the first, the others are constraints
        self._values: dict[str, FloatArray] = {task: np.empty(0) for task in tasks}
        self._seconds: FloatArray = np.empty(0)
        self._codes: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        self._used = 0

    @property
    def ids(self) -> IntArray:
        return self._ids[: self._used]

    @property
    def points(self) -> FloatArray:
        """[n, D]: their points in the present space; NaN where they have none."""
        return self._points[: self._used]

    @property
    def values(self) -> dict[str, FloatArray]:
        """[n] of each task."""
        return {task: values[: self._used] for task, values in self._values.items()}

    @property
    def seconds(self) -> FloatArray:
        return self._seconds[: self._used]

    @property
    def codes(self) -> NDArray[np.uint8]:
        return self._codes[: self._used]

    def put(self, job: JobPoint, place: FloatArray) -> None:
        """Add a job, or replace what was known of it."""
        row = self._row_for(job.id)
        self._points[row] = place
        for task, values in self._values.items():
            values[row] = job.value(task)
        self._seconds[row] = np.nan if job.seconds is None else job.seconds
        self._codes[row] = self._code(job)

    def forget(self, job_id: int) -> None:
        row = self._find(job_id)
        if self._has(job_id, row):
            self._move(row + 1, row)
            self._used -= 1

    def forget_all(self) -> None:
        self._used = 0

    def code(self, job_id: int) -> int | None:
        row = self._find(job_id)
        return int(self._codes[row]) if self._has(job_id, row) else None

    def _code(self, job: JobPoint) -> int:
        if job.status is JobStatus.COMPLETE:
            return COMPLETE if job.worked(self._values) else FAILED
        return VOID if job.is_void else BROKEN

    def _row_for(self, job_id: int) -> int:
        row = self._find(job_id)
        if not self._has(job_id, row):
            if self._used == len(self._ids):
                self._double()
            if row < self._used:
                self._move(row, row + 1)
            self._ids[row] = job_id
            self._used += 1
        return row

    def _find(self, job_id: int) -> int:
        """The job's row, or the one at which it would be inserted."""
        return int(np.searchsorted(self.ids, job_id))

    def _has(self, job_id: int, row: int) -> bool:
        return row < self._used and bool(self._ids[row] == job_id)

    def _move(self, start: int, to: int) -> None:
        """Move the rows from `start` on, so that they begin at `to`."""
        moved, taken = slice(start, self._used), slice(to, self._used + to - start)
        columns: Iterable[NDArray[Any]] = (self._ids, self._points, self._seconds, self._codes)
        for column in (*columns, *self._values.values()):
            column[taken] = column[moved]

    def _double(self) -> None:
        rows = max(self._used, 1)
        self._ids, self._points = _longer(self._ids, rows), _longer(self._points, rows)
        self._values = {task: _longer(column, rows) for task, column in self._values.items()}
        self._seconds, self._codes = _longer(self._seconds, rows), _longer(self._codes, rows)


def _longer(array: NDArray[Number], rows: int) -> NDArray[Number]:
    return np.concatenate([array, np.zeros((rows, *array.shape[1:]), dtype=array.dtype)])
