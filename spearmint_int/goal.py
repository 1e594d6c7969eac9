"""How far a run is from its `stop-when`, as its model saw it last; kept in the store for others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spearmint_int.stores.protocol import Store

META = "goal"


@dataclass(frozen=True)
class Goal:
    """After so many results the regret is below `bound` with probability `confidence`; the run ends
    when that is as low as is `wanted`."""

    results: int
    bound: float
    confidence: float
    wanted: float

    @property
    def is_reached(self) -> bool:
        return self.bound <= self.wanted

    def __str__(self) -> str:
        sure = f"{100.0 * self.confidence:.4g} % sure"
        within = f"that no point is better than the best by more than {self.bound:.3g}"
        return f"{sure} {within}, after {self.results} results (wanted: {self.wanted:g})"


def keep_goal(store: Store, goal: Goal) -> None:
    """In place of the last one."""
    store.save_meta(META, asdict(goal))


def load_goal(store: Store) -> Goal | None:
    """None before the first look, or where it had no answer."""
    kept = store.load_meta(META)
    return None if kept is None or None in kept.values() else Goal(**kept)
