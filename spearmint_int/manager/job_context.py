"""What the parts of a manager that claim jobs and take them back have in common; it only holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spearmint_int.config import Config
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
