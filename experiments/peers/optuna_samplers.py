"""Optuna's samplers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import optuna

from experiments.peers.history import History
from spearmint_int.integrations.optuna import SpearmintSampler

if TYPE_CHECKING:
    from experiments.dimension import Params
    from experiments.peers.history import Assignment


class OptunaSampler(History):
    """A study that is asked and told; its recommendation is its best trial, as its users get it."""

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment)
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            self._study = optuna.create_study(sampler=self._sampler())
        self._trial: Any = None
        self._distributions = {
            d.name: optuna.distributions.IntDistribution(int(d.low), int(d.high))
            if d.integer
            else optuna.distributions.FloatDistribution(d.low, d.high, log=d.log)
            for d in self.dimensions
        }

    def _sampler(self) -> Any:
        raise NotImplementedError

    def ask(self) -> Params:
        if self._trial is not None:
            self._study.tell(self._trial, state=optuna.trial.TrialState.FAIL)
        self._trial = self._study.ask(self._distributions)
        return dict(self._trial.params)

    def tell(self, params: Params, value: float) -> None:
        super().tell(params, value)
        if self._trial is not None and self._trial.params == params:
            self._study.tell(self._trial, value)
            self._trial = None
            return
        trial = optuna.trial.create_trial(
            params=params, distributions=self._distributions, value=value
        )
        self._study.add_trial(trial)


class OptunaGP(OptunaSampler):
    """GPSampler with its 10 start-up trials; `deterministic_objective` where results are exact."""

    def _sampler(self) -> Any:
        exact = self.noise_variance == 0
        return optuna.samplers.GPSampler(seed=self.seed, deterministic_objective=exact)


class OptunaTPE(OptunaSampler):
    """TPESampler, Optuna's default, as it is."""

    def _sampler(self) -> Any:
        return optuna.samplers.TPESampler(seed=self.seed)


class OptunaOurs(OptunaSampler):
    """Our own model as a sampler of Optuna's: the same search, in a study."""

    def _sampler(self) -> Any:
        return SpearmintSampler(seed=self.seed)
