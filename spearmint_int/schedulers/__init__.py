"""Schedulers: who starts the workers of a resource; their names are in `registry`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from spearmint_int.registry import SCHEDULERS
from spearmint_int.schedulers.local import LocalScheduler
from spearmint_int.schedulers.protocol import Scheduler

__all__ = ["LocalScheduler", "Scheduler", "SchedulerOpener", "open_scheduler"]

# What a name in the registry stands for.
SchedulerOpener: TypeAlias = Callable[[Path], Scheduler]


def open_scheduler(name: str, directory: Path) -> Scheduler:
    """The scheduler of that name for the experiment in `directory`."""
    return SCHEDULERS[name](directory)
