"""This project's `Optimizer` as one of the optimisers that are compared."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from spearmint_int import Float, Int, Optimizer
from spearmint_int.sampling.priors import Prior, prior_from_dict
from spearmint_int.space import Space

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    """`Optimizer` as its users have it; `settings` are those that they can give it, and priors may
    be described as in a config.

    With a `batch`, so many points are asked for at once: the results of the first of them come too
    late for the others.
    """

    def __init__(
        self,
        dimensions: Sequence[Dimension],
        *,
        seed: int,
        batch: int = 1,
        priors: Mapping[str, Prior | Mapping[str, Any]] | None = None,
        **settings: Any,
    ) -> None:
        given = {
            name: prior if isinstance(prior, Prior) else prior_from_dict(prior)
            for name, prior in (priors or {}).items()
        }
        self._optimizer = Optimizer(space_of(dimensions), seed=seed, priors=given, **settings)
        self._batch = batch
        self._asked: deque[Params] = deque()

    def ask(self) -> Params:
        if not self._asked:
            self._asked.extend(self._optimizer.ask(self._batch))
        return self._asked.popleft()

    def tell(self, params: Params, value: float) -> None:
        self._optimizer.tell(params, value)

    def recommend(self) -> Params:
        answer = self._optimizer.recommend() or self._optimizer.best()
        if answer is None:
            raise ValueError("no finite result yet: tell one before asking for a recommendation.")
        return answer.params
