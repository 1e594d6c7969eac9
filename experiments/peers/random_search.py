"""Random search, the floor of every comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.peers.history import History

if TYPE_CHECKING:
    from experiments.dimension import Params
    from experiments.peers.history import Assignment


class RandomSearch(History):
    """Uniform on the reals (or their logarithms) and on the integers."""

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment)
        self._rng = np.random.default_rng(self.seed)

    def ask(self) -> Params:
        return {d.name: d.from_uniform(self._rng.random()) for d in self.dimensions}
