"""One run of an optimiser on an objective, measured: what every comparison here is made of."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.dimension import Params

# Distances are exact to about 1e-10; below this they say how an optimiser polishes its last digits,
# not how it searches, and they would rule a mean of logarithms.
FLOOR = 1e-6
CLOSE = 1e-2


class Optimiser(Protocol):
    """Anything that minimises by asking for values."""

    def ask(self) -> Params:
        """Where to evaluate next, given all that was told."""
        ...

    def tell(self, params: Params, value: float) -> None:
        """A result, asked for or not."""
        ...

    def recommend(self) -> Params:
        """Its answer to 'where is the minimum', after at least one result."""
        ...


class Target(Protocol):
    """A noiseless objective whose minimum is known."""

    def __call__(self, params: Params) -> float:
        """The value."""
        ...

    def distance(self, params: Params) -> float:
        """The value minus the minimum."""
        ...


@dataclass(frozen=True)
class Trial:
    """What a run left: for each evaluation its point, its distance, and its ask in CPU seconds."""

    params: tuple[Params, ...]
    distances: tuple[float, ...]
    recommended: tuple[float, ...]
    seconds: tuple[float, ...]

    @property
    def best_so_far(self) -> tuple[float, ...]:
        """The distance of the best point evaluated until each evaluation (by noiseless values)."""
        return tuple(np.minimum.accumulate(self.distances).tolist())

    @property
    def repeats(self) -> int:
        """Evaluations at exactly a point that was evaluated before."""
        return len(self.params) - len({tuple(sorted(point.items())) for point in self.params})


def run_trial(
    optimiser: Optimiser,
    target: Target,
    *,
    noise: Sequence[float],
    recommend_from: int,
) -> Trial:
    """As many evaluations as there are `noise` values, each with its one added.

    From evaluation number `recommend_from` on (counted from 1) the optimiser's recommendation is
    asked for after each evaluation; its distances are in `recommended`.
    """
    points: list[Params] = []
    recommended: list[float] = []
    seconds: list[float] = []
    for number, error in enumerate(noise, start=1):
        started = time.process_time()
        point = optimiser.ask()
        seconds.append(time.process_time() - started)
        points.append(point)
        optimiser.tell(point, target(point) + error)
        if number >= recommend_from:
            recommended.append(target.distance(optimiser.recommend()))
    distances = tuple(target.distance(point) for point in points)
    return Trial(tuple(points), distances, tuple(recommended), tuple(seconds))


def log10_distance(distance: float) -> float:
    """log₁₀ of the distance, not below that of `FLOOR`."""
    return float(np.log10(max(distance, FLOOR)))
