"""This project's chooser as one of the optimisers that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spearmint_int.chooser import ChooserOptions, recommend, suggest
from spearmint_int.observations import Observations
from spearmint_int.space import Float, Int, Space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from experiments.dimension import Dimension, Params


def space_of(dimensions: Sequence[Dimension]) -> Space:
    """The same inputs in the words of this project."""
    return Space(
        {
            d.name: Int(int(d.low), int(d.high)) if d.integer else Float(d.low, d.high)
            for d in dimensions
        }
    )


class Ours:
    """The chooser, going on from its own chain; `basic` needs the exact points it suggested."""

    def __init__(
        self, dimensions: Sequence[Dimension], *, noise_variance: float, seed: int, **options: Any
    ) -> None:
        self._space = space_of(dimensions)
        likelihood = "GAUSSIAN" if noise_variance > 0 else "NOISELESS"
        self._options = ChooserOptions(**{"likelihood": likelihood, **options})
        self._seed = seed
        self._chain: dict[str, Any] | None = None
        self._suggested: tuple[Params, NDArray[np.float64]] | None = None
        self._points: list[NDArray[np.float64]] = []
        self._values: list[float] = []

    def ask(self) -> Params:
        suggestion = suggest(
            self._space,
            self._observations(),
            np.empty((0, self._space.dimensions)),
            self._options,
            seed=self._next_seed(),
            chain=self._chain,
        )
        self._chain = suggestion.chain
        self._suggested = (suggestion.params, suggestion.point)
        return suggestion.params

    def tell(self, params: Params, value: float) -> None:
        asked = self._suggested is not None and self._suggested[0] == params
        point = self._suggested[1] if self._suggested and asked else self._space.encode(params)
        self._points.append(point)
        self._values.append(value)

    def recommend(self) -> Params:
        answer = recommend(
            self._space,
            self._observations(),
            self._options,
            seed=self._next_seed(),
            chain=self._chain,
        )
        if answer is None:
            raise ValueError("no finite result yet: tell one before asking for a recommendation.")
        return answer.params

    def _observations(self) -> Observations:
        points = np.reshape(self._points, (len(self._points), self._space.dimensions))
        return Observations(points, np.array(self._values, dtype=float))

    def _next_seed(self) -> int:
        # A suggestion's seed comes from the run's and the number of results, as in the manager.
        return int(np.random.SeedSequence([self._seed, len(self._values)]).generate_state(1)[0])
