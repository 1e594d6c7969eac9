"""What every peer keeps: the inputs and the results so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.dimension import Dimension, Params


class History:
    """What was told so far."""

    def __init__(
        self, dimensions: Sequence[Dimension], *, noise_variance: float | None, seed: int
    ) -> None:
        self.dimensions = tuple(dimensions)
        self.noise_variance = noise_variance
        self.seed = seed
        self.params: list[Params] = []
        self.values: list[float] = []

    @property
    def noisy(self) -> bool:
        """Whether results have noise, or may have."""
        return self.noise_variance != 0

    def tell(self, params: Params, value: float) -> None:
        self.params.append(params)
        self.values.append(value)

    def recommend(self) -> Params:
        """The best value seen: the answer of a peer that has no other."""
        return self.params[int(np.argmin(self.values))]
