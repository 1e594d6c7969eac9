"""The manager of one experiment: `run` it, and `stop` it from a signal or another thread."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from spearmint_int.chooser import chooser_named, recommend
from spearmint_int.manager.run import Run
from spearmint_int.manager.shutdown import StopRequest, Urgency
from spearmint_int.schedulers import open_scheduler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spearmint_int.chooser import Chooser
    from spearmint_int.config import Config
    from spearmint_int.manager.estimate import Recommender
    from spearmint_int.manager.events import Event, Listener, Summary
    from spearmint_int.schedulers import Scheduler
    from spearmint_int.stores.protocol import Store


def _ignore(event: Event) -> None:
    """A listener that does not listen."""


class Manager:
    """Runs an experiment to its end. Several may run one experiment, on one or more machines.

    Each fills its own `max-concurrent` slots; the budget is shared. All state is in the store: a
    manager that is killed is followed by one that goes on.
    """

    def __init__(
        self,
        config: Config,
        store: Store,
        *,
        chooser: Chooser | None = None,
        recommender: Recommender = recommend,
        schedulers: Mapping[str, Scheduler] | None = None,
        listener: Listener = _ignore,
    ) -> None:
        self._config, self._store, self._listener = config, store, listener
        self._chooser = chooser if chooser is not None else chooser_named(config.chooser)
        self._recommender = recommender
        self._schedulers = schedulers
        self._stop = StopRequest()

    def run(self) -> Summary:
        """Run until the budget is spent, or one of the other reasons in EndReason.

        Raises StoreError when the store fails for another reason than being away. Jobs that run at
        that moment end by themselves, and their results are kept.
        """
        with ExitStack() as stack:
            run = Run(
                self._config,
                self._store,
                chooser=self._chooser,
                recommender=self._recommender,
                schedulers=self._schedulers or self._open_schedulers(stack),
                listener=self._listener,
                stop=self._stop,
            )
            return run.loop()

    def stop(self, *, hand_back: bool = False) -> None:
        """Ask the run to end; safe in a signal handler and from any thread.

        Running jobs are awaited; with `hand_back` they are ended and become new again, the attempt
        not counted. A second request to hand back leaves without waiting for that.
        """
        if not hand_back:
            self._stop.demand(Urgency.POLITE)
        elif self._stop.urgency >= Urgency.HAND_BACK:
            self._stop.demand(Urgency.LEAVE)
        else:
            self._stop.demand(Urgency.HAND_BACK)

    def _open_schedulers(self, stack: ExitStack) -> dict[str, Scheduler]:
        return {
            name: stack.enter_context(
                closing(
                    open_scheduler(
                        resource, self._config.directory, poll_seconds=self._config.polling_time
                    )
                )
            )
            for name, resource in self._config.resources.items()
        }
