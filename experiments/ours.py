"""This project's `Optimizer` as one of the optimisers that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spearmint_int import Float, Int, Optimizer
from spearmint_int.space import Space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.dimension import Dimension, Params


def space_of(dimensions: Sequence[Dimension]) -> Space:
    """The same inputs in the words of this project."""
    return Space(
        {
            d.name: Int(int(d.low), int(d.high)) if d.integer else Float(d.low, d.high, log=d.log)
            for d in dimensions
        }
    )


class Ours:
    """`Optimizer` as its users have it; `settings` are those that they can give it."""

    def __init__(self, dimensions: Sequence[Dimension], *, seed: int, **settings: Any) -> None:
        self._optimizer = Optimizer(space_of(dimensions), seed=seed, **settings)

    def ask(self) -> Params:
        return self._optimizer.ask()[0]

    def tell(self, params: Params, value: float) -> None:
        self._optimizer.tell(params, value)

    def recommend(self) -> Params:
        answer = self._optimizer.recommend()
        if answer is None:
            raise ValueError("no finite result yet: tell one before asking for a recommendation.")
        return answer.params
