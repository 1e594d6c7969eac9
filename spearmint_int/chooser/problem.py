"""The problem as a chooser gets it: space, observations, pending points, options, seed.

A result that is NaN or infinite means that the evaluation failed at that point.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spearmint_int.arrays import BoolArray, FloatArray, point_key
from spearmint_int.chooser.options import LIKELIHOODS, ChooserOptions
from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.sampling import ChainState
from spearmint_int.space import Space

FINGERPRINT_DIGITS = 16
LEAST_RESULTS = 2  # before anybody is shown a model: one result alone says nothing of scales
OBJECTIVE = "main"  # the task of an experiment that names none


@dataclass(frozen=True)
class Constraint:
    """A number that has to be at least 0, beside the one that is optimised."""

    task: str
    """The name of the number among those that the function returns."""
    likelihood: str = "GAUSSIAN"
    """`NOISELESS` where the same parameters always give the same value."""
    min_confidence: float = 0.99
    """The least probability with which it holds at a point that the model recommends."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "likelihood", str(self.likelihood).upper())
        if not isinstance(self.task, str) or not self.task:
            raise SpearmintError(f"a constraint must have a name, got {self.task!r}")
        if self.likelihood not in LIKELIHOODS:
            raise UnknownNameError("likelihood", self.likelihood, LIKELIHOODS)
        if not isinstance(self.min_confidence, Real) or not 0.0 < self.min_confidence < 1.0:
            raise SpearmintError(
                f"min_confidence must be above 0 and below 1, got {self.min_confidence!r}"
            )
        object.__setattr__(self, "min_confidence", float(self.min_confidence))

    @property
    def noiseless(self) -> bool:
        return self.likelihood == "NOISELESS"


@dataclass(frozen=True)
class Observations:
    """n evaluations: their points in the unit cube [n, D], and what came of each.

    - `values`: the numbers [n] of every task by its name, NaN where there is none.
    - `seconds` [n]: what each evaluation cost, NaN where that is not known.
    - `worked` [n]: False where the evaluation broke or returned NaN for a task. A number that is
      only missing is no failure.
    - `void`: how many more evaluations broke for a reason that has nothing to do with their points;
      nothing else is known of them.
    """

    points: FloatArray
    values: Mapping[str, FloatArray]
    seconds: FloatArray
    worked: NDArray[np.bool_]
    void: int = 0

    def __post_init__(self) -> None:
        if np.ndim(self.points) != 2:
            raise ValueError(f"points must be [n, D], got {np.shape(self.points)}")
        for name, column in self._columns.items():
            if np.shape(column) != (len(self.points),):
                raise ValueError(f"{name} must be [{len(self.points)}], got {np.shape(column)}")

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        return {**self.values, "seconds": self.seconds, "worked": self.worked}

    @classmethod
    def of(cls, points: FloatArray, values: FloatArray, *, task: str = OBJECTIVE) -> Observations:
        """The results of one task, at unknown cost."""
        unknown = np.full(len(points), np.nan)
        return cls(points, {task: values}, unknown, np.isfinite(values))

    @classmethod
    def none(cls, dimensions: int, *, task: str = OBJECTIVE) -> Observations:
        return cls.of(np.empty((0, dimensions)), np.empty(0), task=task)

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True)
class Problem:
    """All that a suggestion depends on: the same problem gives the same suggestion."""

    space: Space
    observations: Observations
    pending: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    options: ChooserOptions = field(default_factory=ChooserOptions)
    seed: int = 0
    chain: ChainState | None = None
    objective: str = OBJECTIVE
    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise SpearmintError(f"seed must be at least 0, got {self.seed}")
        pending = np.asarray(self.pending, dtype=np.float64).reshape(-1, self.space.dimensions)
        object.__setattr__(self, "pending", pending)

    @property
    def values(self) -> FloatArray:
        """The objective's values [n]."""
        return self.observations.values[self.objective]

    @property
    def fulfilled(self) -> BoolArray:
        """Which observations [n] have a number of at least 0 for every constraint."""
        seen = [self.observations.values[c.task] >= 0.0 for c in self.constraints]
        all_of_them = np.ones(len(self.observations), dtype=np.bool_)
        return np.asarray(np.all([all_of_them, *seen], axis=0))

    @property
    def finite(self) -> int:
        """How many results of the objective are numbers."""
        return int(np.sum(np.isfinite(self.values)))

    @property
    def has_model(self) -> bool:
        """Whether there are enough results for a model that people are shown."""
        return self.finite >= LEAST_RESULTS

    @property
    def index(self) -> int:
        """The number of points so far, evaluated or pending: the place of the next one."""
        return len(self.observations) + self.observations.void + len(self.pending)

    def rng(self) -> np.random.Generator:
        """The random numbers of this suggestion: another stream for each seed and index."""
        return np.random.default_rng([self.seed, self.index])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that the answer depends on: equal for two problems exactly when a
        chooser must give the same answer."""
        chain = () if self.chain is None else (self.chain.states, self.chain.widths)
        void = (self.observations.void,) if self.observations.void else ()
        constraints = (self.constraints,) if self.constraints else ()
        settings = (self.space, replace(self.options, threads=1), self.seed, self.objective)
        hashed = hashlib.sha256(repr((*settings, *void, *constraints)).encode())
        known = [self.observations.values[c.task] for c in self.constraints]
        if self.constraints and not np.all(self.observations.worked):
            known.append(self.observations.worked.astype(np.float64))
        for array in (self.observations.points, self.values, self.pending, *chain, *known):
            hashed.update(repr(array.shape).encode())
            hashed.update(np.ascontiguousarray(array, dtype=np.float64).tobytes())
        return hashed.hexdigest()[:FINGERPRINT_DIGITS]

    def after(self, point: FloatArray, chain: ChainState | None) -> Problem:
        """The problem with one more pending point."""
        return replace(self, pending=np.vstack([self.pending, point]), chain=chain)

    def without_pending(self) -> Problem:
        """The problem without pending points: predictions and recommendations leave them out."""
        return replace(self, pending=self.pending[:0])

    # --- which points are left ------------------------------------------------------------------

    @cached_property
    def reachable(self) -> BoolArray:
        """Which observations [n] lie within the bounds: earlier bounds may have been wider."""
        return self.space.inside(self.observations.points)

    @cached_property
    def evaluated_keys(self) -> frozenset[bytes]:
        return self._keys(self.observations.points)

    @cached_property
    def pending_keys(self) -> frozenset[bytes]:
        return self._keys(self.pending)

    def _keys(self, points: FloatArray) -> frozenset[bytes]:
        """The keys of the points within the bounds: the others can't be chosen again."""
        rows = points[self.space.inside(points)] if self.options.rounds else points
        return frozenset(point_key(row) for row in self.space.snap(rows))
