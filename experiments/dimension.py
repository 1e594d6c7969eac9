"""One input of an objective, in words that every optimiser can be told in."""

from __future__ import annotations

from dataclasses import dataclass

Params = dict[str, float | int]


@dataclass(frozen=True)
class Dimension:
    """A real in [low, high], or an integer from low to high, the ends included."""

    name: str
    low: float
    high: float
    integer: bool = False

    def values(self) -> tuple[int, ...]:
        """All the values of an integer."""
        return tuple(range(int(self.low), int(self.high) + 1))

    def plain(self, value: float) -> float | int:
        """`value` as a Python number of this dimension's kind, clipped to its range."""
        clipped = min(max(float(value), self.low), self.high)
        return round(clipped) if self.integer else clipped
