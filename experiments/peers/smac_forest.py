"""SMAC3."""

from __future__ import annotations

import tempfile
import warnings
from typing import TYPE_CHECKING, Any

from ConfigSpace import ConfigurationSpace, Float, Integer
from smac import HyperparameterOptimizationFacade, Scenario
from smac.runhistory import TrialValue

from experiments.peers.history import History

if TYPE_CHECKING:
    from experiments.dimension import Params
    from experiments.peers.history import Assignment


class Smac(History):
    """The facade for hyperparameters: a random forest, log EI, a quarter of the budget from Sobol.

    Told that the objective is deterministic: a cross-validation with fixed folds is, and SMAC would
    evaluate with several seeds otherwise.
    """

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment)
        space = ConfigurationSpace(seed=self.seed)
        space.add(
            *(
                Integer(d.name, (int(d.low), int(d.high)))
                if d.integer
                else Float(d.name, (d.low, d.high), log=d.log)
                for d in self.dimensions
            )
        )
        self._folder = tempfile.TemporaryDirectory()
        scenario = Scenario(
            space,
            deterministic=True,
            n_trials=assignment.evaluations,
            seed=self.seed,
            output_directory=self._folder.name,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._smac = HyperparameterOptimizationFacade(
                scenario, _never_called, logging_level=False, overwrite=True
            )
        self._asked: Any = None

    def ask(self) -> Params:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._asked = self._smac.ask()
        return {d.name: d.plain(self._asked.config[d.name]) for d in self.dimensions}

    def tell(self, params: Params, value: float) -> None:
        super().tell(params, value)
        self._smac.tell(self._asked, TrialValue(cost=value))


def _never_called(config: Any, seed: int = 0) -> float:
    raise RuntimeError(f"{config}, seed {seed}: evaluations are asked for and told.")
