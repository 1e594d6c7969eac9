"""The progress of a run: counts, times, the best job, and whether to go on."""

from __future__ import annotations

import math
import shlex
import time
from collections import Counter
from typing import TYPE_CHECKING

from spearmint_int.config.declaration import params_of_today
from spearmint_int.errors import DamagedJob, JobNotFound
from spearmint_int.jobs import Failure, Job, JobStatus
from spearmint_int.launcher.output import output_path
from spearmint_int.manager.events import Best, EndReason, Progress
from spearmint_int.reserved import reserved_ids
from spearmint_int.value_text import duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spearmint_int.config import Config
    from spearmint_int.experiment.history import StoreHistory
    from spearmint_int.manager.events import Estimate
    from spearmint_int.stores.protocol import Store
    from spearmint_int.stores.records import Damage
    from spearmint_int.variables import Params

# A run without any result gives up after so many broken jobs (and one more for each slot): the
# objective itself is at fault.
TELLING_FAILURES = 2
# A run with results gives up after so many broken jobs in a row (and one more for each slot).
MOST_BROKEN_IN_A_ROW = 10


class Mean:
    """A running mean."""

    def __init__(self) -> None:
        self._sum, self._count = 0.0, 0

    def add(self, value: float) -> None:
        self._sum += value
        self._count += 1

    @property
    def value(self) -> float | None:
        return self._sum / self._count if self._count else None


class ProgressTracker:
    """What has happened so far, in this run and in the experiment."""

    def __init__(
        self, config: Config, store: Store, history: StoreHistory, damaged: Sequence[Damage] = ()
    ) -> None:
        """The store counts the `damaged` jobs too, but nobody can start or end them."""
        self._config, self._store, self._history = config, store, history
        self._damaged = Counter((damage.resource, damage.status) for damage in damaged)
        self._begin = time.monotonic()
        self._best: Best | None = None
        self._completed, self._broken = 0, 0  # of this run; NaN is an answer, not a fault
        self._broken_in_a_row = 0
        self.last_failure: tuple[int, Failure] | None = None
        self._ended: dict[int, Params] = {}  # the parameters of jobs that ended since the last look
        self.job_seconds, self.suggestion_seconds = Mean(), Mean()
        self.first_failure: tuple[int, Failure] | None = None
        self.reserved = 0  # of the new jobs: they wait for people

    def note_end(self, job: Job) -> None:
        """Count a job of this run that ended."""
        self._history.note(job)
        self._ended[job.id] = job.params
        if job.seconds is not None:
            self.job_seconds.add(job.seconds)
        if job.status is JobStatus.COMPLETE:
            self._completed += 1
            self._broken_in_a_row = 0
        elif job.failures:
            self.last_failure = (job.id, job.failures[-1])
            if job.status is JobStatus.BROKEN:
                self._note_failure(job.id, job.failures[-1])

    def _note_failure(self, job_id: int, failure: Failure) -> None:
        self._broken += 1
        self._broken_in_a_row += 1
        self.first_failure = self.first_failure or (job_id, failure)

    def note_change(self, job: Job) -> bool:
        """Count a job that was just stored or claimed; False when `refresh` has to do that."""
        return self._history.note(job)

    def refresh(self) -> None:
        """Read everything."""
        self._history.refresh()
        self.look_for_best()

    def count_reserved(self) -> None:
        """Find how many of the new jobs are reserved, for the sentence at the end of a run."""
        self.reserved = min(len(reserved_ids(self._store)), self.counts[JobStatus.NEW])

    def look_for_best(self) -> None:
        """Find the best of the jobs that were read or noted."""
        self._best = self._best_now()
        self._ended.clear()

    def _best_now(self) -> Best | None:
        while (found := self._history.best()) is not None:
            job_id, value = found
            if self._best is not None and self._best.job_id == job_id:
                return self._best
            try:
                params = self._ended.get(job_id) or self._store.job(job_id).params
                return Best(job_id, value, params_of_today(params, self._config))
            except (DamagedJob, JobNotFound):  # somebody has been at the store meanwhile
                self._history.leave_out([job_id])
        return None

    # --- what follows from it ---

    def may_add(self, resource: str) -> bool:
        """Whether the resource's budget has room for another job."""
        limit = self._config.resources[resource].max_finished_jobs
        return limit is None or sum(self._budget(resource).values()) < limit

    def may_start(self, resource: str) -> bool:
        """Whether a job of the resource waits to be claimed, and the budget has room for it."""
        return self._startable(resource) > 0

    def passed_budget(self, resource: str) -> int | None:
        """The resource's budget if there are more jobs than that, because it was larger before;
        else None. Some of these jobs may be new, such as those that a run has handed back."""
        limit = self._config.resources[resource].max_finished_jobs
        is_passed = limit is not None and sum(self._budget(resource).values()) > limit
        return limit if is_passed else None

    def is_spent(self) -> bool:
        """Whether no job may be added, and every job that could be run has ended."""
        return not any(map(self.may_add, self._config.resources)) and not self.unfinished

    @property
    def unfinished(self) -> int:
        """How many jobs of the config's resources will still end: pending ones, of all managers,
        and new ones that may be started."""
        resources = self._config.resources
        return sum(self._usable(n, JobStatus.PENDING) + self._startable(n) for n in resources)

    def _startable(self, resource: str) -> int:
        new, limit = self._usable(resource, JobStatus.NEW), self.passed_budget(resource)
        if limit is None:
            return new
        begun = self._finished_of(resource) + self._budget(resource)[JobStatus.PENDING]
        return min(new, max(limit - begun, 0))

    def _usable(self, resource: str, status: JobStatus) -> int:
        """The jobs of that status without those that were damaged when the run began."""
        return max(self._budget(resource)[status] - self._damaged[resource, status.value], 0)

    def every_job_breaks(self) -> bool:
        """Whether to give up: many jobs of this run broke, and none gave a result."""
        slots = sum(r.max_concurrent for r in self._config.resources.values())
        return self._completed == 0 and self._broken >= slots + TELLING_FAILURES

    def jobs_keep_breaking(self) -> bool:
        """Whether to give up although there were results: too many jobs broke one by one."""
        slots = sum(r.max_concurrent for r in self._config.resources.values())
        return self._broken_in_a_row >= slots + MOST_BROKEN_IN_A_ROW

    def nothing_worked(self) -> bool:
        """Whether jobs have ended, and none with a number."""
        return self._history.finished > 0 and not self._history.has_result

    @property
    def seconds_left(self) -> float:
        """What is left of max-time; infinite without one, and once it is over."""
        if self._config.max_time is None or self.is_over_time():
            return math.inf
        return self._config.max_time - self.elapsed

    def is_over_time(self) -> bool:
        return self._config.max_time is not None and self.elapsed >= self._config.max_time

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._begin

    @property
    def best(self) -> Best | None:
        return self._best

    @property
    def none_fulfils(self) -> bool:
        """Whether there are results, and each violates a constraint."""
        return self._best is None and self._history.has_result

    @property
    def counts(self) -> dict[JobStatus, int]:
        return self._history.counts

    def progress(self, running: Sequence[int], estimate: Estimate | None) -> Progress:
        """The progress for the listener. A `running` job that has ended in the store already counts
        once its end was told."""
        untold = len(set(running).intersection(self._history.finished_ids))
        return Progress(
            counts=self._history.counts,
            finished=sum(map(self._finished_of, self._config.resources)) - untold,
            budget=self._config.budget,
            running=tuple(running),
            best=self._best,
            estimate=estimate,
            suggestion_seconds=self.suggestion_seconds.value,
            job_seconds=self.job_seconds.value,
            elapsed_seconds=self.elapsed,
            remaining_seconds=self._remaining(),
            none_fulfils=self.none_fulfils,
        )

    def _budget(self, resource: str) -> Mapping[JobStatus, int]:
        return self._history.tally.budgets[resource]

    def _finished_of(self, resource: str) -> int:
        counts = self._budget(resource)
        return counts[JobStatus.COMPLETE] + counts[JobStatus.BROKEN]

    def _remaining(self) -> float | None:
        """Seconds until the budget or max-time is used up. Suggestions are made one at a time, jobs
        run side by side: the slower of both sets the pace."""
        limits = []
        budget, job_seconds = self._config.budget, self.job_seconds.value
        if budget is not None and job_seconds is not None:
            slots = sum(r.max_concurrent for r in self._config.resources.values())
            left = budget - sum(map(self._finished_of, self._config.resources))
            suggestion = self.suggestion_seconds.value or 0.0
            limits.append(max(left, 0) * max(suggestion, (suggestion + job_seconds) / slots))
        if self._config.max_time is not None:
            limits.append(max(self._config.max_time - self.elapsed, 0.0))
        return min(limits, default=None)


def ending_message(
    reason: EndReason, progress: ProgressTracker, config: Config, no_more_points: str
) -> str:
    """The sentence for people."""
    jobs = _counted(progress, config)
    if reason is EndReason.ALL_BROKEN:
        return _first_error(progress, config)
    if reason is EndReason.FAILING:
        return f"{_last_error(progress, config)}: {jobs}; mend it, and run again to go on"
    return {
        EndReason.BUDGET: f"the budget is spent: {jobs}",
        EndReason.TIME: f"the time of {duration(config.max_time)} is over: {jobs}",
        EndReason.EXHAUSTED: f"{no_more_points}: {jobs}",
        EndReason.GOAL: f"{no_more_points}: {jobs}",
        EndReason.STOPPED: f"stopped on request: {jobs}; run again to go on",
    }[reason]


def _counted(progress: ProgressTracker, config: Config) -> str:
    counts, broken = progress.counts, progress.counts[JobStatus.BROKEN]
    command = f"spearmint-int retry {shlex.quote(str(config.directory))} --all"
    again = f" ({command} gives them another try)" if broken else ""
    parts = [f"{counts[JobStatus.COMPLETE]} complete", f"{broken} broken{again}"]
    waiting = {
        "pending": counts[JobStatus.PENDING],
        "new": counts[JobStatus.NEW] - progress.reserved,
        "reserved": progress.reserved,
    }
    parts += [f"{number} {word}" for word, number in waiting.items() if number]
    return ", ".join(parts)


def _first_error(progress: ProgressTracker, config: Config) -> str:
    if progress.first_failure is None and progress.counts[JobStatus.BROKEN]:
        return f"no job has worked: {_counted(progress, config)}"
    if progress.first_failure is None:
        failed = progress.counts[JobStatus.COMPLETE]
        return f"no job gave a number: {failed} have failed (NaN or infinite)"
    job_id, failure = progress.first_failure
    where = output_path(config.directory, job_id)
    return f"every job broke; the first was job {job_id}: {failure.message} (see {where})"


def _last_error(progress: ProgressTracker, config: Config) -> str:
    if progress.last_failure is None:
        return "too many jobs in a row failed"
    job_id, failure = progress.last_failure
    where = output_path(config.directory, job_id)
    return f"too many jobs in a row failed; the last was job {job_id}: {failure.message} ({where})"
