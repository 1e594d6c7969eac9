"""What the parts of a manager that claim jobs and take them back have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spearmint_int.launcher.delivery import deliver_kept_outcomes
from spearmint_int.manager.events import Notice

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

    def deliver_kept(self) -> None:
        """Write what workers have left in files because the store was away."""
        delivery = deliver_kept_outcomes(
            self.config.directory, self.store, experiment=self.experiment
        )
        for notice in delivery.notices:
            self.tell(Notice(notice))
