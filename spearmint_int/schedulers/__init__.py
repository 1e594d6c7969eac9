"""Schedulers: who starts the workers of a resource; their names are in `registry`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from spearmint_int.registry import SCHEDULERS
from spearmint_int.schedulers.batch import BatchScheduler
from spearmint_int.schedulers.local import LocalScheduler
from spearmint_int.schedulers.protocol import Scheduler, WorkerState

if TYPE_CHECKING:
    from spearmint_int.config import Resource

__all__ = ["LocalScheduler", "Scheduler", "SchedulerOpener", "WorkerState", "open_scheduler"]

# A name in the registry stands for such a function of the experiment's folder and the resource,
# whose `scheduler_args` are for the scheduler alone.
SchedulerOpener: TypeAlias = Callable[[Path, "Resource"], Scheduler]


def open_scheduler(
    resource: Resource, directory: Path, *, poll_seconds: float | None = None
) -> Scheduler:
    """The resource's scheduler, for the experiment in `directory`.

    A batch system is asked no more often than every `poll_seconds`.
    """
    scheduler = SCHEDULERS[resource.scheduler](directory, resource)
    if poll_seconds is not None and isinstance(scheduler, BatchScheduler):
        scheduler.poll_seconds = poll_seconds
    return scheduler
