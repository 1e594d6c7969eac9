"""The running jobs of one manager: claimed, handed to a scheduler, and settled when they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spearmint_int.errors import SchedulerError
from spearmint_int.jobs import Failure, FailureKind, Job, JobStatus
from spearmint_int.launcher.launch import Claim, Launch, Order, arguments_from
from spearmint_int.launcher.output import output_path
from spearmint_int.manager.events import JobEnded, JobStarted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spearmint_int.config import Config
    from spearmint_int.manager.events import Listener
    from spearmint_int.schedulers import Scheduler
    from spearmint_int.stores.protocol import Store


@dataclass(frozen=True)
class Running:
    """A claimed job with the resource that runs it."""

    job: Job
    resource: str


class Fleet:
    """Slots of all resources, and what is in them."""

    def __init__(
        self,
        config: Config,
        store: Store,
        schedulers: Mapping[str, Scheduler],
        *,
        owner: str,
        lease_seconds: float,
        listener: Listener,
    ) -> None:
        self._config = config
        self._store = store
        self._schedulers = schedulers
        self._owner = owner
        self._lease_seconds = lease_seconds
        self._tell = listener
        self._running: dict[int, Running] = {}
        self._gone: list[int] = []  # workers that ended, their jobs not looked at yet

    @property
    def running(self) -> tuple[int, ...]:
        return tuple(self._running)

    def used(self, resource: str) -> int:
        """Slots of the resource that are taken."""
        return sum(1 for run in self._running.values() if run.resource == resource)

    def start_next(self, resource: str) -> bool:
        """Claim the resource's next new job and start it; False when there is none."""
        job = self._store.claim(self._owner, lease_seconds=self._lease_seconds, resource=resource)
        if job is None:
            return False
        try:
            self._schedulers[resource].submit(order_for(job, self._config, self._lease_seconds))
        except SchedulerError as error:
            failure = Failure(kind=FailureKind.LAUNCH, message=str(error))
            self._store.fail(job, failure, max_attempts=self._config.max_attempts)
            self._running[job.id] = Running(job, resource)
            self._gone.append(job.id)
            return True
        self._running[job.id] = Running(job, resource)
        self._tell(JobStarted(job, output_path(self._config.directory, job.id)))
        return True

    def notice_exits(self) -> bool:
        """Ask the schedulers which workers are gone; needs no store. True while some run."""
        for scheduler in self._schedulers.values():
            self._gone += scheduler.poll()
        return len(self._gone) < len(self._running)

    @property
    def has_news(self) -> bool:
        """Whether `settle` has something to do."""
        return bool(self._gone)

    def settle(self) -> Iterator[Job]:
        """Look up, one by one, how the jobs of the workers that are gone have ended."""
        while self._gone:
            job = self._ended_job(self._running[self._gone[0]].job)
            del self._running[self._gone.pop(0)]
            self._tell(JobEnded(job))
            yield job

    def cancel(self) -> None:
        """Ask every worker to hand its job back."""
        for job_id, run in self._running.items():
            self._schedulers[run.resource].cancel(job_id)

    def wakeups(self) -> list[int]:
        return [file for s in self._schedulers.values() for file in s.wakeups()]

    def close(self) -> None:
        for scheduler in self._schedulers.values():
            scheduler.close()

    def _ended_job(self, claimed: Job) -> Job:
        """The job as its worker left it; a worker that left nothing was killed."""
        job = self._store.job(claimed.id)
        if job.status is JobStatus.PENDING and job.token == claimed.token:
            message = "the job's worker was killed before it could write a result"
            failure = Failure(kind=FailureKind.LOST_WORKER, message=message)
            self._store.fail(claimed, failure, max_attempts=self._config.max_attempts)
            job = self._store.job(claimed.id)
        return job


def order_for(job: Job, config: Config, lease_seconds: float) -> Order:
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
    claim = Claim(
        token=job.token or "",
        experiment_name=config.experiment_name,
        database_address=config.database.address,
        database_name=config.database.name,
        lease_seconds=lease_seconds,
        max_attempts=config.max_attempts,
    )
    return Order(launch=launch, claim=claim)
