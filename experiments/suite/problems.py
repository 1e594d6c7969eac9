"""What an optimiser is given, whichever set of problems it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.dimension import Dimension
    from experiments.trial import Target


@dataclass(frozen=True, order=True)
class Case:
    """One problem by its names: the same for every optimiser.

    `instance` is a COCO instance or a draw; `repetition` tells runs on the same objective apart.
    """

    set: str
    problem: str
    instance: int = 0
    repetition: int = 0

    @property
    def seed(self) -> int:
        """Of the optimiser."""
        return 1000 * self.repetition + self.instance


@dataclass(frozen=True, eq=False)
class Problem:
    """The inputs, the objective and the noise of each evaluation, as many as there may be.

    A noise variance of 0 says that results are exact, None that nobody knows.
    """

    dimensions: Sequence[Dimension]
    target: Target
    noise: Sequence[float]
    noise_variance: float | None
    recommended: bool = False  # whether the optimiser is asked for its answer at the end
