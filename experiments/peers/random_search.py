"""Random search, the floor of every comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.peers.history import History

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.dimension import Dimension, Params


class RandomSearch(History):
    """Uniform on the reals (or their logarithms) and on the integers."""

    def __init__(
        self, dimensions: Sequence[Dimension], *, noise_variance: float | None, seed: int
    ) -> None:
        super().__init__(dimensions, noise_variance=noise_variance, seed=seed)
        self._rng = np.random.default_rng(seed)

    def ask(self) -> Params:
        return {d.name: d.from_uniform(self._rng.random()) for d in self.dimensions}
