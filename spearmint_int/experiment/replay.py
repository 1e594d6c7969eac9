"""Replays: a job's suggestion is computed again, from what the store has of that moment.

A job is chosen from all jobs with lower ids. Its provenance has which of them were pending, the
state of the chain of hyperparameters, and a fingerprint of the whole problem; everything else that
a suggestion depends on is in the store already. The variables are those that were declared at that
time: among others, points and chain would have another meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spearmint_int.chooser import LIKELIHOODS, Observations, Problem, Suggestion
from spearmint_int.errors import SpearmintError
from spearmint_int.experiment.experiment import Experiment, StoredExperiment
from spearmint_int.jobs import FINISHED, Job, JobPoint, Source, ids_of

if TYPE_CHECKING:
    from spearmint_int.arrays import FloatArray
    from spearmint_int.experiment.recode import Placement


@dataclass(frozen=True)
class PastHistory:
    """The data before a job: the points of the jobs with lower ids, and which had ended."""

    known: Sequence[JobPoint]
    under_way: Sequence[JobPoint]
    tasks: Sequence[str]
    dimensions: int
    start: Mapping[str, Any] | None
    void: int = 0  # how many others had ended, and say nothing of their points

    def observations(self) -> Observations:
        seconds = [np.nan if e.seconds is None else e.seconds for e in self.known]
        return Observations(
            self._points(self.known),
            {task: np.array([e.value(task) for e in self.known]) for task in self.tasks},
            np.array(seconds),
            np.array([e.worked(self.tasks) for e in self.known], dtype=np.bool_),
            self.void,
        )

    def pending(self) -> FloatArray:
        return self._points(self.under_way)

    def chain(self) -> Mapping[str, Any] | None:
        # a trace of one sample: the trace is for diagnostics, and no suggestion depends on it
        return None if self.start is None else {**self.start, "trace": [self.start["states"]]}

    def keep_chain(self, chain: Mapping[str, Any]) -> None:
        raise NotImplementedError("the past does not change")

    def _points(self, jobs: Sequence[JobPoint]) -> FloatArray:
        rows = np.array([e.point for e in jobs], dtype=np.float64)
        return rows.reshape(len(jobs), self.dimensions)


class PastExperiment(Experiment):
    """The experiment as it was when a job was chosen, with the variables of that time."""

    history: PastHistory

    def with_settings(self, *, maximize: bool, likelihood: str) -> PastExperiment:
        """The same data with another direction and likelihood."""
        return PastExperiment(
            self.space,
            self.history,
            options=replace(self.options, likelihood=likelihood),
            seed=self.seed,
            chooser=self.chooser,
            objective=self.objective,
            maximize=maximize,
            constraints=self.constraints,
        )

    def is_before(self, job: Job) -> bool:
        """Whether the job was chosen from exactly this data, to the last bit."""
        return bool(self.problem().fingerprint == job.provenance["fingerprint"])


@dataclass(frozen=True)
class Replayed:
    """One suggestion, as it was and as it is now."""

    job: Job
    suggestion: Suggestion
    same_problem: bool
    declared_anew: bool  # the variables, since the job was chosen
    settings_of_then: Mapping[str, Any]  # that are others now, as far as they can be told

    @property
    def is_same(self) -> bool:
        """Bit for bit: the point, the parameters, and what the acquisition was worth."""
        again = self.suggestion.provenance.to_json()
        return (
            tuple(self.suggestion.point.tolist()) == self.job.point
            and self.suggestion.params == self.job.params
            and again.get("value") == self.job.provenance.get("value")
        )


def is_replayable(job: Job) -> bool:
    """Whether a chooser chose the job by itself, and its provenance has what a replay needs."""
    return why_not_replayable(job) is None


def why_not_replayable(job: Job) -> str | None:
    """Why the job can't be computed again; None where it can."""
    if job.source is not Source.CHOOSER:
        return "its point was given"
    if job.provenance.get("batch"):
        return "it was chosen together with others, from the samples of the first"
    return None if "fingerprint" in job.provenance else "the version that chose it kept too little"


def problem_before(experiment: StoredExperiment, points: Sequence[JobPoint], job: Job) -> Problem:
    """The problem that the job is the answer to; `points` are those of all jobs."""
    return past_experiment(experiment, points, job).problem()


def replay(experiment: StoredExperiment, points: Sequence[JobPoint], job: Job) -> Replayed:
    """Choose the job's point again."""
    past = past_experiment(experiment, points, job)
    problem = past.problem()
    return Replayed(
        job,
        past.chooser(problem, 1).suggestions[0],
        same_problem=problem.fingerprint == job.provenance["fingerprint"],
        declared_anew=past.space != experiment.space,
        settings_of_then=other_settings(with_settings_of_then(past, job), past),
    )


def past_experiment(
    experiment: StoredExperiment, points: Sequence[JobPoint], job: Job
) -> PastExperiment:
    """The experiment before the job; SpearmintError says why it can't be restored."""
    _check_replayable(job)
    placement = experiment.placement_for(job.id)
    waiting = ids_of(job.provenance.get("pending_jobs") or ())
    before = _placed(sorted((e for e in points if e.id < job.id), key=lambda e: e.id), placement)
    ended = [e for e in before if e.id not in waiting]
    _check_ended(ended, job)
    known = [e for e in ended if not e.is_void]
    history = PastHistory(
        known=known,
        under_way=[e for e in before if e.id in waiting],
        tasks=experiment.tasks,
        dimensions=placement.space.dimensions,
        start=job.provenance.get("start"),
        void=len(ended) - len(known),
    )
    return PastExperiment(
        placement.space,
        history,
        options=experiment.options,
        seed=experiment.seed,
        chooser=experiment.chooser,
        objective=experiment.objective,
        maximize=experiment.maximize,
        constraints=experiment.constraints,
    )


def with_settings_of_then(past: PastExperiment, job: Job) -> PastExperiment:
    """The experiment with the direction and the likelihood that the job was chosen by, where its
    fingerprint shows which; else as it is."""
    others = (
        past.with_settings(maximize=maximize, likelihood=likelihood)
        for likelihood in LIKELIHOODS
        for maximize in (past.maximize, not past.maximize)
    )
    return next((each for each in (past, *others) if each.is_before(job)), past)


def other_settings(then: Experiment, now: Experiment) -> dict[str, Any]:
    """The direction and the likelihood of that time, as far as they differ now."""
    found = {"maximize": then.maximize, "likelihood": then.options.likelihood}
    today = {"maximize": now.maximize, "likelihood": now.options.likelihood}
    return {name: value for name, value in found.items() if value != today[name]}


def _check_replayable(job: Job) -> None:
    why = why_not_replayable(job)
    if why is not None:
        raise SpearmintError(f"job {job.id} can't be computed again: {why}")


def _check_ended(known: Sequence[JobPoint], job: Job) -> None:
    again = next((e.id for e in known if e.status not in FINISHED), None)
    if again is not None:
        raise SpearmintError(
            f"job {job.id} can't be computed again now: job {again}, which had ended before it, "
            "is being tried once more"
        )


def _placed(jobs: Sequence[JobPoint], placement: Placement) -> list[JobPoint]:
    """The jobs with their points among the variables of that time; those without a place are left
    out."""
    places = [(e, placement.place(e.id, e.point)) for e in jobs]
    return [e._replace(point=tuple(u.tolist())) for e, u in places if u is not None]
