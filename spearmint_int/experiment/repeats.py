"""Whether an objective that is said to be noisy has so far given the same value at the same point
each time: its author may not know that it can be said."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spearmint_int.arrays import point_key

if TYPE_CHECKING:
    from spearmint_int.arrays import FloatArray
    from spearmint_int.config import Config
    from spearmint_int.experiment.history import StoreHistory

# Two measurements may agree by chance, as accuracies of a hundred samples do.
TELLING_REPEATS = 3
# A run looks again when there are so many times as many jobs: ten thousand cost it nothing.
GROWTH = 1.25


class RepeatWatch:
    """Says once, while an experiment runs, that its objective seems to have no noise."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._next_look: float = TELLING_REPEATS

    def look(self, history: StoreHistory) -> str | None:
        """The sentence to tell, None most of the time."""
        if history.finished < self._next_look:
            return None
        hint = noiseless_hint(self._config, history)
        self._next_look = GROWTH * history.finished if hint is None else math.inf
        return hint


def noiseless_hint(config: Config, history: StoreHistory) -> str | None:
    """The sentence on `likelihood` where no repeat has shown any noise; None where it is said
    already, or too little is known."""
    if config.likelihood == "NOISELESS":
        return None
    known = history.observations()
    repeats = agreeing_repeats(known.points, known.values[config.task_name])
    if repeats < TELLING_REPEATS:
        return None
    return (
        f"{repeats} repeated evaluations gave exactly the value of the first at their point; if "
        "the same parameters always do, write NOISELESS, and no point is evaluated twice"
    )


def agreeing_repeats(points: FloatArray, values: FloatArray) -> int:
    """How many of the finite values [n] at points [n, D] are not the first at their point; 0 where
    one of them differs from the first."""
    first: dict[bytes, float] = {}
    repeats = 0
    for point, value in zip(points, values.tolist(), strict=True):
        if not math.isfinite(value):
            continue
        key = point_key(point)
        if first.setdefault(key, value) != value:
            return 0
        repeats += 1
    return repeats - len(first)
