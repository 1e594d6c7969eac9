"""The reaper: takes back pending jobs whose workers are gone, so that none blocks a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spearmint_int.jobs import RESERVED, Failure, FailureKind, Job, JobStatus, ProcessInfo
from spearmint_int.launcher.liveness import is_known_alive, is_known_dead, owner_is_dead
from spearmint_int.launcher.output import worker_is_alive
from spearmint_int.schedulers import WorkerState
from spearmint_int.stores.clock import uptime

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from spearmint_int.manager.job_context import JobContext

# A worker whose manager was killed while starting it needs this long to come up.
START_SECONDS = 2.0
# After an outage the workers get this long to store their results and renew their leases, before
# leases count again. So they do when a manager begins: it can't know whether the store was away
# until just now, as on a machine that was restarted with its database.
GRACE_SECONDS = 15.0
# A longer gap than this between two looks means that the machine slept, workers included.
SLEEP_SECONDS = 25.0


# States of a worker that may still come up, or go on.
MAY_COME = (
    WorkerState.QUEUED,
    WorkerState.HELD,
    WorkerState.RUNNING,
    WorkerState.SUSPENDED,
    WorkerState.UNANSWERED,
)


class Reaper:
    """Looks after the pending jobs that this manager does not run itself.

    `orphans` are jobs of dead managers whose workers live, by the resource whose slot they take;
    `in_queues` are those of them that a batch system has, which a manager can adopt.
    """

    def __init__(self, context: JobContext) -> None:
        self._context = context
        self._patient_until = uptime() + min(GRACE_SECONDS, context.config.lease_time)
        self._last_look: float | None = None
        self.orphans: dict[int, str] = {}
        self.in_queues: list[Job] = []

    def suspend(self) -> None:
        """The store is away: no worker can renew its lease."""
        self._patient_until = math.inf

    def forgive(self) -> None:
        """Store or machine are back: give the workers time to renew their leases."""
        self._patient_until = uptime() + GRACE_SECONDS

    def look(self, running: Collection[int]) -> list[Job]:
        """Take back the jobs that are lost; as they were while pending."""
        self._context.deliver_kept()
        begin = uptime()
        if self._last_look is not None and begin - self._last_look > SLEEP_SECONDS:
            self.forgive()
        self._last_look = begin
        now = self._context.store.now()
        pending = [j for j in self._context.store.jobs(JobStatus.PENDING) if j.id not in running]
        states = self._states(pending)
        self._renew_queued(pending, states)
        lost = []
        if begin >= self._patient_until:
            lost += [j for j in pending if self._release_unbegun(j, states[j.id], now)]
            lost += self._context.store.expire(now, max_attempts=self._context.config.max_attempts)
        left = [j for j in pending if j.lease_owner and self._was_left(j.lease_owner)]
        lost += [job for job in left if self._take_back(job, states[job.id], now)]
        taken = {job.id for job in lost}
        kept = [job for job in left if job.id not in taken]
        self.orphans = {job.id: job.resource for job in kept}
        self.in_queues = [job for job in kept if self._is_in_queue(job)]
        return lost

    def _is_in_queue(self, job: Job) -> bool:
        scheduler = self._context.schedulers.get(job.resource)
        return scheduler is not None and scheduler.has_queue

    def _states(self, pending: Collection[Job]) -> dict[int, WorkerState]:
        """What the schedulers know of the jobs' workers, by one question to each scheduler."""
        states = {job.id: WorkerState.UNKNOWN for job in pending}
        for resource, scheduler in self._context.schedulers.items():
            ids = {
                job.process.proc_id: job.id
                for job in pending
                if job.resource == resource and job.process and job.process.proc_id
            }
            found = scheduler.states(list(ids))
            states |= {ids[proc_id]: state for proc_id, state in found.items()}
        return states

    def _renew_queued(self, pending: Collection[Job], states: Mapping[int, WorkerState]) -> None:
        """Renew the leases of workers that have not come up yet or are suspended: they can't do it
        themselves, and their managers may be dead."""
        for job in pending:
            waits = job.process is not None and job.process.pid is None
            is_suspended = states[job.id] is WorkerState.SUSPENDED
            if is_suspended or (waits and states[job.id] in MAY_COME):
                self._context.store.renew(job.claim, lease_seconds=self._context.config.lease_time)

    def _release_unbegun(self, job: Job, state: WorkerState, now: float) -> bool:
        """Release a queued job of another machine that will not start, which costs no attempt.

        Only when its lease has ended: a job that is not in our queue may be in another cluster's.
        """
        has_ended = job.lease_expires is not None and job.lease_expires < now
        if not has_ended or state in MAY_COME or not self._context.never_began(job):
            return False
        return self._context.release_unbegun(job)

    def _was_left(self, owner: str) -> bool:
        """Whether the claim's manager is dead, or it is our own, its answer lost in an outage."""
        return owner == self._context.owner or owner_is_dead(owner)

    def _take_back(self, job: Job, state: WorkerState, now: float) -> bool:
        if not self._is_without_worker(job, state):
            return False
        if job.started is not None and now - job.started < START_SECONDS:
            return False
        if job.lease_owner == self._context.owner or job.resource.startswith(RESERVED):
            # it never started, or a `tell` was killed: the point waits for its result as before
            return self._context.store.release(job.claim)
        if self._context.never_began(job):
            return self._context.release_unbegun(job)
        message = "the job's manager and worker were killed before there was a result"
        failure = Failure(kind=FailureKind.LOST_WORKER, message=message)
        taken = self._context.store.fail(
            job.claim, failure, max_attempts=self._context.config.max_attempts
        )
        return taken is not None

    def _is_without_worker(self, job: Job, state: WorkerState) -> bool:
        """Whether the job surely has no worker; where that is not known, the lease decides."""
        process = job.process or ProcessInfo()
        pid, start = process.pid or 0, process.born or ""
        if is_known_alive(pid, start):
            return False  # its output, by which it is known too, may have been moved or compressed
        if state is not WorkerState.UNKNOWN:
            return state.is_over
        if job.process is None:  # it was not submitted, or its manager died in that moment
            return not worker_is_alive(self._context.config.directory, job.id)
        return is_known_dead(pid, start)
