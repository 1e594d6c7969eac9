"""An experiment: makes a chooser's problem of its data, and jobs of the answers.

The library, the command line, the manager and the comparisons all ask through this module, so that
the same seed and data give the same points everywhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spearmint_int.chooser import (
    OBJECTIVE,
    Answer,
    Chooser,
    ChooserOptions,
    Constraint,
    Observations,
    Prediction,
    Problem,
    Recommendation,
    chooser_named,
    model_of,
    predict,
    recommend,
    suggest,
)
from spearmint_int.config.declaration import (
    begin_era,
    check_variables,
    eras,
    eras_until,
    is_of,
    still_declared,
)
from spearmint_int.errors import ConfigError
from spearmint_int.experiment.history import MemoryHistory, StoreHistory
from spearmint_int.experiment.identity import begin_identity, identity_notices, load_identity
from spearmint_int.experiment.recode import Placement
from spearmint_int.experiment.settings import keep_settings
from spearmint_int.experiment.suggestion_lock import SuggestionLock
from spearmint_int.jobs import JobDraft, runs_of
from spearmint_int.launcher.liveness import new_owner
from spearmint_int.sampling import ChainState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spearmint_int.chooser import Suggestion
    from spearmint_int.config import Config
    from spearmint_int.experiment.history import History
    from spearmint_int.jobs import Job
    from spearmint_int.space import Space
    from spearmint_int.stores.protocol import Store


class Experiment:
    """A space, a history, and how to choose the next point."""

    def __init__(
        self,
        space: Space,
        history: History,
        *,
        options: ChooserOptions,
        seed: int = 0,
        chooser: Chooser = suggest,
        objective: str = OBJECTIVE,
        maximize: bool = False,
        constraints: tuple[Constraint, ...] = (),
    ) -> None:
        self.space, self.history, self.options = space, history, options
        self.seed, self.chooser, self.objective = seed, chooser, objective
        self.maximize, self.constraints = maximize, constraints

    def problem(self) -> Problem:
        """All that is known now, as one value. Choosers minimise: where the objective is maximised,
        its values have the other sign here."""
        return Problem(
            space=self.space,
            observations=self._observations(),
            pending=self.history.pending(),
            options=self.options,
            seed=self.seed,
            chain=self._chain(),
            objective=self.objective,
            constraints=self.constraints,
        )

    def suggest(self, count: int = 1) -> Answer:
        """The next points; each is chosen with those before it pending."""
        return self.chooser(self.problem(), count)

    def recommend(self) -> Recommendation | None:
        """The model's optimum; None until there are two finite results."""
        return self.in_own_direction(recommend(self.problem()))

    def predict(self, params: Sequence[Mapping[str, Any]]) -> Prediction:
        """What the model expects of the objective at these parameters."""
        points = np.array([self.space.encode(one) for one in params])
        found = predict(self.problem(), points.reshape(-1, self.space.dimensions))
        return replace(found, mean=-found.mean) if self.maximize else found

    def go_on_from(self, answer: Answer) -> None:
        """Keep the chain of an answer, so that burn-in is paid once."""
        if answer.chain is not None:
            self.history.keep_chain(answer.chain.to_json())

    def in_own_direction(self, found: Recommendation | None) -> Recommendation | None:
        """What a chooser recommends, its mean with the objective's own sign."""
        return replace(found, mean=-found.mean) if found and self.maximize else found

    def _observations(self) -> Observations:
        known = self.history.observations()
        if not self.maximize:
            return known
        values = {**known.values, self.objective: -known.values[self.objective]}
        return replace(known, values=values)

    def _chain(self) -> ChainState | None:
        stored = self.history.chain()
        if stored is None:
            return None
        size = model_of(self.space, self.options, trend=self.options.trend).layout.size
        return ChainState.from_json(stored, chains=self.options.chains, size=size)


class StoredExperiment(Experiment):
    """The experiment of a config, with its jobs in a store.

    `id` is the store's for the experiment, empty before the first job; `notices` are sentences on
    settings that have changed since the first run; `placement` has the place of every job in the
    present space.
    """

    history: StoreHistory

    def __init__(self, config: Config, store: Store, *, chooser: Chooser | None = None) -> None:
        """ConfigError where the jobs are another experiment's, or can't be placed in the config's
        space."""
        identity = load_identity(config, store)
        self.id = "" if identity is None else str(identity["id"])
        self.notices = [] if identity is None else identity_notices(config, identity)
        known = eras(store)
        check_variables(config, known)
        self._eras, self._was = known, {n: v.was for n, v in config.variables.items()}
        self.placement = placement = Placement.among(known, config.space(), self._was)
        space, seed = placement.space, store.load_meta("seed")
        super().__init__(
            space,
            StoreHistory(
                store,
                tasks=config.tasks,
                dimensions=space.dimensions,
                maximize=config.maximize,
                recode=placement.recode,
                resources=tuple(config.resources),
            ),
            options=config.chooser_options(),
            seed=config.seed if seed is None else int(seed),
            chooser=chooser or chooser_named(config.chooser),
            objective=config.task_name,
            maximize=config.maximize,
            constraints=config.chooser_constraints(),
        )
        self.tasks = config.tasks
        self._config, self._store = config, store

    def placement_for(self, job_id: int) -> Placement:
        """The space as it was declared when the job was added, and the places of earlier jobs."""
        known = eras_until(self._eras, job_id)
        space = known[-1].space if known else self.space
        return Placement.among(known, space, self._was)

    def check_declaration(self) -> None:
        """ConfigError when others have declared the variables anew since this experiment began: a
        point of ours would be taken for one of theirs. To be called under the suggestion lock,
        before a job is added."""
        if not still_declared(self._config, self._store):
            raise ConfigError(
                f"{self._config.file_name}: variables: another run has declared them otherwise "
                "since this one began; let all run with one config, and start again"
            )

    @classmethod
    def begin(
        cls, config: Config, store: Store, *, chooser: Chooser | None = None
    ) -> StoredExperiment:
        """For whoever adds jobs. The first to do so stores identity, variables and seed, which hold
        for all that follow."""
        begin_identity(config, store)
        known = eras(store)
        if not known or not is_of(config, known[-1]):  # locked: others may be adding a job
            with SuggestionLock(store, new_owner()).held():
                begin_era(config, store)
        store.first_meta("seed", config.seed)
        keep_settings(config, store)
        return cls(config, store, chooser=chooser)

    @classmethod
    def read(cls, config: Config, store: Store) -> StoredExperiment:
        """For whoever only reads: with all that the store has now."""
        experiment = cls(config, store)
        experiment.history.refresh()
        return experiment

    def add_suggestions(
        self, count: int, *, resource: Callable[[], str]
    ) -> list[tuple[Suggestion, Job]]:
        """The next points, stored as jobs; to be called under the suggestion lock.

        Where others add a result meanwhile, the points are chosen again with it.
        """
        self.check_declaration()
        while True:
            self.history.refresh()
            answer = self.suggest(count)
            added = self._add(answer.suggestions, resource)
            if added or not answer.suggestions:
                break
        self.go_on_from(answer)
        self.history.save_chain()
        return added

    def _add(
        self, suggestions: Sequence[Suggestion], resource: Callable[[], str]
    ) -> list[tuple[Suggestion, Job]]:
        """Store the suggestions one by one, up to the first that others were faster than."""
        last, pending = self.history.tally.last_id, list(self.history.pending_ids)
        added = []
        for suggestion in suggestions:
            draft = self.draft(suggestion, resource=resource(), pending=pending)
            job = self._store.add(draft, after=last)
            if job is None:
                break
            added.append((suggestion, job))
            pending.append(job.id)
            last = job.id
        return added

    def draft(
        self, suggestion: Suggestion, *, resource: str, pending: Sequence[int] = ()
    ) -> JobDraft:
        """The suggestion as a job that can be stored, with the ids of those that were pending."""
        return JobDraft(
            suggestion.params,
            tuple(suggestion.point.tolist()),
            provenance=suggestion.provenance.to_json() | {"pending_jobs": runs_of(pending)},
            resource=resource,
            tasks=self.tasks,
        )


def unstored_experiment(config: Config) -> Experiment:
    """The experiment of a config that has no jobs yet."""
    space = config.space()
    return Experiment(
        space,
        MemoryHistory(tasks=config.tasks, dimensions=space.dimensions),
        options=config.chooser_options(),
        seed=config.seed,
        chooser=chooser_named(config.chooser),
        objective=config.task_name,
        maximize=config.maximize,
        constraints=config.chooser_constraints(),
    )
