"""The running jobs of one manager: claimed, handed to a scheduler, and settled when they end."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spearmint_int.errors import SchedulerError, StoreUnavailable
from spearmint_int.jobs import Failure, FailureKind, Job, JobStatus, ProcessInfo
from spearmint_int.launcher.order import Launch, Order, arguments_from
from spearmint_int.launcher.output import output_path
from spearmint_int.manager.events import JobEnded, JobStarted, Notice
from spearmint_int.schedulers import WorkerState
from spearmint_int.stores import StoreAddress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.config import Config
    from spearmint_int.manager.job_context import JobContext


CLAIM_LOCK = "claim"  # taken around claims that count against a limit of all managers together
CLAIM_LOCK_SECONDS = 10.0

# A worker that is told to end (SIGTERM) hands its job back, which costs no attempt: it is not the
# job's fault that a cluster wants the machine. But an objective that ends its own worker would come
# back for ever. So in one run a job may be handed back this many times for each of `max-attempts`.
# Jobs that a stopped run hands back don't count.
HAND_BACKS_PER_ATTEMPT = 10

# A batch system may list a job long after its worker has gone: while it cleans up, or for ever if
# the node hangs. The run waits this long for it to go, and for at least three looks at the queue.
LINGER_SECONDS = 60.0
LINGER_LOOKS = 3

# A worker that a batch system ends for one of these reasons may still hand its job back. It counts
# as an attempt all the same, since the next one would end in the same way.
ENDED_BY_SCHEDULER = {
    WorkerState.TIMED_OUT: Failure(
        FailureKind.TIME_LIMIT,
        "the batch system ended it when its time was over; ask for more time in scheduler-args",
    ),
    WorkerState.OUT_OF_MEMORY: Failure(
        FailureKind.OUT_OF_MEMORY,
        "the batch system ended it for want of memory; ask for more in scheduler-args",
    ),
}
KILLED = Failure(
    FailureKind.LOST_WORKER, "the job's worker was killed before it could write a result"
)


@dataclass
class _Submitted:
    """A claimed job and its worker, as the scheduler knows it (None: it was never started)."""

    job: Job
    proc_id: str | None
    is_noted: bool = False  # the store has the scheduler's id
    is_attached: bool = False  # the worker has come up, and renews the lease itself
    is_cancelled: bool = False
    state: WorkerState = WorkerState.QUEUED  # as the scheduler told it last

    @property
    def cannot_renew(self) -> bool:
        """Whether the manager has to renew the lease in the worker's place."""
        return not self.is_attached or self.state is WorkerState.SUSPENDED


class RunningJobs:
    """The jobs that this manager has started or adopted, in the slots of all resources."""

    def __init__(self, context: JobContext) -> None:
        self._context = context
        self._submitted: dict[int, _Submitted] = {}  # by job
        self._gone: list[int] = []  # workers that ended, their jobs not looked at yet
        self._hand_backs: Counter[int] = Counter()  # of this run, by job
        self._cut_off: defaultdict[int, list[Failure]] = defaultdict(list)  # of this run, by job
        self._back_early: set[int] = set()  # handed back by workers that are not known to be gone
        self._linger_until: dict[int, float] = {}  # jobs that ended, and still are in their queue
        self._renew_at = 0.0
        self._troubles: dict[str, str] = {}  # by resource, as they were told

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(self._submitted)

    def used(self, resource: str) -> int:
        """Slots of the resource that are taken."""
        return sum(1 for one in self._submitted.values() if one.job.resource == resource)

    def start_next(self, resource: str, *, budget: int | None = None) -> Job | None:
        """Claim the resource's next new job and start it; None when there is none to be had.

        A `budget` is given where there are more jobs than that: then it is claimed only while fewer
        have begun, over all managers.
        """
        job = self._claim(resource, budget)
        if job is None:
            return None
        if job.id in self._submitted:
            self._context.store.release(job.claim)
            self._back_early.add(job.id)
            return None
        if (failure := self._reason_to_give_up(job.id)) is not None:
            self._give_up(job, failure)
            return job
        order = order_for(job, self._context.config, experiment=self._context.experiment)
        try:
            proc_id = self._context.schedulers[resource].submit(order)
        except SchedulerError as error:
            failure = Failure(kind=FailureKind.START, message=str(error))
            self._context.store.release(job.claim, failure=failure)
            self._note_without_worker(job)
            return job
        self._submitted[job.id] = one = _Submitted(job, proc_id)
        self._note_id(one)
        self._context.tell(JobStarted(job, output_path(self._context.config.directory, job.id)))
        return job

    def adopt(self, job: Job) -> None:
        """Look after a job that a dead manager has left in a batch system."""
        process = job.process
        if process is None or process.proc_id is None or job.id in self._submitted:
            return
        self._submitted[job.id] = _Submitted(
            job, process.proc_id, is_noted=True, is_attached=process.pid is not None
        )

    def let_go(self, job: Job) -> None:
        """Stop waiting for the worker of a job whose lease has ended, whatever the batch system
        says: it may take a vanished node for a busy one for hours. Workers of this machine are
        awaited, since their end is seen."""
        one = self._submitted.get(job.id)
        if one is None or not self._is_in_queue(one):
            return
        self._cancel(one)
        if job.id not in self._gone:
            self._gone.append(job.id)

    def let_go_of_lingering(self) -> None:
        """`let_go` of jobs that ended in the store LINGER_SECONDS ago, and are still in a queue."""
        in_queues = [one.job for one in self._submitted.values() if self._is_in_queue(one)]
        if not in_queues:
            return
        held = {job.token for job in self._context.store.jobs(JobStatus.PENDING)}
        now, looks = time.monotonic(), LINGER_LOOKS * self._context.config.polling_time
        for job in (job for job in in_queues if job.token not in held):
            until = self._linger_until.setdefault(job.id, now + max(LINGER_SECONDS, looks))
            if now >= until and self._context.schedulers[job.resource].trouble is None:
                self.let_go(job)

    def _is_in_queue(self, one: _Submitted) -> bool:
        return one.proc_id is not None and self._context.schedulers[one.job.resource].has_queue

    def can_start(self, resource: str) -> bool:
        """False while the resource's scheduler does not answer, or while a new job of it still has
        a worker here, which has handed it back: why that ended is not known yet."""
        self._back_early &= self._submitted.keys()
        waits = any(self._submitted[i].job.resource == resource for i in self._back_early)
        return self._context.schedulers[resource].trouble is None and not waits

    def _reason_to_give_up(self, job_id: int) -> Failure | None:
        number, most = self._hand_backs[job_id], self._context.config.max_attempts
        if len(self._cut_off[job_id]) >= most:
            return self._cut_off[job_id][-1]
        if number < HAND_BACKS_PER_ATTEMPT * most:
            return None
        message = (
            f"its worker was told to end (SIGTERM) {number} times in this run, each time before "
            "there was a result; see that the objective does not do that itself, and that the "
            "cluster gives it time enough"
        )
        return Failure(kind=FailureKind.SIGNAL, message=message)

    def _give_up(self, job: Job, failure: Failure) -> None:
        self._context.store.fail(job.claim, failure, max_attempts=1)
        del self._hand_backs[job.id], self._cut_off[job.id]  # a retry is another matter
        self._note_without_worker(job)

    def _note_without_worker(self, job: Job) -> None:
        self._submitted[job.id] = _Submitted(job, None)
        self._gone.append(job.id)

    def _claim(self, resource: str, budget: int | None) -> Job | None:
        """Claim the next new job, if over all managers fewer than `max-concurrent-in-all` run, and
        fewer than the budget have begun."""
        at_once = self._context.config.resources[resource].max_concurrent_in_all
        if at_once is None and budget is None:
            return self._claim_next(resource)
        lock = f"{CLAIM_LOCK}-{resource}"
        if not self._context.store.lock(lock, self._context.owner, seconds=CLAIM_LOCK_SECONDS):
            return None
        try:
            counted = self._context.store.tally([resource]).budgets[resource]
            begun = sum(counted.values()) - counted[JobStatus.NEW]
            if at_once is not None and counted[JobStatus.PENDING] >= at_once:
                return None
            return None if budget is not None and begun >= budget else self._claim_next(resource)
        finally:
            self._context.store.unlock(lock, self._context.owner)

    def _claim_next(self, resource: str) -> Job | None:
        lease = self._context.config.lease_time
        return self._context.store.claim(
            self._context.owner, lease_seconds=lease, resource=resource
        )

    def notice_exits(self) -> bool:
        """Ask the schedulers which workers are gone; needs no store. True while some run."""
        for resource, scheduler in self._context.schedulers.items():
            jobs = {
                one.proc_id: one.job.id
                for one in self._submitted.values()
                if one.proc_id and one.job.resource == resource and one.job.id not in self._gone
            }
            for proc_id, state in scheduler.states(list(jobs)).items():
                self._note_state(self._submitted[jobs[proc_id]], state)
                if state.is_over:
                    self._gone.append(jobs[proc_id])
            self._tell_of_trouble(resource, scheduler.trouble)
        return len(self._gone) < len(self._submitted)

    def _note_state(self, one: _Submitted, state: WorkerState) -> None:
        if state is WorkerState.HELD and one.state is not WorkerState.HELD:
            self._context.tell(
                Notice(
                    f"job {one.job.id}: the batch system holds its job {one.proc_id}, which does "
                    "not start as it was asked for; see why there, and mend scheduler-args, or "
                    "release or cancel it there"
                )
            )
        if state is WorkerState.SUSPENDED and one.state is not WorkerState.SUSPENDED:
            self._renew_at = 0.0  # it has not renewed its lease for a while
        one.state = state

    def _tell_of_trouble(self, resource: str, trouble: str | None) -> None:
        """Tell of a scheduler's trouble once when it begins, and once when it is over."""
        before = self._troubles.pop(resource, None)
        if trouble is not None:
            self._troubles[resource] = trouble
        if (trouble is None) != (before is None):
            news = "the scheduler answers again" if trouble is None else trouble
            self._context.tell(Notice(f"resource {resource}: {news}"))

    @property
    def has_news(self) -> bool:
        """Whether `settle` has something to do."""
        return bool(self._gone)

    def settle(self) -> Iterator[JobEnded]:
        """Look up, one by one, how the jobs of the workers that are gone have ended."""
        while self._gone:
            one = self._submitted[self._gone[0]]
            job = self._ended_job(one)
            ended = JobEnded(job, handed_back=_was_handed_back(job, one))
            if ended.handed_back:
                self._note_hand_back(job.id, one.state)
            self._linger_until.pop(job.id, None)
            del self._submitted[self._gone.pop(0)]
            self._context.tell(ended)
            yield ended

    def _note_hand_back(self, job_id: int, state: WorkerState) -> None:
        if state in ENDED_BY_SCHEDULER:
            self._cut_off[job_id].append(ENDED_BY_SCHEDULER[state])
        else:
            self._hand_backs[job_id] += 1

    def keep_claims(self) -> None:
        """Write down the schedulers' ids, and renew the leases of workers that still wait.

        A worker may stay in a queue for a day. Once it has come up, the lease is its own to renew,
        unless the batch system has suspended it.
        """
        for one in self._submitted.values():
            if one.proc_id and not one.is_noted:
                self._note(one, one.proc_id)
        if time.monotonic() < self._renew_at:
            return
        for one in self._submitted.values():
            if one.proc_id and one.cannot_renew:
                self._renew(one)
        self._renew_at = time.monotonic() + self._context.config.heartbeat_time

    def cancel(self) -> None:
        """Ask every worker to hand its job back."""
        for one in self._submitted.values():
            self._cancel(one)

    def cancel_queued(self) -> None:
        """Cancel the jobs that only wait in a queue, where they may wait for days."""
        for one in self._submitted.values():
            if self._only_waits(one):
                self._cancel(one)

    def _only_waits(self, one: _Submitted) -> bool:
        """Whether the job's worker has not come up yet, by the scheduler and by the store: what
        the scheduler said last may be seconds old."""
        if not one.state.is_waiting or not self._is_in_queue(one):
            return False
        with suppress(StoreUnavailable):
            self._look_for_worker(one)
        return not one.is_attached

    def _cancel(self, one: _Submitted) -> None:
        if one.proc_id:
            one.is_cancelled = True
            self._context.schedulers[one.job.resource].cancel(one.proc_id)

    def wakeups(self) -> list[int]:
        return [file for s in self._context.schedulers.values() for file in s.wakeups()]

    def _note_id(self, one: _Submitted) -> None:
        """Store the scheduler's id of a queued job at once, for whoever follows if this manager is
        killed now."""
        if one.proc_id and self._is_in_queue(one):
            with suppress(StoreUnavailable):  # `keep_claims` tries again
                self._note(one, one.proc_id)

    def _note(self, one: _Submitted, proc_id: str) -> None:
        self._context.store.attach(one.job.claim, ProcessInfo(proc_id=proc_id))
        one.is_noted = True

    def _look_for_worker(self, one: _Submitted) -> None:
        process = self._context.store.job(one.job.id).process
        one.is_attached = process is not None and process.pid is not None

    def _renew(self, one: _Submitted) -> None:
        self._look_for_worker(one)
        lease = self._context.config.lease_time
        if one.cannot_renew and not self._context.store.renew(one.job.claim, lease_seconds=lease):
            self._cancel(one)  # somebody has stopped the job: its worker has nothing to wait for

    def _ended_job(self, one: _Submitted) -> Job:
        """The job as its worker left it. One that is still claimed is settled here: its worker was
        killed, or never began."""
        job = self._context.store.job(one.job.id)
        if _is_held(job, one.job):
            self._context.deliver_kept()  # the store may have been away when the worker went
            job = self._context.store.job(one.job.id)
        if not _is_held(job, one.job):
            return job
        if one.is_cancelled:
            self._context.store.release(job.claim)
        elif one.state is WorkerState.REFUSED:
            message = "no worker could be started; output/workers.log may say why"
            failure = Failure(kind=FailureKind.START, message=message)
            self._context.store.release(job.claim, failure=failure)
        elif self._context.never_began(job):
            self._context.release_unbegun(job)
        else:
            failure = ENDED_BY_SCHEDULER.get(one.state, KILLED)
            self._context.store.fail(
                job.claim, failure, max_attempts=self._context.config.max_attempts
            )
        return self._context.store.job(job.id)


def _is_held(job: Job, claimed: Job) -> bool:
    """Whether the job is still held by this manager's claim."""
    return job.status is JobStatus.PENDING and job.token == claimed.token


def _was_handed_back(job: Job, one: _Submitted) -> bool:
    """Whether the worker gave up its claim unasked, and not because nothing could be started."""
    uncounted = job.status is JobStatus.NEW and job.attempts < one.job.attempts
    return uncounted and len(job.failures) == len(one.job.failures)


def order_for(job: Job, config: Config, *, experiment: str) -> Order:
    """What the job's worker is told."""
    types = {name: variable.type for name, variable in config.variables.items()}
    launch = Launch(
        job_id=job.id,
        attempt=job.attempts,
        directory=str(config.directory.resolve()),
        language=config.language,
        main_file=config.main_file,
        arguments=arguments_from(job.params, types),
        tasks=job.tasks,
        time_limit=config.job_time_limit,
        environment_file=config.resources[job.resource].environment_file,
    )
    return Order(
        launch=launch,
        token=job.claim.token,
        store=replace(StoreAddress.of(config), directory=config.directory.resolve()),
        experiment=experiment,
        lease_seconds=config.lease_time,
        heartbeat_seconds=config.heartbeat_time,
        max_attempts=config.max_attempts,
    )
