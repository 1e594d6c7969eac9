"""The next point: one manager at a time asks the chooser, beside the loop, with all data."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spearmint_int.jobs import Job, JobDraft
from spearmint_int.manager.background import BackgroundCall
from spearmint_int.manager.events import JobAdded, SuggestionStarted
from spearmint_int.manager.guesses import add_guesses
from spearmint_int.observations import Observations

if TYPE_CHECKING:
    from collections.abc import Callable

    from spearmint_int.chooser import Chooser, ChooserOptions, Suggestion
    from spearmint_int.config import Config
    from spearmint_int.manager.events import Listener
    from spearmint_int.manager.history import History
    from spearmint_int.space import Space
    from spearmint_int.stores.protocol import Store

LOCK = "suggestion"
CHAIN = "hyperparameters"
LOCK_SECONDS = 30.0  # how long the others wait when the manager that suggests is killed
RENEW_SECONDS = 10.0


@dataclass(frozen=True)
class _Attempt:
    """A suggestion under way."""

    call: BackgroundCall[Suggestion]
    resource: str
    renew_at: float


class Suggester:
    """Holds the store's suggestion lock from the reading of the data until the job is stored.

    So two managers never choose from the same data, and the same seed gives the same jobs.
    """

    def __init__(
        self,
        config: Config,
        store: Store,
        history: History,
        *,
        space: Space,
        options: ChooserOptions,
        chooser: Chooser,
        owner: str,
        listener: Listener,
        wake: Callable[[], object],
    ) -> None:
        self._config, self._store, self._history = config, store, history
        self._space, self._options, self._chooser = space, options, chooser
        self._owner, self._tell, self._wake = owner, listener, wake
        self.seed = int(store.first_meta("seed", config.seed))
        self._attempt: _Attempt | None = None
        self._guesses_added = False

    @property
    def is_busy(self) -> bool:
        return self._attempt is not None

    def begin(self, resource: str) -> bool:
        """Start on a point for the resource; False while another manager is at it."""
        if not self._store.lock(LOCK, self._owner, seconds=LOCK_SECONDS):
            return False
        if self._add_guesses():
            self._store.unlock(LOCK, self._owner)
            self._wake()
            return True
        self._history.refresh()
        chain = self._store.load_chain(CHAIN)
        observations = Observations(self._history.points(), self._history.values())
        pending = self._history.pending_points()
        self._tell(SuggestionStarted(len(observations.values)))
        call = BackgroundCall(
            lambda: self._chooser(
                self._space, observations, pending, self._options, seed=self.seed, chain=chain
            ),
            done=self._wake,
        )
        self._attempt = _Attempt(call, resource, time.monotonic() + RENEW_SECONDS)
        return True

    def collect(self) -> tuple[Job, float] | None:
        """Store the point as a job once it is there, with the seconds that the chooser took.

        None while the chooser is at work, and when others have used up the budget meanwhile;
        SpaceExhausted when there is no point left.
        """
        if self._attempt is None or not self._keep_lock(self._attempt):
            return None
        if not self._attempt.call.is_finished:
            return None
        attempt = self._attempt
        try:
            suggestion = attempt.call.result()
        except Exception:
            self.abandon()
            raise
        job = self._add(suggestion, attempt)
        self._attempt = None  # before the rest: an outage there must not add the job again
        if job is not None and suggestion.chain is not None:
            self._store.save_chain(CHAIN, suggestion.chain)
        self._store.unlock(LOCK, self._owner)
        return None if job is None else (job, attempt.call.seconds)

    def abandon(self) -> None:
        """Drop the suggestion that is under way, if any, and let others go on."""
        if self._attempt is not None:
            self._attempt = None
            self._store.unlock(LOCK, self._owner)

    def _keep_lock(self, attempt: _Attempt) -> bool:
        """Renew the lock in time. Without it (after an outage) the data may be old: drop it."""
        if time.monotonic() < attempt.renew_at:
            return True
        if not self._store.lock(LOCK, self._owner, seconds=LOCK_SECONDS):
            self._attempt = None
            return False
        renewed = time.monotonic() + RENEW_SECONDS
        self._attempt = _Attempt(attempt.call, attempt.resource, renewed)
        return True

    def _add_guesses(self) -> bool:
        """Before the first suggestion: store the guesses. True when there were new ones."""
        if self._guesses_added:
            return False
        added = add_guesses(self._config, self._store, self._space)
        self._guesses_added = True
        for job in added:
            self._tell(JobAdded(job, None))
        return bool(added)

    def _add(self, suggestion: Suggestion, attempt: _Attempt) -> Job | None:
        draft = JobDraft(
            suggestion.params,
            tuple(suggestion.point.tolist()),
            provenance=suggestion.provenance,
            resource=attempt.resource,
            tasks=self._config.tasks,
        )
        limit = self._config.resources[attempt.resource].max_finished_jobs
        job = self._store.add(draft, limit=limit)
        if job is not None:
            self._tell(JobAdded(job, attempt.call.seconds))
        return job
