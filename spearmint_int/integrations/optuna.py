"""A sampler for Optuna's studies: its storages, its pruning and its dashboard, our model.

    import optuna
    from spearmint_int.integrations.optuna import SpearmintSampler

    study = optuna.create_study(sampler=SpearmintSampler(seed=0))
    study.optimize(objective, n_trials=50)

Trials that run are pending points, failed ones are places where the objective failed, and a pruned
one counts with the last value that it reported. A trial outside of the ranges of now (an enqueued
one, or one of wider ranges) informs the model, which suggests nothing there. What trials tell with
`set_constraint` (from Optuna 5 on) is modelled too, and suggestions are sought where it holds.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import OBJECTIVE, ChooserOptions, Constraint
from spearmint_int.errors import SpaceExhausted, SpearmintError
from spearmint_int.experiment.experiment import Experiment
from spearmint_int.experiment.history import MemoryHistory
from spearmint_int.experiment.recode import placed
from spearmint_int.library.arguments import as_seed, options_with
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int, Variable

ENDED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
ON_STEP = 0.01  # of a step: a value that is off by less is on it, but for rounding errors


@dataclass(frozen=True)
class Parameter:
    """A variable of ours for a distribution of Optuna's, and the way there and back.

    `to_ours` takes any value of a trial, also from outside; None where the variable has no such.
    """

    variable: Variable
    to_ours: Callable[[Any], Any]
    to_theirs: Callable[[Any], Any]


class SpearmintSampler(BaseSampler):  # type: ignore[misc]
    """Bayesian optimization with the integers in the kernel.

    - `seed`: the same one gives the same suggestions; None is another one each time.
    - `options`: fields of `ChooserOptions`, such as `likelihood="NOISELESS"` where the same
      parameters always give the same value.

    The first trial, and parameters that not every trial has, are drawn at random. A study of
    several objectives is refused.
    """

    def __init__(self, *, seed: int | None = None, **options: Any) -> None:
        self._random = RandomSampler(seed=seed)
        self._seed = seed
        self._options = options_with(ChooserOptions(), options)
        self._search_space = IntersectionSearchSpace()
        self._chains: dict[tuple[str, ...], Mapping[str, Any]] = {}
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copies, which can't take a lock along: studies are sent to processes."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def reseed_rng(self) -> None:
        """With others than it was given, as Optuna wants it of samplers that work side by side."""
        self._random.reseed_rng()
        self._seed = None

    def infer_relative_search_space(
        self,
        study: Study,
        trial: FrozenTrial,  # noqa: ARG002 (Optuna's signature)
    ) -> dict[str, BaseDistribution]:
        if len(study.directions) > 1:
            raise SpearmintError("SpearmintSampler: a study of several objectives is not supported")
        common = self._search_space.calculate(study)
        return {name: dist for name, dist in common.items() if not dist.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        parameters = {name: parameter_for(dist) for name, dist in search_space.items()}
        with self._lock:  # threads of one study share its chain
            experiment = self._experiment(study, trial, parameters)
            try:
                answer = experiment.suggest()
            except SpaceExhausted:
                return {}  # every point is known: what follows is drawn at random
            experiment.go_on_from(answer)
            self._keep_chain(experiment, parameters)
        chosen = answer.suggestions[0].params
        return {name: p.to_theirs(chosen[name]) for name, p in parameters.items()}

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def _experiment(
        self, study: Study, trial: FrozenTrial, parameters: Mapping[str, Parameter]
    ) -> Experiment:
        # Drawn as late as this: copies of a sampler without a seed must not share one.
        self._seed = as_seed(self._seed)
        space = Space({name: p.variable for name, p in parameters.items()})
        trials = [t for t in study.get_trials(deepcopy=False) if set(parameters) <= set(t.params)]
        known = [(t, point) for t in trials if (point := _point(t, parameters, space)) is not None]
        tasks = list(dict.fromkeys(task for t in trials for task in _constraints(t)))
        history = MemoryHistory(tasks=[OBJECTIVE, *tasks], dimensions=space.dimensions)
        for ended, point in known:
            if ended.state in ENDED:
                history.add(point, {OBJECTIVE: _value(ended), **_constraints(ended)})
        history.set_pending(
            point
            for t, point in known
            if t.state is TrialState.RUNNING and t.number != trial.number
        )
        chain = self._chains.get(tuple(parameters))
        if chain is not None:
            history.keep_chain(chain)
        return Experiment(
            space,
            history,
            options=self._options,
            seed=self._seed,
            maximize=study.direction is StudyDirection.MAXIMIZE,
            constraints=tuple(
                Constraint(task, likelihood=self._options.likelihood) for task in tasks
            ),
        )

    def _keep_chain(self, experiment: Experiment, parameters: Mapping[str, Parameter]) -> None:
        chain = experiment.history.chain()
        if chain is not None:
            self._chains[tuple(parameters)] = chain


def parameter_for(distribution: BaseDistribution) -> Parameter:
    """Our variable for Optuna's distribution.

    With a step it is an integer, the number of steps; a categorical is the number of its choice,
    since its choices may be anything.
    """
    if isinstance(distribution, CategoricalDistribution):
        return _choice(distribution.choices)
    if isinstance(distribution, IntDistribution) and distribution.log:
        return Parameter(Int(distribution.low, distribution.high, log=True), int, int)
    if isinstance(distribution, IntDistribution):
        return _steps(distribution.low, distribution.high, distribution.step, int)
    if isinstance(distribution, FloatDistribution) and distribution.step is not None:
        return _steps(distribution.low, distribution.high, distribution.step, float)
    if isinstance(distribution, FloatDistribution):
        variable = Float(distribution.low, distribution.high, log=distribution.log)
        return Parameter(variable, float, float)
    raise SpearmintError(f"SpearmintSampler: {distribution} is not supported")


def _steps(low: float, high: float, step: float, kind: Callable[[float], Any]) -> Parameter:
    last = math.floor((high - low) / step + 1e-9)
    return Parameter(
        Int(0, last),
        lambda x: _nearest((x - low) / step),
        lambda k: kind(min(low + k * step, high)),
    )


def _nearest(steps: float) -> int | None:
    if not math.isfinite(steps) or abs(steps - round(steps)) > ON_STEP:
        return None
    return round(steps)


def _choice(choices: Sequence[Any]) -> Parameter:
    return Parameter(
        Enum(range(len(choices))),
        lambda choice: next((i for i, c in enumerate(choices) if c is choice or c == choice), None),
        lambda i: choices[i],
    )


def _point(
    trial: FrozenTrial, parameters: Mapping[str, Parameter], space: Space
) -> FloatArray | None:
    """Where the model has the trial: beyond the cube if it lies outside of the ranges of now."""
    ours = {name: p.to_ours(trial.params[name]) for name, p in parameters.items()}
    return None if None in ours.values() else placed(ours, space)


def _value(trial: FrozenTrial) -> float:
    if trial.state is TrialState.COMPLETE:
        return float(trial.value)
    if trial.state is TrialState.PRUNED and trial.intermediate_values:
        return float(trial.intermediate_values[max(trial.intermediate_values)])
    return math.nan


def _constraints(trial: FrozenTrial) -> dict[str, float]:
    """What it has told of its constraints, by our names for them: Optuna's hold up to 0, ours from
    0 on. An infinite one has no number that a model could take."""
    told: Mapping[str, float] = getattr(trial, "constraints", {})  # from Optuna 5 on
    return {f"constraint {name}": -c if math.isfinite(c) else math.nan for name, c in told.items()}
