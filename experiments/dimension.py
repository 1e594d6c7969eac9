"""One input of an objective, in words that every optimiser can be told in."""

from __future__ import annotations

import math
from dataclasses import dataclass

Params = dict[str, float | int]


@dataclass(frozen=True)
class Dimension:
    """A real in [low, high], or an integer from low to high, the ends included.

    With `log` a real is searched on a log scale.
    """

    name: str
    low: float
    high: float
    integer: bool = False
    log: bool = False

    def __post_init__(self) -> None:
        if self.log and (self.integer or self.low <= 0):
            raise ValueError(f"{self.name}: a log scale is for reals above 0.")

    def values(self) -> tuple[int, ...]:
        """All the values of an integer."""
        return tuple(range(int(self.low), int(self.high) + 1))

    def plain(self, value: float) -> float | int:
        """`value` as a Python number of this dimension's kind, clipped to its range."""
        clipped = min(max(float(value), self.low), self.high)
        return round(clipped) if self.integer else clipped

    def to_unit(self, value: float) -> float:
        """Linear in the value or its logarithm, the ends at 0 and 1."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        return (self._scaled(value) - low) / (high - low)

    def from_unit(self, u: float) -> float | int:
        """The inverse of `to_unit`; an integer is the nearest one."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        scaled = low + float(u) * (high - low)
        return self.plain(math.exp(scaled) if self.log else scaled)

    def from_uniform(self, u: float) -> float | int:
        """As `from_unit`, but a uniform u becomes each integer equally often, the ends too."""
        if not self.integer:
            return self.from_unit(u)
        count = len(self.values())
        return int(self.low) + min(int(u * count), count - 1)

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.log else float(value)


def integer(name: str, low: int, high: int) -> Dimension:
    return Dimension(name, low, high, integer=True)
