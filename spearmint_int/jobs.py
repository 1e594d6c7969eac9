"""Jobs: their states, failures and numbers, as frozen values without input or output.

new → pending → complete | broken. A pending job belongs to one claim (`token`), which holds a
lease. A failure or a lease that ends makes it new again, or broken when its attempts are used up.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spearmint_int.variables import Params

MAIN_RESOURCE = "Main"
RESERVED = "reserved-"  # the beginning of the resource of a point that a person evaluates
MAIN_TASK = "main"

# Of stderr a failure keeps the end, where the reason is; jobs must stay small enough to be listed.
STDERR_TAIL_CHARACTERS = 8_000

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tabs and ends of lines

# A lost worker says nothing of its job's parameters: its node failed, or its machine was restarted.
# But when so many were lost at one point, the parameters may be at fault: an objective that takes
# all memory may take its worker along.
TELLING_LOSSES = 3

Values = dict[str, float]  # task → number; NaN means that the evaluation failed at this point
FAILED_HERE = "failed here (NaN or infinite)"  # how people are told of that
NONE_FULFILS = "no result fulfils every constraint"


class JobStatus(str, Enum):
    """The state of a job; the value is what the store holds."""

    NEW = "new"
    PENDING = "pending"
    COMPLETE = "complete"
    BROKEN = "broken"

    def __str__(self) -> str:
        return self.value


FINISHED = (JobStatus.COMPLETE, JobStatus.BROKEN)
UNFINISHED = (JobStatus.NEW, JobStatus.PENDING)


class Source(str, Enum):
    """Where a job's point came from."""

    CHOOSER = "chooser"
    INITIAL = "initial"  # a guess from the config's initial-points
    USER = "user"  # a result that somebody brought

    def __str__(self) -> str:
        return self.value


# Only jobs from these sources count against the budget: results that were brought cost nothing.
COUNTED_SOURCES = (Source.CHOOSER, Source.INITIAL)


class FailureKind(str, Enum):
    """Why an attempt failed: the remedies differ."""

    EXCEPTION = "exception"
    SIGNAL = "signal"
    OUT_OF_MEMORY = "out-of-memory"
    TIME_LIMIT = "time-limit"
    EXIT = "exit"
    BAD_RESULT = "bad-result"
    NOT_A_NUMBER = "not-a-number"  # in stores of earlier versions: NaN is an answer now
    LOST_WORKER = "lost-worker"
    LAUNCH = "launch"  # the objective can't be used as it is
    START = "start"  # it could not be started now: a file is missing, a fork was refused
    STOPPED = "stopped"  # somebody has ended it by hand

    def __str__(self) -> str:
        return self.value

    @property
    def is_of_the_point(self) -> bool:
        """Whether the parameters may be at fault. Otherwise `main` was not called with them, or was
        stopped, which could have happened at any point."""
        return self not in (FailureKind.LAUNCH, FailureKind.START, FailureKind.STOPPED)


def printable(text: str) -> str:
    """The text with control characters escaped: objectives print anything."""
    return CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


@dataclass(frozen=True)
class Failure:
    """One failed attempt: its kind, one sentence for people, and what the process left behind."""

    kind: FailureKind
    message: str
    exit_status: int | None = None
    stderr_tail: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", FailureKind(self.kind))
        object.__setattr__(self, "message", printable(self.message))
        tail = printable(self.stderr_tail[-STDERR_TAIL_CHARACTERS:])
        object.__setattr__(self, "stderr_tail", tail[-STDERR_TAIL_CHARACTERS:])


@dataclass(frozen=True)
class ProcessInfo:
    """Where a pending job runs, as far as it is known, so that another manager can look for it.

    `proc_id` is the scheduler's own id, known since the submission; the worker adds the rest.
    `born` is the start of its process in the operating system's words (any stable text), because a
    pid alone may belong to another process by now.
    """

    host: str | None = None
    pid: int | None = None
    born: str | None = None
    proc_id: str | None = None


@dataclass(frozen=True)
class Claim:
    """The right to change a pending job: every change by a worker is conditional on its claim.

    `attempts` counts the job's claims, this one included.
    """

    job_id: int
    token: str
    attempts: int


@dataclass(frozen=True)
class JobDraft:
    """A job before the store has given it an id.

    `params` is what the objective gets; `point` is the exact unit-cube point that the model uses.
    Of the `tasks` the first is the objective, and the others are constraints.
    """

    params: Params
    point: tuple[float, ...]
    source: Source = Source.CHOOSER
    provenance: dict[str, Any] = field(default_factory=dict)
    resource: str = MAIN_RESOURCE
    tasks: tuple[str, ...] = (MAIN_TASK,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", tuple(float(u) for u in self.point))
        object.__setattr__(self, "source", Source(self.source))
        if not all(math.isfinite(u) for u in self.point):
            raise ValueError(f"a job's point must be finite, got {self.point}")


@dataclass(frozen=True)
class Job:
    """A job as the store held it at the moment of reading.

    `attempts` counts its claims, the present one included; `token` is that of the present claim.
    Times are UTC seconds since 1970.
    """

    id: int
    status: JobStatus
    params: Params
    point: tuple[float, ...]
    source: Source
    provenance: dict[str, Any]
    resource: str
    tasks: tuple[str, ...]
    created: float
    started: float | None = None
    ended: float | None = None
    attempts: int = 0
    values: Values | None = None
    failures: tuple[Failure, ...] = ()
    lease_owner: str | None = None
    lease_expires: float | None = None
    token: str | None = None
    process: ProcessInfo | None = None

    @property
    def is_finished(self) -> bool:
        """True for a complete or broken job, which nobody will run again unasked."""
        return self.status in FINISHED

    @property
    def is_void(self) -> bool:
        """True for a broken job that says nothing of its point, from which no model learns."""
        return is_void(self.status, [failure.kind for failure in self.failures])

    @property
    def constraints(self) -> tuple[str, ...]:
        """The tasks that have to be at least 0."""
        return self.tasks[1:]

    @property
    def metrics(self) -> Values:
        """The numbers beside the objective's: of constraints, and those that are only kept."""
        return {name: x for name, x in (self.values or {}).items() if name != self.tasks[0]}

    @property
    def unfulfilled(self) -> tuple[str, ...]:
        """The constraints of a complete job that its numbers don't fulfil."""
        return () if self.values is None else unfulfilled(self.values, self.constraints)

    @property
    def unfulfilled_text(self) -> str:
        """`disk not fulfilled, weight without a number`; empty where every constraint is."""
        values = self.values or {}
        without = [n for n in self.unfulfilled if math.isnan(values.get(n, math.nan))]
        seen = unfulfilled_text(n for n in self.unfulfilled if n not in without)
        unseen = f"{', '.join(without)} without a number" if without else ""
        return ", ".join(filter(None, [seen, unseen]))

    @property
    def is_reserved(self) -> bool:
        """True for a point that waits for a person to bring its result."""
        return self.status is JobStatus.NEW and self.resource.startswith(RESERVED)

    @property
    def is_queued(self) -> bool:
        """True for a pending job that a scheduler has, and whose worker has not come up yet."""
        process = self.process
        waits = process is not None and process.proc_id is not None and process.pid is None
        return self.status is JobStatus.PENDING and waits

    @property
    def claim(self) -> Claim:
        """The claim that holds the job; ValueError when nobody does."""
        if self.token is None:
            raise ValueError(f"job {self.id} is {self.status}: nobody has claimed it")
        return Claim(self.id, self.token, self.attempts)

    @property
    def seconds(self) -> float | None:
        """How long the last attempt of a finished job took; None when it did not run here."""
        return seconds_between(self.started, self.ended) if self.is_finished else None


class JobPoint(NamedTuple):
    """What the model needs of a job: its point and what came of it. There may be 10 000 of them."""

    id: int
    status: JobStatus
    point: tuple[float, ...]
    values: Values | None
    seconds: float | None = None  # what it cost; None where it did not run here
    is_void: bool = False  # as `Job.is_void`

    def value(self, task: str) -> float:
        """The task's number; NaN for a broken or unfinished job, or one without that task."""
        return math.nan if self.values is None else self.values.get(task, math.nan)

    def worked(self, tasks: Iterable[str]) -> bool:
        """Whether it is complete, and none of these tasks failed."""
        return self.values is not None and not has_failed(self.values, tasks)


@dataclass(frozen=True)
class Tally:
    """How many jobs a store had in each status, at one moment.

    `counts` is of all jobs; `budgets` has, for each resource that was asked for, the jobs that
    count against its limit. Both have every status, zeros included. `last_id` is the highest id, 0
    in an empty store.
    """

    counts: dict[JobStatus, int]
    budgets: dict[str, dict[JobStatus, int]]
    last_id: int = 0

    @property
    def finished(self) -> int:
        """How many jobs that count against a limit have ended."""
        return sum(budget[status] for budget in self.budgets.values() for status in FINISHED)

    def with_job(self, job: Job, *, before: JobStatus | None) -> Tally:
        """The tally after this job was added (`before` is None), or changed its status."""
        change = {job.status: 1} if before is None else {before: -1, job.status: 1}
        if before is job.status:
            change = {}
        budgets = dict(self.budgets)
        if job.source in COUNTED_SOURCES and job.resource in budgets:
            budgets[job.resource] = _changed(budgets[job.resource], change)
        return Tally(_changed(self.counts, change), budgets, max(self.last_id, job.id))


def _changed(
    counts: Mapping[JobStatus, int], change: Mapping[JobStatus, int]
) -> dict[JobStatus, int]:
    return {status: number + change.get(status, 0) for status, number in counts.items()}


def is_void(status: JobStatus, failures: Sequence[FailureKind]) -> bool:
    """Whether a job in this status, with these failures, says nothing of its point.

    The last failure decides: another attempt was made after those before it. A lost worker does not
    count as a failure of the point, unless there were many.
    """
    told = [kind for kind in failures if kind is not FailureKind.LOST_WORKER]
    losses = len(failures) - len(told)
    if status is not JobStatus.BROKEN or not failures:
        return False
    if failures[-1] is FailureKind.LOST_WORKER and losses >= TELLING_LOSSES:
        return False
    return not told or not told[-1].is_of_the_point


def seconds_between(started: float | None, ended: float | None) -> float | None:
    return None if started is None or ended is None else max(ended - started, 0.0)


def has_failed(values: Mapping[str, float], tasks: Iterable[str]) -> bool:
    """Whether a number of any of the tasks is not finite; a missing number is no failure."""
    return any(not math.isfinite(values[task]) for task in tasks if task in values)


def unfulfilled(values: Mapping[str, float], constraints: Iterable[str]) -> tuple[str, ...]:
    """The constraints that are below 0 or have no number."""
    return tuple(name for name in constraints if not values.get(name, math.nan) >= 0.0)


def unfulfilled_text(names: Iterable[str]) -> str:
    """`disk, weight not fulfilled`; empty where there are none."""
    listed = ", ".join(names)
    return listed and f"{listed} not fulfilled"


def checked_values(values: Mapping[str, float]) -> Values:
    """Results as the stores keep them: a float for each task, NaN for all that are not finite."""
    if not values:
        raise ValueError("a complete job needs a value for at least one task, got none")
    return {printable(str(task)): _checked_number(task, value) for task, value in values.items()}


def _checked_number(task: str, value: float) -> float:
    if isinstance(value, (bool, str, bytes)):
        raise TypeError(f"the value of task {task!r} must be a number, got {value!r}")
    number = as_float(value)
    return number if math.isfinite(number) else math.nan


def as_constraint(value: float) -> float:
    """A constraint's number: True and False, for one that is only met or not, are 1 and −1."""
    return (1.0 if value else -1.0) if isinstance(value, bool) else as_float(value)


def as_float(number: float) -> float:
    """The number as a float; infinite for an integer that no float can hold."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def status_after_failure(attempts: int, max_attempts: int) -> JobStatus:
    """New while attempts remain, broken when they are used up."""
    return JobStatus.NEW if attempts < max_attempts else JobStatus.BROKEN


def runs_of(ids: Iterable[int]) -> list[int | list[int]]:
    """Ids as ascending runs: [3, 7, 8, 9, 10] is [3, [7, 10]]. Each job keeps the ids that were
    pending when it was chosen, which may be thousands."""
    runs: list[list[int]] = []
    for job_id in sorted(ids):
        if runs and job_id == runs[-1][1] + 1:
            runs[-1][1] = job_id
        else:
            runs.append([job_id, job_id])
    short: list[int | list[int]] = []
    for first, last in runs:
        short += [[first, last]] if last > first + 2 else list(range(first, last + 1))
    return short


def ids_of(runs: Iterable[int | list[int]]) -> set[int]:
    """The inverse of `runs_of`."""
    pairs = (run if isinstance(run, list) else [run, run] for run in runs)
    return {job_id for first, last in pairs for job_id in range(first, last + 1)}
