"""CMA-ES with margin, of the package cmaes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from cmaes import CMAwM

from experiments.peers.history import History

if TYPE_CHECKING:
    from experiments.dimension import Params
    from experiments.peers.history import Assignment


class CMAwithMargin(History):
    """CMAwM in the unit cube, an integer's steps as its documentation gives them.

    From the centre with a standard deviation of 1/6, as Optuna's own sampler starts it.
    """

    SIGMA = 1 / 6

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment)
        steps = [1 / (len(d.values()) - 1) if d.integer else 0.0 for d in self.dimensions]
        self._cma = CMAwM(
            mean=np.full(len(steps), 0.5),
            sigma=self.SIGMA,
            bounds=np.tile([0.0, 1.0], (len(steps), 1)),
            steps=np.array(steps),
            seed=self.seed,
        )
        self._asked: Any = None
        self._generation: list[tuple[Any, float]] = []

    def ask(self) -> Params:
        if self._cma.should_stop():
            raise RuntimeError("CMA-ES has converged before the end of the run.")
        point, self._asked = self._cma.ask()
        return {d.name: d.from_unit(u) for d, u in zip(self.dimensions, point, strict=True)}

    def tell(self, params: Params, value: float) -> None:
        super().tell(params, value)
        self._generation.append((self._asked, value))
        if len(self._generation) == self._cma.population_size:
            self._cma.tell(self._generation)
            self._generation = []
