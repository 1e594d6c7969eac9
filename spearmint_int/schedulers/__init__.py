"""Schedulers: who starts the workers of a resource; their names are in `registry`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from spearmint_int.registry import SCHEDULERS
from spearmint_int.schedulers.local import LocalScheduler
from spearmint_int.schedulers.protocol import Scheduler, WorkerState

if TYPE_CHECKING:
    from spearmint_int.config import Resource

__all__ = ["LocalScheduler", "Scheduler", "SchedulerOpener", "WorkerState", "open_scheduler"]

# What a name in the registry stands for: made from the experiment's folder and the resource, whose
# `scheduler_args` are its own.
SchedulerOpener: TypeAlias = Callable[[Path, "Resource"], Scheduler]


def open_scheduler(resource: Resource, directory: Path) -> Scheduler:
    """The resource's scheduler, for the experiment in `directory`."""
    return SCHEDULERS[resource.scheduler](directory, resource)
