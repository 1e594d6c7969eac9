"""Variables: what a value of each kind may be, and its place in the unit cube.

    u [D]     one point of the unit cube, a column for each real, integer or enum option
    U [n, D]  n points

An INT with n values has n cells of equal width; u falls into cell k = min(⌊u·n⌋, n − 1), and
its representative is the cell's centre (k + ½)/n.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np

from spearmint_int.arrays import FloatArray, IntArray
from spearmint_int.errors import SpaceError, alternatives

# Bounds that are this many times apart are rarely meant on a linear scale, where nine tenths of the
# range lie in its last decade.
LOG_RATIO = 1000.0

# What a double in the unit cube can tell apart: how many integers, and how large ones (on a log
# scale smaller ones).
MOST_INTEGERS, LARGEST_INTEGER, LARGEST_LOG_INTEGER = 10**15, 2**53, 10**13

# The least step along an axis, as a share of it. With noise the covariance has a jitter of 1e-4 of
# its amplitude, which hides how the function changes over shorter steps.
LEAST_STEP = 1e-4

Scalar: TypeAlias = int | float | str | bool
Params: TypeAlias = dict[str, Any]


class SomeVariable:
    """The base of Float, Int and Enum: what mypy infers for the values of a dictionary that has
    several of them."""

    size: int


@dataclass(frozen=True)
class Float(SomeVariable):
    """A real variable on [min, max], both included.

    With `log` it is modelled and searched on a log scale. With `size` above 1 it is a list of so
    many reals.
    """

    min: float
    max: float
    size: int = field(default=1, kw_only=True)
    log: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        _make_plain(self)
        _check_size(self.size)
        _check_bounds(self)
        _check_log(self.log)
        if self.max < self.min:
            raise SpaceError(f"max must be at least min ({self.min}), got {self.max}")
        if not math.isfinite(float(self.max) - float(self.min)):
            raise SpaceError(f"max − min must be finite, got {self.min} and {self.max}")
        if self.log and self.min <= 0:
            raise SpaceError(f"min must be above 0 on a log scale, got {self.min}")

    @property
    def columns(self) -> int:
        """Columns of one element in the unit cube."""
        return 1

    def encode(self, value: Any) -> list[float]:
        x = _number(value)
        if not self.min <= x <= self.max:
            raise SpaceError(f"must lie in [{self.min}, {self.max}], got {value}")
        if self.max == self.min:
            return [0.5]
        low, high = self._scale(self.min), self._scale(self.max)
        if low == high:  # neighbouring doubles have one logarithm
            return [0.5]
        return [min(max(0.0, (self._scale(x) - low) / (high - low)), 1.0)]  # 0.0 where it is -0.0

    def decode(self, u: FloatArray) -> float:
        if u[0] <= 0.0 or u[0] >= 1.0:  # exactly the bound, which exp(log(bound)) may miss
            return float(self.min if u[0] <= 0.0 else self.max)
        low, high = self._scale(self.min), self._scale(self.max)
        s = low + (high - low) * float(u[0])
        return min(max(math.exp(s) if self.log else s, float(self.min)), float(self.max))

    def _scale(self, x: float) -> float:
        return math.log(x) if self.log else float(x)


@dataclass(frozen=True)
class Int(SomeVariable):
    """An integer variable on {min, …, max}, both included.

    At most one of these may be given: with `step=4` it has only every fourth integer, from min on;
    with `base=2` only min times the powers of 2, such as 16, 32, …, 1024; with `log=True` all
    integers, modelled and searched on a log scale. With `size` above 1 it is a list of so many
    integers.
    """

    min: int
    max: int
    size: int = field(default=1, kw_only=True)
    log: bool = field(default=False, kw_only=True)
    step: int = field(default=1, kw_only=True)
    base: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _make_plain(self)
        _check_size(self.size)
        _check_bounds(self)
        _check_log(self.log)
        for bound in (self.min, self.max):
            if int(bound) != bound:
                raise SpaceError(f"min and max must be whole numbers, got {bound}")
        if self.max < self.min:
            raise SpaceError(f"max must be at least min ({self.min}), got {self.max}")
        self._check_scale()
        self._check_exact()

    def _check_scale(self) -> None:
        if not _is_whole(self.step) or self.step < 1:
            raise SpaceError(f"step must be a whole number from 1 on, got {self.step!r}")
        if self.base is not None and (not _is_whole(self.base) or self.base < 2):
            raise SpaceError(f"base must be a whole number from 2 on, got {self.base!r}")
        if (self.log or self.base is not None) and self.min < 1:
            raise SpaceError(f"min must be at least 1 on a log scale, got {self.min}")
        if (self.step != 1) + (self.base is not None) + self.log > 1:
            raise SpaceError("give one of step, base and log: each says which integers there are")
        last = self.value(self.cells - 1)
        if last != self.max:
            how = f"by steps of {self.step}" if self.base is None else f"by powers of {self.base}"
            raise SpaceError(f"max must be reached from min {how}, got {self.max}; use {last}")

    def _check_exact(self) -> None:
        """Refuse more or larger integers than a double in the unit cube can tell apart."""
        largest = LARGEST_LOG_INTEGER if self.log else LARGEST_INTEGER
        if max(abs(self.min), abs(self.max)) > largest or self.cells > MOST_INTEGERS:
            raise SpaceError(
                f"more than {MOST_INTEGERS:.0e} integers, or any beyond ±{largest:.0e}, can't be "
                f"told apart, got {self.min} to {self.max}; use FLOAT and round it, or step"
            )

    @property
    def cells(self) -> int:
        """The number of its values."""
        if self.base is None:
            return (int(self.max) - int(self.min)) // self.step + 1
        powers = itertools.takewhile(lambda k: self.value(k) <= self.max, itertools.count(1))
        return 1 + sum(1 for _ in powers)

    @property
    def columns(self) -> int:
        """Columns of one element in the unit cube."""
        return 1

    def value(self, index: int) -> int:
        """The integer of a cell."""
        if self.base is None:
            return int(self.min) + self.step * index
        return int(int(self.min) * int(self.base) ** index)

    def encode(self, value: Any) -> list[float]:
        x = _number(value)
        if x != math.floor(x):
            raise SpaceError(f"must be a whole number, got {value}")
        if not self.min <= x <= self.max:
            raise SpaceError(f"must lie in {{{self.min}, …, {self.max}}}, got {value}")
        index = self._index(int(x))
        if self.value(index) != x:
            near = f"{self.value(index)} and {self.value(index + 1)} are the nearest"
            raise SpaceError(f"must be one of the variable's integers ({near}), got {value}")
        return [float(self._axis.positions(np.array([index]))[0])]

    def decode(self, u: FloatArray) -> int:
        return self.value(int(self._axis.index(np.reshape(u[0], (1, 1)))[0]))

    def _index(self, x: int) -> int:
        """The cell of the largest of the variable's integers that is not above x."""
        if self.base is None:
            return (x - int(self.min)) // self.step
        return sum(1 for k in range(1, self.cells) if self.value(k) <= x)

    @property
    def _axis(self) -> Axis:
        return Axis.at(0, self)


@dataclass(frozen=True)
class Enum(SomeVariable):
    """One of several options without an order: texts, numbers, True or False.

    The model has a one-hot column for each option, and one length scale for all of them. With
    `size` above 1 it is a list of so many options.
    """

    options: Sequence[Scalar]
    size: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        _make_plain(self)
        _check_size(self.size)
        if not _is_listed(self.options):
            raise SpaceError(f"options must be a list, ['a', 'b'], got {self.options!r}")
        object.__setattr__(self, "options", tuple(_plain(option) for option in self.options))
        if not self.options:
            raise SpaceError("options must have at least one entry")
        if not all(isinstance(option, int | float | str) for option in self.options):
            raise SpaceError(
                f"options must be numbers or texts, got {list(self.options)}; "
                "give each a name, and look it up in the function"
            )
        if len(set(self.options)) != len(self.options):
            raise SpaceError(f"options must differ from each other, got {list(self.options)}")

    @property
    def cells(self) -> int:
        return len(self.options)

    @property
    def columns(self) -> int:
        """Columns of one element in the unit cube."""
        return len(self.options)

    def encode(self, value: Any) -> list[float]:
        if value not in self.options:
            others = alternatives(str(value), map(str, self.options))
            raise SpaceError(f"must be one of the options, got {value!r}{others}")
        return [1.0 if option == value else 0.0 for option in self.options]

    def decode(self, u: FloatArray) -> Scalar:
        return self.options[int(np.argmax(u))]


Variable: TypeAlias = Float | Int | Enum


@dataclass(frozen=True)
class Axis:
    """One discrete element of the space: an integer or an option, its columns and its cells.

    `start` is its first column, and `cells` the number of its values. Cells are of equal width. On
    a log scale, where `lowest` is the first integer, they are not: the cell of an integer k reaches
    from log(k − ½) to log(k + ½), and its representative is log k.
    """

    start: int
    columns: int
    cells: int
    one_hot: bool
    lowest: int | None = None

    @classmethod
    def at(cls, column: int, variable: Int | Enum) -> Axis:
        """The axis of one element of the variable, from this column on."""
        lowest = int(variable.min) if isinstance(variable, Int) and variable.log else None
        one_hot = isinstance(variable, Enum)
        return cls(column, variable.columns, variable.cells, one_hot, lowest)

    @property
    def is_fine(self) -> bool:
        """Whether it is an integer of so many values that the model can't tell neighbours apart."""
        return not self.one_hot and self.cells > 1.0 / LEAST_STEP

    def tells_apart(self, first: int, second: int) -> bool:
        """Whether two cells are so far apart that the model can expect different values there."""
        ends = self.positions(np.array([first, second]))
        return bool(abs(ends[1] - ends[0]) >= LEAST_STEP)

    def index(self, U: FloatArray) -> IntArray:
        """The cell that each row of U [n, D] falls into."""
        if self.one_hot:
            block = U[:, self.start : self.start + self.columns]
            largest: IntArray = np.argmax(block, axis=1).astype(np.int64)
            return largest
        u = U[:, self.start]
        if self.lowest is None:
            k = np.floor(u * self.cells)
        else:
            low, high = self._ends
            k = np.floor(np.exp(low + (high - low) * u) + 0.5) - self.lowest
        return np.clip(k, 0, self.cells - 1).astype(np.int64)

    def positions(self, index: IntArray) -> FloatArray:
        """The representatives of these cells of an integer, on its axis of the cube."""
        if self.lowest is None:
            return np.asarray((index + 0.5) / self.cells)
        low, high = self._ends
        return np.asarray((np.log(self.lowest + index) - low) / (high - low))

    @property
    def _ends(self) -> tuple[float, float]:
        """The logarithms that a log scale begins and ends with."""
        first = 0 if self.lowest is None else self.lowest
        return math.log(first - 0.5), math.log(first + self.cells - 0.5)

    def place(self, U: FloatArray, index: IntArray) -> None:
        """Put each row of U [n, D] at the canonical representative of its cell, in place."""
        if self.one_hot:
            U[:, self.start : self.start + self.columns] = 0.0
            U[np.arange(len(U)), self.start + index] = 1.0
        else:
            U[:, self.start] = self.positions(index)


def _is_listed(options: object) -> bool:
    """Whether the options have an order: that of a set differs from process to process."""
    return isinstance(options, Iterable) and not isinstance(options, str | bytes | Mapping | Set)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def looks_logarithmic(variable: Float | Int) -> bool:
    """Whether it has a linear scale although its bounds are positive and decades apart."""
    if variable.log or (isinstance(variable, Int) and variable.base is not None):
        return False
    return variable.min > 0 and variable.max / variable.min >= LOG_RATIO


def _check_size(size: int) -> None:
    if not _is_whole(size) or size < 1:
        raise SpaceError(f"size must be a whole number from 1 on, got {size!r}")


def _check_log(log: bool) -> None:
    if not isinstance(log, bool):
        raise SpaceError(f"log must be True or False, got {log!r}")


def _check_bounds(variable: Float | Int) -> None:
    for name in ("min", "max"):
        bound = getattr(variable, name)
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            raise SpaceError(f"{name} must be a number, got {bound!r}")
        if not math.isfinite(bound):
            raise SpaceError(f"min and max must be finite, got {variable.min} and {variable.max}")


def _make_plain(variable: Variable) -> None:
    for field_ in fields(variable):
        object.__setattr__(variable, field_.name, _plain(getattr(variable, field_.name)))


def _plain(value: Any) -> Any:
    """A numpy scalar as Python's own, which JSON can store; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def _number(value: Any) -> float:
    if isinstance(value, bool | str) or value is None:
        raise SpaceError(f"must be a number, got {value!r}")
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise SpaceError(f"must be a number, got {value!r}") from None
    except OverflowError:
        raise SpaceError("must be finite, got a number of more than 300 digits") from None
    if not math.isfinite(x):
        raise SpaceError(f"must be finite, got {value}")
    return x
