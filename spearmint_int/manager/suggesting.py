"""The next point: one manager at a time asks the chooser, beside the loop, with all data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from spearmint_int.jobs import Job
from spearmint_int.manager.background import BackgroundCall
from spearmint_int.manager.events import JobAdded, SuggestionStarted
from spearmint_int.manager.guesses import add_guesses
from spearmint_int.manager.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from spearmint_int.chooser import Answer
    from spearmint_int.config import Config
    from spearmint_int.experiment import StoredExperiment
    from spearmint_int.manager.events import Listener
    from spearmint_int.stores.protocol import Store


class Begun(Enum):
    """What came of the wish for a point."""

    SUGGESTION = "suggestion"  # the chooser is at work
    GUESSES = "guesses"  # the user's guesses were stored as jobs, and come first
    NOT_OUR_TURN = "not our turn"  # another manager is at it


@dataclass(frozen=True)
class NextJob:
    """What the chooser took, and the job; None when others have used up the budget meanwhile."""

    job: Job | None
    seconds: float


@dataclass(frozen=True)
class _Attempt:
    """A suggestion under way."""

    call: BackgroundCall[Answer]
    resource: str


class Suggester:
    """Asks the chooser, when it is this manager's turn, and stores its answer as a job."""

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
        self._turn = Turn(store, owner)
        self._attempt: _Attempt | None = None
        self._guesses_added = False

    @property
    def is_busy(self) -> bool:
        return self._attempt is not None

    def begin(self, resource: str) -> Begun:
        """Start on a point for the resource, if it is our turn."""
        if not self._turn.take():
            return Begun.NOT_OUR_TURN
        if self._add_guesses():
            self._wake()
            return Begun.GUESSES
        self._experiment.history.refresh()
        problem = self._experiment.problem()
        self._tell(SuggestionStarted(len(problem.observations)))
        call = BackgroundCall(lambda: self._experiment.chooser(problem, 1), done=self._wake)
        self._attempt = _Attempt(call, resource)
        return Begun.SUGGESTION

    def collect(self) -> NextJob | None:
        """Store the point as a job; None while there is none, SpaceExhausted if none is left."""
        attempt = self._attempt
        if attempt is None:
            return None
        if not self._turn.take():  # lost in an outage: the data may be old by now
            self._attempt = None
            return None
        if not attempt.call.is_finished:
            return None
        return self._store_answer(attempt)

    def rest(self) -> None:
        """Let others go on. Called when the new job runs, so that it does not wait for this."""
        if self._attempt is None:
            self._experiment.history.save_chain()
            self._turn.give_up()

    def abandon(self) -> None:
        """Drop the suggestion that is under way, if any."""
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

    def _add_guesses(self) -> bool:
        """Before the first suggestion: store the guesses. True when there were new ones."""
        if self._guesses_added:
            return False
        added = add_guesses(self._config, self._store, self._experiment.space)
        self._guesses_added = True
        for job in added:
            self._tell(JobAdded(job, None))
        return bool(added)

    def _add(self, answer: Answer, attempt: _Attempt) -> Job | None:
        draft = self._experiment.draft(answer.suggestions[0], resource=attempt.resource)
        limit = self._config.resources[attempt.resource].max_finished_jobs
        job = self._store.add(draft, limit=limit)
        if job is not None:
            self._tell(JobAdded(job, attempt.call.seconds))
        return job
