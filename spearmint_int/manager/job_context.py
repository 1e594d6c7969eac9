"""What the parts of a manager that claim jobs and take them back have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spearmint_int.jobs import Failure, FailureKind
from spearmint_int.launcher.delivery import deliver_kept_outcomes
from spearmint_int.launcher.order import queued_order_path
from spearmint_int.manager.events import Notice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spearmint_int.config import Config
    from spearmint_int.jobs import Job
    from spearmint_int.manager.events import Listener
    from spearmint_int.schedulers import Scheduler
    from spearmint_int.stores.protocol import Store


@dataclass(frozen=True)
class JobContext:
    """Where the jobs are, who runs them, in whose name, and who is told of it.

    `owner` names this manager in every lease; `experiment` is the id that its workers carry.
    """

    config: Config
    store: Store
    schedulers: Mapping[str, Scheduler]
    owner: str
    experiment: str
    tell: Listener

    def never_began(self, job: Job) -> bool:
        """Whether the pending job waited in a queue, and its worker has never come up."""
        scheduler = self.schedulers.get(job.resource)
        is_known = job.process is not None and job.process.pid is not None
        return scheduler is not None and scheduler.has_queue and not is_known

    def release_unbegun(self, job: Job) -> bool:
        """Hand back a job that left its queue without having run; False when its claim is lost."""
        queued_order_path(self.config.directory, job.claim).unlink(missing_ok=True)
        return self.store.release(job.claim, failure=_never_began(job))

    def deliver_kept(self) -> None:
        """Write what workers have left in files because the store was away."""
        delivery = deliver_kept_outcomes(
            self.config.directory, self.store, experiment=self.experiment
        )
        for notice in delivery.notices:
            self.tell(Notice(notice))


def _never_began(job: Job) -> Failure:
    """Of a job that left a queue without having run: it costs no attempt."""
    known = job.process.proc_id if job.process is not None else None
    named = "" if known is None else f" {known}"
    message = (
        f"the batch system's job{named} has ended before its worker came up: it was cancelled, or "
        f"output/{job.id:08d}.out may say why"
    )
    return Failure(kind=FailureKind.START, message=message)
