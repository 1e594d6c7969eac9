"""`StoredOptimizer`: an optimizer whose points are jobs of a store, for `minimize` with `path=`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spearmint_int.chooser import OBJECTIVE
from spearmint_int.errors import ConfigError, JobNotFound, SpaceExhausted, StoreError
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.suggestion_lock import SuggestionLock
from spearmint_int.jobs import FINISHED, Failure, FailureKind, Job, JobDraft, JobStatus, Source
from spearmint_int.launcher.liveness import new_owner, this_process
from spearmint_int.library.arguments import as_count, as_results
from spearmint_int.library.evaluation import Evaluation, Pending, Returned
from spearmint_int.library.optimizer import Optimizer

if TYPE_CHECKING:
    from spearmint_int.chooser import ChooserOptions, Suggestion
    from spearmint_int.config import Config
    from spearmint_int.jobs import Values
    from spearmint_int.stores.protocol import Store
    from spearmint_int.variables import Params

# Nobody renews these leases: the function may keep Python busy for hours. The folder's lock says
# who is alive.
LEASE_SECONDS = 86_400.0
OURS = ":minimize"  # the end of the owner of such a claim
OUTSIDE = Failure(
    FailureKind.START, "it was not begun again: the variables have no place for it any more"
)


@dataclass(frozen=True)
class _Claimed(Pending):
    """A pending point that is a job of ours."""

    job: Job


class StoredOptimizer(Optimizer):
    """An optimizer for one process at a time, which goes on where the last one ended.

    A point becomes a job when it is asked for. So it is pending for all who choose points for this
    experiment, as theirs are here, and what others tell or add is known at the next `ask`. Results
    that have no place among the present variables stay in the store, and are not used.
    """

    _experiment: StoredExperiment

    def __init__(
        self,
        config: Config,
        store: Store,
        *,
        options: ChooserOptions,
        initial: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """The caller must have the folder to itself: the jobs of an earlier process are taken over.
        `options` are the config's, but for the number of threads."""
        experiment = StoredExperiment.begin(config, store)
        super().__init__(
            experiment.space,
            seed=experiment.seed,
            direction="maximize" if config.maximize else "minimize",
            initial=initial,
            constraints=config.chooser_constraints(),
            options=options,
        )
        experiment.options = options
        # points that were never evaluated, because the bounds were narrowed first
        self._outside = {job.id for job in store.jobs(JobStatus.BROKEN) if _is_outside(job)}
        experiment.history.leave_out(damage.job_id for damage in store.damaged())
        self._experiment, self._store = experiment, store
        self._resource, self._owner = next(iter(config.resources)), new_owner() + OURS
        self._choosing = SuggestionLock(store, self._owner)
        self._seen: set[int] = set()  # the finished jobs that are among the evaluations
        # told, and not in the store yet
        self._unstored: list[tuple[Pending, Mapping[str, float]]] = []
        self._take_over()
        self._refresh()
        self._drop_known_guesses()

    @property
    def spent(self) -> int:
        """How many evaluations of all runs here have ended. As for `run`, results that were added,
        or told of reserved points, don't count."""
        budget = self._experiment.history.tally.budgets[self._resource]
        return sum(budget[status] for status in FINISHED) - len(self._outside)

    def ask(self, count: int = 1) -> list[Params]:
        """As `Optimizer.ask`; points that an earlier run did not finish come first."""
        wanted = as_count(count)
        with self._lock:
            self._refresh()
            asked = self._claim(wanted)
            if len(asked) < wanted:
                try:
                    self._add(wanted - len(asked))
                except SpaceExhausted:
                    if not asked:
                        raise
                asked += self._claim(wanted - len(asked))
            return [deepcopy(pending.params) for pending in asked]

    def suggestions(self, count: int = 1) -> list[Suggestion]:
        """As `Optimizer.suggestions`; points that an earlier run did not finish wait for `ask`."""
        wanted = as_count(count)
        with self._lock:
            self._refresh()
            left = self._claim(sys.maxsize)  # or these would be claimed in place of the new ones
            try:
                with self._choosing.held():
                    added = self._add_suggestions(wanted)
                self._claim(len(added))
            finally:
                self._hand_back(left)
            return added

    def tell(self, params: Mapping[str, Any], value: Returned) -> None:
        numbers = as_results(value, self.constraints)
        with self._lock:
            told, was_asked = self._as_asked(params)
            # before it is stored: it is known here even where the store is away
            self._evaluations.append(told.with_result(numbers, was_asked=was_asked))
            self._unstored.append((told, numbers))
            self._refresh()

    def forget(self, params: Mapping[str, Any]) -> None:
        """Another one may ask for it again."""
        with self._lock:
            before = list(self._pending)
            super().forget(params)
            self._release(p for p in before if not any(p is still for still in self._pending))

    def _are_within(self, evaluations: Sequence[Evaluation]) -> Sequence[bool]:
        """Whether each lies within the present bounds, which may have been narrowed since."""
        points = np.array([e.point for e in evaluations]).reshape(-1, self.space.dimensions)
        inside: list[bool] = self.space.inside(points).tolist()
        return inside

    def close(self) -> None:
        """Hand back the points without a result, and close the store; results stay readable."""
        with self._lock, suppress(StoreError):  # the next run takes over what was not handed back
            with suppress(StoreError, ConfigError):
                self._store_results()
            chain = self._experiment.history.chain()
            if chain is not None:
                self._experiment.history.keep_chain(chain)
            self._release(self._pending)
            self._store.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle is an optimizer in memory, without the store."""
        return Optimizer._from_json, (self._state().to_json(),)

    # --- jobs -----------------------------------------------------------------------------------

    def _take_over(self) -> None:
        """Make the pending jobs of a run that was killed free again."""
        for job in self._store.jobs(JobStatus.PENDING):
            if job.lease_owner is not None and job.lease_owner.endswith(OURS):
                self._store.release(job.claim)

    def _refresh(self) -> None:
        """Store the results that were told, and read what is new."""
        self._store_results()
        history = self._experiment.history
        history.refresh()
        new = set(history.finished_ids) - self._seen
        if new:
            ended = self._store.jobs(after_id=min(new) - 1)
            self._evaluations += filter(None, (self._evaluation(j) for j in ended if j.id in new))
            self._seen |= new

    def _evaluation(self, job: Job) -> Evaluation | None:
        """The evaluation of a finished job; None where it says nothing of its point, or has no
        place among the present variables."""
        if job.is_void:
            return None
        place = self._experiment.placement.place(job.id, job.point)
        if place is None:
            return None
        objective, was_asked = self._experiment.objective, job.source is not Source.USER
        values = {name: v for name, v in (job.values or {}).items() if name in job.tasks}
        value = values.pop(objective, float("nan"))
        return Evaluation(job.params, value, place, was_asked, values)

    def _add(self, count: int) -> None:
        """Add so many new jobs: guesses first, then what the chooser suggests."""
        with self._choosing.held():
            self._experiment.check_declaration()
            self._drop_needless_guesses()
            guesses = self._guesses[:count]
            for guess in guesses:
                self._store.add(self._draft(guess, Source.INITIAL))
                del self._guesses[0]
            if len(guesses) < count:
                try:
                    self._add_suggestions(count - len(guesses))
                except SpaceExhausted:
                    if not guesses:
                        raise

    def _add_suggestions(self, count: int) -> list[Suggestion]:
        added = self._experiment.add_suggestions(count, resource=lambda: self._resource)
        return [suggestion for suggestion, _ in added]

    def _draft(self, given: Pending, source: Source) -> JobDraft:
        return JobDraft(
            given.params,
            tuple(given.point.tolist()),
            source,
            resource=self._resource,
            tasks=self._experiment.tasks,
        )

    def _claim(self, count: int) -> list[_Claimed]:
        """Claim the first new jobs, at most so many, which become pending here."""
        claimed: list[_Claimed] = []
        while len(claimed) < count:
            job = self._store.claim(
                self._owner, lease_seconds=LEASE_SECONDS, resource=self._resource
            )
            if job is None:
                break
            place = self._experiment.placement.place(job.id, job.point)
            if place is None or not self.space.contains(job.params):
                self._store.fail(job.claim, OUTSIDE, max_attempts=1)
                self._outside.add(job.id)
            else:
                self._store.attach(job.claim, this_process())
                claimed.append(_Claimed(job.params, place, job))
        self._set_pending([*self._pending, *claimed])
        self._refresh()
        return claimed

    def _store_results(self) -> None:
        """Store the results that were told, also those from while the store was away."""
        while self._unstored:
            self._seen.add(self._store_result(*self._unstored[0]))
            del self._unstored[0]

    def _store_result(self, told: Pending, numbers: Mapping[str, float]) -> int:
        """Store a result; the id of its job, which was asked for or is new."""
        beside = {name: number for name, number in numbers.items() if name != OBJECTIVE}
        values = {self._experiment.objective: numbers[OBJECTIVE], **beside}
        if isinstance(told, _Claimed) and self._completes(told.job, values):
            return told.job.id
        with self._choosing.held():
            self._experiment.check_declaration()
            return self._store.add_complete(self._draft(told, Source.USER), values).id

    def _completes(self, job: Job, values: Values) -> bool:
        try:
            return self._store.complete(job.claim, values)
        except JobNotFound:  # somebody has deleted it
            return False

    def _hand_back(self, claimed: Sequence[_Claimed]) -> None:
        """Release these points for whoever asks next."""
        ids = {pending.job.id for pending in claimed}
        self._set_pending([p for p in self._pending if _id_of(p) not in ids])
        self._release(claimed)

    def _release(self, pending: Iterable[Pending]) -> None:
        for one in pending:
            if isinstance(one, _Claimed):
                self._store.release(one.job.claim)

    def _set_pending(self, pending: list[Pending]) -> None:
        self._pending = pending  # the store knows them as jobs


def _id_of(pending: Pending) -> int | None:
    return pending.job.id if isinstance(pending, _Claimed) else None


def _is_outside(job: Job) -> bool:
    return bool(job.failures) and job.failures[-1].message == OUTSIDE.message
