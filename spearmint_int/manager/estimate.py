"""The model's optimum, calculated while jobs run, for people who watch."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Protocol

from spearmint_int.manager.background_call import BackgroundCall, awaited
from spearmint_int.manager.events import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable

    from spearmint_int.chooser import Problem, Recommendation
    from spearmint_int.experiment.experiment import StoredExperiment

# Beyond this many results the model's cost grows past what a status line is worth.
MOST_OBSERVATIONS = 1000
# The share of a job's time that an estimate may take, so that it never holds a run up; where jobs
# are quicker than that, the share of the run's time that all estimates together may take.
SHARE_OF_JOB, SHARE_OF_RUN = 0.25, 0.1


class Recommender(Protocol):
    """A function of data to the model's minimum; `spearmint_int.chooser.recommend` is one."""

    def __call__(self, problem: Problem) -> Recommendation | None: ...


class Estimator:
    """Keeps the latest estimate; `update` starts a new one when there is time and news for it."""

    def __init__(
        self,
        experiment: StoredExperiment,
        *,
        recommender: Recommender,
        wake: Callable[[], object],
    ) -> None:
        self._experiment, self._recommend, self._wake = experiment, recommender, wake
        self._call: BackgroundCall[Recommendation | None] | None = None
        self._seen = 0
        self._seconds = self._spent = 0.0
        self._began = time.monotonic()
        self.latest: Estimate | None = None

    def update(self, *, job_seconds: float | None) -> bool:
        """True when there is a new estimate. Call it when the chooser has nothing to do."""
        if self._call is not None:
            return self._collect(self._call)
        affordable = job_seconds is not None and (
            self._seconds <= SHARE_OF_JOB * job_seconds
            or self._spent <= SHARE_OF_RUN * (time.monotonic() - self._began)
        )
        if affordable and self._has_news():
            self._call = BackgroundCall(self._task(), done=self._wake)
        return False

    def finish(self) -> None:
        """The estimate from all that is known, as anybody who asks later will get it."""
        self.latest = None
        if self._is_worth_waiting_for():
            task = self._task()
            self._keep(lambda: awaited(task))

    def forget(self) -> None:
        """No estimate rather than an old one, where there is no time for another."""
        if self._has_news():
            self.latest = None

    def _is_worth_waiting_for(self) -> bool:
        """Of very many results only where the model has chosen: then it costs one suggestion more.
        After a search without a model it would be minutes of silence, and gigabytes."""
        finished = self._experiment.history.finished
        if finished > MOST_OBSERVATIONS:
            return self._experiment.problem().chain is not None
        return finished > 0

    def _has_news(self) -> bool:
        finished = self._experiment.history.finished
        return self._seen != finished and 0 < finished <= MOST_OBSERVATIONS

    def _task(self) -> Callable[[], Recommendation | None]:
        self._seen = self._experiment.history.finished
        problem = self._experiment.problem()  # here, in the loop's thread, before the call begins
        return lambda: self._experiment.in_own_direction(self._recommend(problem))

    def _collect(self, call: BackgroundCall[Recommendation | None]) -> bool:
        if not call.is_finished:
            return False
        self._call, self._seconds = None, call.seconds
        self._spent += call.seconds
        self._keep(call.result)
        return True

    def _keep(self, calculated: Callable[[], Recommendation | None]) -> None:
        try:
            found = calculated()
        except Exception as error:  # a line for people must not end a run
            warnings.warn(f"the model's optimum is not known: {error!r}", stacklevel=2)
            return
        if found is not None:
            self.latest = Estimate(found.params, found.mean, found.sd, found.note)
