"""What every scheduler promises: it starts workers, and tells when they are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spearmint_int.launcher.launch import Order


class Scheduler(Protocol):
    """Workers of one resource. It knows nothing of the store: a worker settles its claim there."""

    def submit(self, order: Order) -> None:
        """Start a worker for the order; SchedulerError with one sentence when that fails."""

    def poll(self) -> list[int]:
        """The ids of the jobs whose workers are gone since the last call, however they ended."""

    def cancel(self, job_id: int) -> None:
        """Ask the job's worker to end the objective and hand the job back. Does not wait."""

    def wakeups(self) -> Sequence[int]:
        """Files that are readable as soon as `poll` has news; none where one has to ask."""

    def close(self) -> None:
        """Let go of what the scheduler itself holds. Workers that run go on."""
