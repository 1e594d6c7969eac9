"""Schedulers: who starts the workers of a resource. A new one is a class and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spearmint_int.errors import SchedulerError, UnknownNameError
from spearmint_int.schedulers.local import LocalScheduler
from spearmint_int.schedulers.protocol import Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["SCHEDULERS", "LocalScheduler", "Scheduler", "open_scheduler"]

SCHEDULERS: dict[str, Callable[[Path], Scheduler]] = {"local": LocalScheduler}

# Names that configs may have, for schedulers that are not there yet.
PLANNED = ("pbs", "sge", "slurm")


def open_scheduler(name: str, directory: Path) -> Scheduler:
    """The scheduler of that name for the experiment in `directory`."""
    if name in SCHEDULERS:
        return SCHEDULERS[name](directory)
    if name.lower() in PLANNED:
        raise SchedulerError(f"scheduler {name.upper()} is not supported yet; use local")
    raise UnknownNameError("scheduler", name, SCHEDULERS)
