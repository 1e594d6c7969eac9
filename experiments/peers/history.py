"""What every peer is told beforehand, and what it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.dimension import Dimension, Params


@dataclass(frozen=True)
class Assignment:
    """The inputs, how many evaluations there will be, and the seed.

    A noise variance of 0 says that results are exact, None that nobody knows.
    """

    dimensions: Sequence[Dimension]
    noise_variance: float | None
    evaluations: int
    seed: int


class History:
    """The assignment and what was told so far."""

    def __init__(self, assignment: Assignment) -> None:
        self.dimensions = tuple(assignment.dimensions)
        self.noise_variance = assignment.noise_variance
        self.seed = assignment.seed
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
