"""Suggestions: asks the chooser in the background, one manager at a time, and stores its answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from spearmint_int.experiment.suggestion_lock import SuggestionLock
from spearmint_int.jobs import Job
from spearmint_int.manager.background_call import BackgroundCall
from spearmint_int.manager.events import JobAdded, SuggestionStarted
from spearmint_int.manager.initial_points import add_initial_points

if TYPE_CHECKING:
    from collections.abc import Callable

    from spearmint_int.chooser import Answer
    from spearmint_int.config import Config
    from spearmint_int.experiment.experiment import StoredExperiment
    from spearmint_int.manager.events import Listener
    from spearmint_int.stores.protocol import Store


class Readiness(Enum):
    """Whether a point can be asked for now, and if not, why."""

    READY = "ready"  # all data are read, and nobody else chooses
    INITIAL_POINTS = "initial points"  # they were stored as jobs, and come first
    LOCKED = "locked"  # somebody else chooses, or waits for the lock


@dataclass(frozen=True)
class NextJob:
    """A new point's job, None when others have added jobs meanwhile, and the chooser's time."""

    job: Job | None
    seconds: float


@dataclass(frozen=True)
class _Attempt:
    """A suggestion under way."""

    call: BackgroundCall[Answer]
    resource: str
    last_id: int  # the highest id of the jobs that it is chosen from
    pending: tuple[int, ...]  # the ids of those jobs that had not ended


class Suggester:
    """Asks the chooser, under the suggestion lock, and stores its answer as a job."""

    def __init__(
        self,
        config: Config,
        store: Store,
        experiment: StoredExperiment,
        *,
        owner: str,
        listener: Listener,
        wake: Callable[[], object],
    ) -> None:
        self._config, self._store, self._experiment = config, store, experiment
        self._tell, self._wake = listener, wake
        self._lock = SuggestionLock(store, owner)
        self._attempt: _Attempt | None = None
        self._has_initial_points = False

    @property
    def is_busy(self) -> bool:
        return self._attempt is not None

    def prepare(self) -> Readiness:
        """Read all data for a suggestion, if the lock is free and nobody waits for it."""
        if self._lock.is_wanted():
            self.rest()
            return Readiness.LOCKED
        if not self._lock.take():
            return Readiness.LOCKED
        if self._add_initial_points():
            self._wake()
            return Readiness.INITIAL_POINTS
        self._experiment.history.refresh()
        return Readiness.READY

    def begin(self, resource: str) -> None:
        """Start on a point for the resource, from the data that `prepare` has read."""
        problem, history = self._experiment.problem(), self._experiment.history
        self._tell(SuggestionStarted(len(problem.observations)))
        call = BackgroundCall(lambda: self._experiment.chooser(problem, 1), done=self._wake)
        self._attempt = _Attempt(call, resource, history.tally.last_id, history.pending_ids)

    def collect(self) -> NextJob | None:
        """Store the point as a job; None while there is none, SpaceExhausted if none is left."""
        attempt = self._attempt
        if attempt is None:
            return None
        if not self._lock.take():  # lost in an outage: the data may be old by now
            self._attempt = None
            return None
        if not attempt.call.is_finished:
            return None
        return self._store_answer(attempt)

    def rest(self) -> None:
        """Save the chain and release the lock, unless a suggestion is under way. Called after a new
        job was started, which should not wait for this."""
        if self._attempt is None:
            self._experiment.history.save_chain()
            self._lock.release()

    def abandon(self) -> None:
        """Drop the suggestion that is under way, if there is one, and release the lock."""
        self._attempt = None
        self.rest()

    def _store_answer(self, attempt: _Attempt) -> NextJob:
        try:
            answer = attempt.call.result()
        except Exception:
            self._attempt = None
            raise
        job = self._add(answer, attempt)
        self._attempt = None
        self._experiment.go_on_from(answer)
        return NextJob(job, attempt.call.seconds)

    def _add_initial_points(self) -> bool:
        """Before the first suggestion, store the initial points; True when there were new ones."""
        if self._has_initial_points:
            return False
        self._experiment.check_declaration()
        added = add_initial_points(self._config, self._store, self._experiment.space)
        self._has_initial_points = True
        for job in added:
            self._tell(JobAdded(job, None))
        return bool(added)

    def _add(self, answer: Answer, attempt: _Attempt) -> Job | None:
        draft = self._experiment.draft(
            answer.suggestions[0], resource=attempt.resource, pending=attempt.pending
        )
        self._experiment.check_declaration()
        limit = self._config.resources[attempt.resource].max_finished_jobs
        job = self._store.add(draft, limit=limit, after=attempt.last_id)
        if job is not None:
            self._tell(JobAdded(job, attempt.call.seconds))
        return job
