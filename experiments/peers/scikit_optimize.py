"""The package scikit-optimize."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import skopt

from experiments.peers.history import History

if TYPE_CHECKING:
    from experiments.dimension import Params
    from experiments.peers.history import Assignment


class ScikitOptimize(History):
    """gp_minimize's optimiser: Integer dimensions, EI, its own noise estimate, no duplicates."""

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment)
        space = [
            skopt.space.Integer(int(d.low), int(d.high), name=d.name)
            if d.integer
            else skopt.space.Real(d.low, d.high, "log-uniform" if d.log else "uniform", name=d.name)
            for d in self.dimensions
        ]
        self._optimizer = skopt.Optimizer(space, "GP", acq_func="EI", random_state=self.seed)
        self._told = 0

    def ask(self) -> Params:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._pass_on()
            point = self._optimizer.ask()
        return {d.name: d.plain(value) for d, value in zip(self.dimensions, point, strict=True)}

    def _pass_on(self) -> None:
        """Its `tell` does the work of the next `ask`, so it belongs to the seconds of that."""
        new = self.params[self._told :]
        if new:
            points = [[point[d.name] for d in self.dimensions] for point in new]
            self._optimizer.tell(points, self.values[self._told :])
        self._told = len(self.params)
