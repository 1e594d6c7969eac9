"""What a run tells its listener: frozen values, in the order in which things happened.

The manager prints nothing. A listener is any function of one event; it is called in the manager's
own thread and should be quick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from spearmint_int.jobs import JobStatus

if TYPE_CHECKING:
    from pathlib import Path

    from spearmint_int.goal import Goal
    from spearmint_int.jobs import Failure, Job
    from spearmint_int.variables import Params


class EndReason(str, Enum):
    """Why a run ended."""

    BUDGET = "budget"  # max-finished-jobs jobs are complete or broken
    TIME = "time"  # max-time is over
    EXHAUSTED = "exhausted"  # every point of a finite space was evaluated
    GOAL = "goal"  # the config's stop-when holds
    ALL_BROKEN = "all-broken"  # no job has worked
    FAILING = "failing"  # too many jobs in a row broke, or could not be started
    STOPPED = "stopped"  # somebody asked for it (Ctrl-C, SIGTERM)

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Best:
    """The best result so far and where it was found."""

    job_id: int
    value: float
    params: Params


@dataclass(frozen=True)
class Estimate:
    """The optimum of the model's mean, in the objective's units."""

    params: Params
    mean: float
    sd: float
    note: str = ""


@dataclass(frozen=True)
class Progress:
    """Where the run stands. `running` are the jobs of this manager; the counts are of all."""

    counts: dict[JobStatus, int]
    finished: int  # complete and broken jobs that count against the budget
    budget: int | None
    running: tuple[int, ...]
    best: Best | None
    estimate: Estimate | None
    suggestion_seconds: float | None  # mean over this run
    job_seconds: float | None  # mean over this run
    elapsed_seconds: float
    remaining_seconds: float | None  # a guess from the means, and at most what max-time leaves
    goal: Goal | None = None  # how far `stop-when` is
    none_fulfils: bool = False  # there are results, and each violates a constraint


@dataclass(frozen=True)
class Summary:
    """How a run ended. `message` is one sentence for people."""

    reason: EndReason
    message: str
    progress: Progress
    first_failure: tuple[int, Failure] | None  # the first broken job of this run, with its error

    @property
    def succeeded(self) -> bool:
        """False when no job has worked, or too many in a row have not."""
        return self.reason not in (EndReason.ALL_BROKEN, EndReason.FAILING)


@dataclass(frozen=True)
class RunStarted:
    """The manager has opened the experiment; `resumed` when there were jobs before."""

    progress: Progress
    resumed: bool
    store: str


@dataclass(frozen=True)
class SuggestionStarted:
    """The chooser is at work on the next point."""

    observations: int


@dataclass(frozen=True)
class JobAdded:
    """A point was stored as a new job; `seconds` is what the chooser took, if it was asked."""

    job: Job
    seconds: float | None


@dataclass(frozen=True)
class JobStarted:
    """A job of this manager is running; `output` is where it prints."""

    job: Job
    output: Path


@dataclass(frozen=True)
class JobEnded:
    """A job ended: of this manager complete, broken, or new again with its failure; of others, a
    killed manager among them, complete or broken."""

    job: Job
    handed_back: bool = False  # by its worker: the failures are those of earlier attempts

    @property
    def failure(self) -> Failure | None:
        """The failure of the attempt that ended; None when it gave a result or was handed back."""
        has_result = self.job.status is JobStatus.COMPLETE
        failed = not (has_result or self.handed_back) and self.job.failures
        return self.job.failures[-1] if failed else None


@dataclass(frozen=True)
class JobLost:
    """The worker of a pending job (of any manager) is gone; the job was taken back."""

    job: Job


@dataclass(frozen=True)
class Notice:
    """Something that people should know of; the run goes on."""

    message: str


@dataclass(frozen=True)
class StoreAway:
    """The store can't be reached; the run waits and tries again."""

    error: str
    retry_seconds: float


@dataclass(frozen=True)
class StoreBack:
    """The store answers again."""

    away_seconds: float


@dataclass(frozen=True)
class Stopping:
    """The run is ending: with `hand_back` running jobs are ended and handed back, else awaited."""

    running: tuple[int, ...]
    hand_back: bool


@dataclass(frozen=True)
class ProgressMade:
    """Something in the progress changed; sent after the events that changed it."""

    progress: Progress


@dataclass(frozen=True)
class RunEnded:
    """The last event."""

    summary: Summary


Event: TypeAlias = (
    RunStarted
    | SuggestionStarted
    | JobAdded
    | JobStarted
    | JobEnded
    | JobLost
    | Notice
    | StoreAway
    | StoreBack
    | Stopping
    | ProgressMade
    | RunEnded
)
Listener: TypeAlias = Callable[[Event], object]
