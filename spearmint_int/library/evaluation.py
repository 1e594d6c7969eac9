"""The records of ask and tell: points with a result, and pending ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, SupportsFloat

from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import OBJECTIVE
from spearmint_int.variables import Params

Returned = SupportsFloat | Mapping[str, SupportsFloat]  # a number, or one for each task
Result = tuple[Mapping[str, Any], Returned]  # parameters, and what came of them


@dataclass(frozen=True)
class Evaluation:
    """One result: the parameters, the value (NaN where it failed), and the point in the unit cube.

    `was_asked` is False for a result that was told without `ask`, as one that was known already.
    `constraints` has their numbers by name.
    """

    params: Params
    value: float
    point: FloatArray = field(repr=False, compare=False)
    was_asked: bool = field(default=True, repr=False, compare=False)
    constraints: Mapping[str, float] = field(default_factory=dict, repr=False)

    def copy(self) -> Evaluation:
        """A deep copy, which its owner may change."""
        return replace(
            self,
            params=deepcopy(self.params),
            point=self.point.copy(),
            constraints=dict(self.constraints),
        )

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of the objective and the constraints, by task."""
        return {OBJECTIVE: self.value, **self.constraints}

    def row(self, constraints: Sequence[str]) -> list[float]:
        """The objective's number, and then those of these constraints: NaN where there is none."""
        return [self.value, *(self.constraints.get(name, math.nan) for name in constraints)]


@dataclass(frozen=True)
class Pending:
    """A point that was asked for and not told yet, or a guess that was not asked for yet.

    Whoever asks gets a copy of the parameters, which they may change.
    """

    params: Params
    point: FloatArray

    def with_result(self, numbers: Mapping[str, float], *, was_asked: bool = True) -> Evaluation:
        """The evaluation with these numbers, by task."""
        beside = {name: number for name, number in numbers.items() if name != OBJECTIVE}
        return Evaluation(self.params, numbers[OBJECTIVE], self.point, was_asked, beside)
