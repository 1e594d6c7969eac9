"""An experiment at one moment, as figures, reports and pages need it: its trials, and the model."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.best import best_of
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser import FittedModel, Prediction, Problem, Recommendation, fit, recommend
from spearmint_int.jobs import (
    FAILED_HERE,
    NONE_FULFILS,
    JobStatus,
    unfulfilled,
    unfulfilled_text,
)
from spearmint_int.space import Space
from spearmint_int.variables import Params

if TYPE_CHECKING:
    from spearmint_int.config import Config
    from spearmint_int.jobs import Job
    from spearmint_int.library.evaluation import Evaluation
    from spearmint_int.stores import Store


RESERVED = "reserved"  # the outcome of a point that waits for a person to bring its result


@dataclass(frozen=True)
class Trial:
    """One job, or one evaluation of the library: what was tried, and what came of it."""

    id: int
    params: Params
    value: float = math.nan
    status: str = JobStatus.COMPLETE.value
    source: str = "chooser"
    created: float | None = None
    started: float | None = None
    ended: float | None = None
    attempts: int = 1
    failure: str | None = None
    unfulfilled: tuple[str, ...] = ()  # of the constraints
    is_reserved: bool = False  # new, and no run takes it
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def worked(self) -> bool:
        return math.isfinite(self.value)

    @property
    def fulfils(self) -> bool:
        """Whether the trial has a number, and violates no constraint."""
        return self.worked and not self.unfulfilled

    @property
    def failed_here(self) -> bool:
        """Whether the job ran to its end, and answered that there is no value at this point."""
        return self.status == JobStatus.COMPLETE.value and not self.worked

    @property
    def outcome(self) -> str:
        """The status, or `reserved`, and whether a complete job has failed all the same, or
        violates a constraint."""
        if self.is_reserved:
            return RESERVED
        if self.failed_here:
            return f"{self.status}, {FAILED_HERE}"
        return ", ".join(filter(None, (self.status, unfulfilled_text(self.unfulfilled))))

    @property
    def failed(self) -> bool:
        """Whether the job is broken, or complete without a number."""
        return self.failed_here or self.status == JobStatus.BROKEN.value

    @property
    def seconds(self) -> float | None:
        if self.started is None or self.ended is None:
            return None
        return self.ended - self.started

    @classmethod
    def of_job(cls, job: Job, task: str) -> Trial:
        return cls(
            id=job.id,
            params=job.params,
            value=math.nan if job.values is None else job.values.get(task, math.nan),
            status=job.status.value,
            source=job.source.value,
            created=job.created,
            started=job.started,
            ended=job.ended,
            attempts=job.attempts,
            failure=job.failures[-1].message if job.failures and job.values is None else None,
            unfulfilled=job.unfulfilled,
            is_reserved=job.is_reserved,
            provenance=job.provenance,
        )


def counts_text(counts: Mapping[JobStatus, int], trials: Sequence[Trial]) -> str:
    """`1 reserved, 9 complete, 2 of them failed here (NaN or infinite), 1 broken`; empty without
    jobs."""
    failed = sum(trial.failed_here for trial in trials)
    also = {JobStatus.COMPLETE.value: f", {failed} of them {FAILED_HERE}"} if failed else {}
    by_word = {status.value: n for status, n in counts.items()}
    reserved = sum(trial.is_reserved for trial in trials)
    new = by_word.pop(JobStatus.NEW.value) - reserved
    by_word = {JobStatus.NEW.value: new, RESERVED: reserved} | by_word
    return ", ".join(f"{n} {word}{also.get(word, '')}" for word, n in by_word.items() if n)


def best_trial(trials: Iterable[Trial], *, maximize: bool) -> Trial | None:
    """The trial with the best value of those that fulfil every constraint, the first of equals."""
    usable = [trial for trial in trials if trial.fulfils]
    return best_of(usable, value=attrgetter("value"), maximize=maximize)


def without_best(trials: Iterable[Trial]) -> str | None:
    """Why there is no best one; None before the first result."""
    return NONE_FULFILS if any(trial.worked for trial in trials) else None


@dataclass(frozen=True)
class Best:
    """The best of all results, and the best of those within the present bounds."""

    of_all: Trial
    within: Trial | None

    @classmethod
    def among(cls, trials: Sequence[Trial], space: Space, *, maximize: bool) -> Best | None:
        of_all = best_trial(trials, maximize=maximize)
        if of_all is None:
            return None
        if space.contains(of_all.params):
            return cls(of_all, of_all)
        inside = (trial for trial in trials if space.contains(trial.params))
        return cls(of_all, best_trial(inside, maximize=maximize))

    @property
    def note(self) -> str:
        """The text behind the number of the best job."""
        return "" if self.within is self.of_all else ", outside of the present bounds"


@dataclass(frozen=True)
class Snapshot:
    """The trials by their ids, and the problem that they pose; the model is fitted when asked."""

    name: str
    trials: tuple[Trial, ...]
    problem: Problem  # as the chooser gets it: its values are minimised
    maximize: bool = False
    # When the store was read, in which jobs may be running: by this machine's clock, since a store
    # that can only be read has no other.
    taken: float | None = None

    @classmethod
    def of_store(cls, config: Config, store: Store) -> Snapshot:
        from spearmint_int.config.declaration import of_today  # noqa: PLC0415
        from spearmint_int.experiment.experiment import StoredExperiment  # noqa: PLC0415

        experiment = StoredExperiment.read(config, store)
        jobs, taken = store.jobs(), time.time()
        history = experiment.history
        history.leave_out(set(history.finished_ids) - {job.id for job in jobs})  # damaged ones
        trials = tuple(Trial.of_job(of_today(job, config), config.task_name) for job in jobs)
        problem, maximize = experiment.problem(), config.maximize
        return cls(config.experiment_name, trials, problem, maximize, taken)

    @classmethod
    def of_evaluations(
        cls, evaluations: Sequence[Evaluation], problem: Problem, *, maximize: bool = False
    ) -> Snapshot:
        names = [c.task for c in problem.constraints]
        trials = [
            Trial(i, e.params, e.value, unfulfilled=unfulfilled(e.constraints, names))
            for i, e in enumerate(evaluations, start=1)
        ]
        return cls("maximize" if maximize else "minimize", tuple(trials), problem, maximize)

    @property
    def sign(self) -> float:
        """The factor from the problem's values, and the model's, to those of the objective."""
        return -1.0 if self.maximize else 1.0

    @property
    def values(self) -> FloatArray:
        """The objective's values [n] as people know them."""
        return self.sign * self.problem.values

    def signed(self, expected: Prediction) -> Prediction:
        """The prediction with the sign of the objective itself."""
        return Prediction(self.sign * expected.mean, expected.sd)

    @property
    def finished(self) -> tuple[Trial, ...]:
        done = (JobStatus.COMPLETE.value, JobStatus.BROKEN.value)
        return tuple(trial for trial in self.trials if trial.status in done)

    @property
    def best(self) -> Trial | None:
        """The trial with the best value of those that fulfil every constraint."""
        return best_trial(self.trials, maximize=self.maximize)

    @cached_property
    def model(self) -> FittedModel | None:
        """The model; None until there are two finite results, or where no covariance can be
        factored."""
        problem = self.problem.without_pending()
        if not (problem.has_model and problem.space.groups):
            return None
        with one_blas_thread():
            try:
                return fit(problem, problem.rng())
            except np.linalg.LinAlgError:
                return None

    @cached_property
    def recommendation(self) -> Recommendation | None:
        """The model's optimum, with the sign of the objective itself."""
        found = recommend(self.problem)
        return None if found is None else replace(found, mean=self.sign * found.mean)

    @property
    def centre(self) -> FloatArray:
        """The point that slices go through: the model's minimum."""
        found = self.recommendation
        if found is None:
            return np.full(self.problem.space.dimensions, 0.5)
        return self.problem.space.snap(found.point)
