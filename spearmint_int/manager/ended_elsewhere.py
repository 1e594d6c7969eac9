"""Jobs that end during a run, but that it did not start, so that it can tell of them too.

A killed manager's jobs go on without it, other managers work beside this one, and people tell the
results of reserved points. All of them are in the counts.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from spearmint_int.errors import DamagedJob, JobNotFound
from spearmint_int.experiment.history import FEW_JOBS
from spearmint_int.jobs import COUNTED_SOURCES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from spearmint_int.experiment.history import StoreHistory
    from spearmint_int.jobs import Job
    from spearmint_int.stores.protocol import Store


class EndedElsewhere:
    """Knows which jobs had ended at the last look."""

    def __init__(self, store: Store, history: StoreHistory) -> None:
        self._store, self._history = store, history
        self._known: set[int] = set()

    def begin(self) -> None:
        """Take the jobs that have ended by now as known."""
        self._known = set(self._history.finished_ids)

    def note(self, job: Job) -> None:
        """Take a job of this manager as known, if it has ended."""
        if job.is_finished:
            self._known.add(job.id)

    def look(self, running: Collection[int]) -> list[Job]:
        """The jobs that have ended since the last look, without results that were brought, which
        never ran, and without the `running` jobs of this manager, which it tells of itself."""
        finished = set(self._history.finished_ids).difference(running)
        ended = sorted(finished - self._known)
        jobs = list(self._read(ended))
        self._known = finished  # without those that are tried again: they will end again
        return [job for job in jobs if job.is_finished and job.source in COUNTED_SOURCES]

    def _read(self, ids: list[int]) -> Iterator[Job]:
        if len(ids) > FEW_JOBS:
            wanted = set(ids)
            yield from (j for j in self._store.jobs(after_id=ids[0] - 1) if j.id in wanted)
            return
        for job_id in ids:
            with suppress(DamagedJob, JobNotFound):  # somebody has been at the store meanwhile
                yield self._store.job(job_id)
