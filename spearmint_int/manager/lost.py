"""Jobs whose workers are gone without a word: taken back, so that none blocks a run for ever."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from spearmint_int.jobs import Failure, FailureKind, Job, JobStatus
from spearmint_int.launcher.output import worker_is_alive
from spearmint_int.launcher.reporting import deliver_kept_outcomes
from spearmint_int.manager.identity import is_dead_here

if TYPE_CHECKING:
    from collections.abc import Collection

    from spearmint_int.config import Config
    from spearmint_int.stores.protocol import Store

# A worker whose manager was killed at the moment of the start needs this long to come up.
START_SECONDS = 2.0
# After an outage the workers write first what they could not; then leases count again.
GRACE_SECONDS = 15.0
# Looks come more often than this: a longer gap means that the machine slept, workers included.
SLEEP_SECONDS = 25.0


class Reaper:
    """Looks after pending jobs that are not (or no more) this manager's own."""

    def __init__(self, config: Config, store: Store, *, owner: str) -> None:
        self._config = config
        self._store = store
        self._owner = owner
        self._patient_until = 0.0
        self._last_look: float | None = None
        self.orphans: dict[int, str] = {}  # live jobs of dead managers here → resource

    def suspend(self) -> None:
        """The store is away: no worker can renew its lease."""
        self._patient_until = math.inf

    def forgive(self) -> None:
        """Store or machine are back: give the workers time to renew their leases."""
        self._patient_until = time.time() + GRACE_SECONDS

    def look(self, running: Collection[int]) -> list[Job]:
        """Take back what is lost; the jobs as they were while pending."""
        deliver_kept_outcomes(self._config.directory, self._store)
        now = time.time()
        if self._last_look is not None and now - self._last_look > SLEEP_SECONDS:
            self.forgive()
        self._last_look = now
        lost = []
        if now >= self._patient_until:
            lost += self._store.expire(now, max_attempts=self._config.max_attempts)
        pending = [j for j in self._store.jobs(JobStatus.PENDING) if j.id not in running]
        left = [j for j in pending if j.lease_owner and self._was_left(j.lease_owner)]
        lost += [job for job in left if self._take_back(job, now)]
        taken = {job.id for job in lost}
        self.orphans = {job.id: job.resource for job in left if job.id not in taken}
        return lost

    def _was_left(self, owner: str) -> bool:
        """Its manager is dead, or it is a claim of ours whose answer an outage swallowed."""
        return owner == self._owner or is_dead_here(owner)

    def _take_back(self, job: Job, now: float) -> bool:
        if worker_is_alive(self._config.directory, job.id):
            return False
        if job.started is not None and now - job.started < START_SECONDS:
            return False
        if job.lease_owner == self._owner:
            return self._store.release(job)  # it never started
        message = "the job's manager and worker were killed before there was a result"
        failure = Failure(kind=FailureKind.LOST_WORKER, message=message)
        return self._store.fail(job, failure, max_attempts=self._config.max_attempts) is not None
