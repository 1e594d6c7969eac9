"""The model's opinion on an experiment at rest: what it recommends, what it would try next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spearmint_int.chooser import chooser_named, recommend
from spearmint_int.manager.history import History
from spearmint_int.manager.suggesting import CHAIN
from spearmint_int.observations import Observations

if TYPE_CHECKING:
    from spearmint_int.chooser import Recommendation, Suggestion
    from spearmint_int.config import Config
    from spearmint_int.stores import Store


def recommendation(config: Config, store: Store) -> Recommendation | None:
    """The model's minimum from all results; None while there is none."""
    space, history = config.space(), _history(config, store)
    return recommend(
        space,
        Observations(history.points(), history.values()),
        config.chooser_options(),
        seed=_seed(config, store),
        chain=store.load_chain(CHAIN),
    )


def suggestions(config: Config, store: Store, number: int) -> list[Suggestion]:
    """The next points, each chosen with those before it pending. Nothing is stored."""
    space, history = config.space(), _history(config, store)
    observations = Observations(history.points(), history.values())
    pending, chain = history.pending_points(), store.load_chain(CHAIN)
    chosen: list[Suggestion] = []
    for _ in range(number):
        suggestion = chooser_named(config.chooser)(
            space,
            observations,
            pending,
            config.chooser_options(),
            seed=_seed(config, store),
            chain=chain,
        )
        chosen.append(suggestion)
        pending, chain = np.vstack([pending, suggestion.point]), suggestion.chain
    return chosen


def _history(config: Config, store: Store) -> History:
    history = History(store, task=config.task_name, dimensions=config.space().dimensions)
    history.refresh()
    return history


def _seed(config: Config, store: Store) -> int:
    """The seed that the experiment began with."""
    kept = store.load_meta("seed")
    return config.seed if kept is None else int(kept)
