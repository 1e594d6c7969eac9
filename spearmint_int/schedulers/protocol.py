"""What every scheduler promises: it starts workers, and knows what became of them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from spearmint_int.launcher.order import Order


class WorkerState(Enum):
    """What a scheduler knows of a worker that was submitted to it, perhaps by another manager."""

    QUEUED = "queued"  # it will start at some time
    HELD = "held"  # queued, and will not start as it stands: a person has to do something
    RUNNING = "running"
    SUSPENDED = "suspended"  # it has begun, and is stopped for a while: it renews no lease
    GONE = "gone"  # it has ended, however that was, and will not start (again)
    REFUSED = "refused"  # known to be gone before it began: the job can't have run
    TIMED_OUT = "timed out"  # gone: the scheduler ended it, when its time was over
    OUT_OF_MEMORY = "out of memory"  # gone: the scheduler ended it, or the kernel did
    UNKNOWN = "unknown"  # its state can't be known from here
    UNANSWERED = "unanswered"  # no answer yet, or the scheduler is away: conclude nothing

    @property
    def is_waiting(self) -> bool:
        """Whether it is in a queue, and has not begun."""
        return self in (WorkerState.QUEUED, WorkerState.HELD)

    @property
    def is_over(self) -> bool:
        """Whether there is no worker any more."""
        return self in OVER


OVER = (
    WorkerState.GONE,
    WorkerState.REFUSED,
    WorkerState.TIMED_OUT,
    WorkerState.OUT_OF_MEMORY,
)


class Scheduler(Protocol):
    """The workers of one resource. A scheduler knows nothing of the store, where a worker settles
    its claim.

    Where workers wait in a queue (`has_queue`), each is `python -m spearmint_int.worker run FILE`:
    it attaches itself to the claim in the store, and runs the objective only if the claim is still
    its own. So one that never attached itself has run nothing.
    """

    @property
    def has_queue(self) -> bool:
        """Whether workers may wait for long before they start."""

    @property
    def trouble(self) -> str | None:
        """One sentence while nothing can be submitted or asked; None when all is well."""

    def submit(self, order: Order) -> str:
        """Start or queue a worker for the order; the scheduler's own id of it.

        The id means the same to a manager that comes later, and never means another worker.
        SchedulerError with one sentence when it can't be submitted.
        """

    def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
        """What became of these workers. It is called often: where asking is slow, one question is
        for all workers, and the answer may be a moment old."""

    def cancel(self, proc_id: str) -> None:
        """Ask the worker to end the objective and hand the job back. Does not wait."""

    def wakeups(self) -> Sequence[int]:
        """Files that are readable as soon as `states` has news; none where one has to ask."""

    def close(self) -> None:
        """Release what the scheduler itself holds. Running workers go on."""
