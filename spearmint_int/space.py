"""Variables, the unit cube that the model sees, and the rounding transform T (paper, Eq. 2).

    u [D]     one point of the unit cube, a column for each real, integer or enum option
    U [n, D]  n points
    T(u)      `Space.snap`: every INT at the centre of its cell, every ENUM one-hot

An INT with n values has n cells of equal width; u falls into cell k = min(⌊u·n⌋, n − 1), and
T(u) is the cell's centre (k + ½)/n, which is rounding to the closest integer on [min − ½, max + ½].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from spearmint_int.arrays import BoolArray, FloatArray, IntArray
from spearmint_int.errors import SpaceError, alternatives

# Values from which on an integer axis may be warped: below it the length scale says enough.
LONG_AXIS = 8
# Bounds that are this many times apart are hardly ever meant linearly: nine tenths of a linear
# range lie in its last decade.
LOG_RATIO = 1000.0

Scalar: TypeAlias = int | float | str | bool
Params: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Float:
    """A real variable on [min, max]; with `log` it is modelled and searched on a log scale."""

    min: float
    max: float
    size: int = field(default=1, kw_only=True)
    log: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        _check_size(self.size)
        _check_bounds(self)
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
        return [min(max((self._scale(x) - low) / (high - low), 0.0), 1.0)]

    def decode(self, u: FloatArray) -> float:
        if u[0] <= 0.0 or u[0] >= 1.0:  # a bound is itself, and not the exponential of a logarithm
            return float(self.min if u[0] <= 0.0 else self.max)
        low, high = self._scale(self.min), self._scale(self.max)
        s = low + (high - low) * float(u[0])
        return min(max(math.exp(s) if self.log else s, float(self.min)), float(self.max))

    def _scale(self, x: float) -> float:
        return math.log(x) if self.log else float(x)


@dataclass(frozen=True)
class Int:
    """An integer variable on {min, …, max}, both included.

    With `step` only every step-th of them; with `base` the powers min · base^k, such as 16, 32, …,
    1024; with `log` all of them, modelled and searched on a log scale.
    """

    min: int
    max: int
    size: int = field(default=1, kw_only=True)
    log: bool = field(default=False, kw_only=True)
    step: int = field(default=1, kw_only=True)
    base: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _check_size(self.size)
        _check_bounds(self)
        for bound in (self.min, self.max):
            if int(bound) != bound:
                raise SpaceError(f"min and max must be whole numbers, got {bound}")
        if self.max < self.min:
            raise SpaceError(f"max must be at least min ({self.min}), got {self.max}")
        self._check_scale()

    def _check_scale(self) -> None:
        if (self.log or self.base is not None) and self.min < 1:
            raise SpaceError(f"min must be at least 1 on a log scale, got {self.min}")
        if (self.step != 1) + (self.base is not None) + self.log > 1:
            raise SpaceError("give one of step, base and log: each says which integers there are")
        if not _is_whole(self.step) or self.step < 1:
            raise SpaceError(f"step must be a whole number from 1 on, got {self.step!r}")
        if self.base is not None and (not _is_whole(self.base) or self.base < 2):
            raise SpaceError(f"base must be a whole number from 2 on, got {self.base!r}")
        last = self.value(self.cells - 1)
        if last != self.max:
            how = f"by steps of {self.step}" if self.base is None else f"by powers of {self.base}"
            raise SpaceError(f"max must be reached from min {how}, got {self.max}; use {last}")

    @property
    def cells(self) -> int:
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
        return _axis_at(0, self)


@dataclass(frozen=True)
class Enum:
    """One of several options without an order: k one-hot columns that share one length scale."""

    options: Sequence[Scalar]
    size: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        _check_size(self.size)
        object.__setattr__(self, "options", tuple(_plain(option) for option in self.options))
        if not self.options:
            raise SpaceError("options must have at least one entry")
        if not all(isinstance(option, int | float | str) for option in self.options):
            raise SpaceError(f"options must be numbers or texts, got {list(self.options)}")
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
    """One discrete element of the space: which columns it has, and how many cells.

    Cells are of equal width, but on a log scale, where `lowest` is the first integer: there the
    integer k has the interval from log(k − ½) to log(k + ½), and is represented by log k.
    """

    start: int
    columns: int
    cells: int
    one_hot: bool
    lowest: int | None = None

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
        """Where the representatives of these cells lie in the cube."""
        if self.lowest is None:
            return np.asarray((index + 0.5) / self.cells)
        low, high = self._ends
        return np.asarray((np.log(self.lowest + index) - low) / (high - low))

    @property
    def _ends(self) -> tuple[float, float]:
        first = 0 if self.lowest is None else self.lowest
        return math.log(first - 0.5), math.log(first + self.cells - 0.5)

    def place(self, U: FloatArray, index: IntArray) -> None:
        """Put each row of U [n, D] at the canonical representative of its cell, in place."""
        if self.one_hot:
            U[:, self.start : self.start + self.columns] = 0.0
            U[np.arange(len(U)), self.start + index] = 1.0
        else:
            U[:, self.start] = self.positions(index)


class Space:
    """An ordered set of named variables, and their place in the unit cube."""

    def __init__(
        self, variables: Mapping[str, Variable], *, also_varying: frozenset[str] = frozenset()
    ) -> None:
        """`also_varying` are variables that are fixed here, but not in all observations."""
        if not isinstance(variables, Mapping):
            kind = type(variables).__name__
            raise SpaceError(f"a space maps names to variables, {{'x': Float(0, 1)}}, got a {kind}")
        if not variables:
            raise SpaceError("a space must have at least one variable")
        for name, variable in variables.items():
            if not isinstance(variable, Float | Int | Enum):
                raise SpaceError(f"{name}: must be a Float, Int or Enum, got {variable!r}")
        self.variables: dict[str, Variable] = dict(variables)
        self.also_varying = also_varying

    def __repr__(self) -> str:
        return f"Space({self.variables!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.variables == other.variables

    def __hash__(self) -> int:
        return hash(tuple(self.variables.items()))

    # --- the columns of the unit cube ---------------------------------------------------------

    def _elements(self) -> Iterator[tuple[str, Variable, int]]:
        """(name, variable, first column) of every element, in order."""
        column = 0
        for name, variable in self.variables.items():
            for _ in range(variable.size):
                yield name, variable, column
                column += variable.columns

    @cached_property
    def dimensions(self) -> int:
        """Number of columns of the unit cube."""
        return sum(v.size * v.columns for v in self.variables.values())

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The discrete elements."""
        return tuple(
            _axis_at(column, variable)
            for _, variable, column in self._elements()
            if not isinstance(variable, Float)
        )

    @cached_property
    def real_columns(self) -> IntArray:
        """The columns of FLOATs that can vary."""
        return np.array(
            [c for _, v, c in self._elements() if isinstance(v, Float) and v.max > v.min],
            dtype=np.int64,
        )

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The columns that share a length scale, a group for each element that can vary."""
        reals = {int(c) for c in self.real_columns}
        return tuple(
            tuple(range(column, column + variable.columns))
            for name, variable, column in self._elements()
            if column in reals
            or (not isinstance(variable, Float) and variable.cells > 1)
            or name in self.also_varying
        )

    @cached_property
    def group_variables(self) -> tuple[Variable, ...]:
        """The variable of which each of `groups` is an element."""
        starts = {group[0] for group in self.groups}
        return tuple(variable for _, variable, column in self._elements() if column in starts)

    @cached_property
    def group_names(self) -> tuple[str, ...]:
        """A name for each of `groups`: `depth`, or `weights[2]` for an element of a vector."""
        starts = {group[0] for group in self.groups}
        counts: dict[str, Iterator[int]] = {name: itertools.count() for name in self.variables}
        names = []
        for name, variable, column in self._elements():
            position = next(counts[name])
            if column in starts:
                names.append(name if variable.size == 1 else f"{name}[{position}]")
        return tuple(names)

    @cached_property
    def warpable_columns(self) -> tuple[int, ...]:
        """Columns long enough for a bend: FLOATs that can vary, and INTs with many values."""
        integers = [a.start for a in self.axes if not a.one_hot and a.cells >= LONG_AXIS]
        return tuple(sorted([*map(int, self.real_columns), *integers]))

    @cached_property
    def stretched_columns(self) -> tuple[int, ...]:
        """The warpable columns that span decades on a linear scale."""
        stretched = {
            column
            for _, variable, column in self._elements()
            if isinstance(variable, Float | Int)
            and not variable.log
            and looks_logarithmic(variable.min, variable.max)
        }
        return tuple(column for column in self.warpable_columns if column in stretched)

    @cached_property
    def is_discrete(self) -> bool:
        """Whether the space is a finite lattice: no FLOAT can vary."""
        return len(self.real_columns) == 0

    @cached_property
    def cells(self) -> int:
        """Number of combinations of the integers and enums."""
        return math.prod(axis.cells for axis in self.axes)

    # --- parameters to and from the unit cube -------------------------------------------------

    def encode(self, params: Mapping[str, Any]) -> FloatArray:
        """The canonical point of these parameters; SpaceError names the variable that is off."""
        for name in params:
            if name not in self.variables:
                raise SpaceError(f"{name}: no such variable{alternatives(name, self.variables)}")
        u: list[float] = []
        for name, variable in self.variables.items():
            if name not in params:
                raise SpaceError(f"{name}: a value is missing")
            try:
                for value in _as_elements(params[name], variable.size):
                    u.extend(variable.encode(value))
            except SpaceError as error:
                raise SpaceError(f"{name}: {error}") from None
        return np.array(u, dtype=np.float64)

    def decode(self, u: FloatArray) -> Params:
        """The parameters that the objective gets for u: Python scalars, lists where size > 1."""
        values: dict[str, list[Scalar]] = {name: [] for name in self.variables}
        for name, variable, column in self._elements():
            values[name].append(variable.decode(u[column : column + variable.columns]))
        return {
            name: values[name][0] if variable.size == 1 else values[name]
            for name, variable in self.variables.items()
        }

    def snap(self, U: FloatArray) -> FloatArray:
        """T: the canonical representative of every row of U [n, D] (or of one u [D]).

        An observation from beyond the bounds stays there, at the centre of a cell as far away.
        """
        rows = np.atleast_2d(np.array(U, dtype=np.float64))
        columns, cells = self._integer_columns
        if len(columns):  # all at once: this runs at every step of a search
            u = rows[:, columns]
            k = np.where(u == 1.0, cells - 1.0, np.floor(u * cells))
            rows[:, columns] = (k + 0.5) / cells
        for axis in self._other_axes:
            inside = slice(None) if axis.one_hot else np.abs(rows[:, axis.start] - 0.5) <= 0.5
            block = rows[inside]
            axis.place(block, axis.index(block))
            rows[inside] = block
        for column in self._constant_columns:
            inside = np.abs(rows[:, column] - 0.5) <= 0.5
            rows[inside, column] = 0.5
        return rows.reshape(np.shape(U))

    def inside(self, U: FloatArray) -> BoolArray:
        """Which rows of U [n, D] lie within the bounds."""
        within: BoolArray = np.all((U >= 0.0) & (U <= 1.0), axis=1)
        return within

    @cached_property
    def _integer_columns(self) -> tuple[IntArray, FloatArray]:
        axes = [axis for axis in self.axes if axis not in self._other_axes]
        columns = np.array([axis.start for axis in axes], dtype=np.int64)
        return columns, np.array([float(axis.cells) for axis in axes])

    @cached_property
    def _other_axes(self) -> tuple[Axis, ...]:
        """Those whose cells are not of equal width in one column."""
        return tuple(axis for axis in self.axes if axis.one_hot or axis.lowest is not None)

    @cached_property
    def _constant_columns(self) -> list[int]:
        return [c for _, v, c in self._elements() if isinstance(v, Float) and v.max == v.min]

    # --- the lattice --------------------------------------------------------------------------

    def lattice(self) -> FloatArray:
        """Every combination of integers and enums [cells, D], the reals at ½."""
        return self._cells_from(0, self.cells)

    def walk(self, *, block: int = 4096) -> Iterator[FloatArray]:
        """The rows of the lattice one after the other, for one that is too large to hold."""
        for first in range(0, self.cells, block):
            yield from self._cells_from(first, min(block, self.cells - first))

    def _cells_from(self, first: int, count: int) -> FloatArray:
        rows = np.full((count, self.dimensions), 0.5)
        remainder = first + np.arange(count, dtype=np.int64)
        for axis in reversed(self.axes):
            axis.place(rows, remainder % axis.cells)
            remainder //= axis.cells
        return rows

    def neighbours(self, u: FloatArray, *, strides: Sequence[int] = (1,)) -> FloatArray:
        """The points that differ from u in one discrete element [m, D].

        An INT moves by ± each stride inside of its range, an ENUM to every other option.
        """
        here = np.atleast_2d(u)
        rows = [np.empty((0, self.dimensions))]
        for axis in self.axes:
            k = int(axis.index(here)[0])
            if axis.one_hot:
                reach = [j for j in range(axis.cells) if j != k]
            else:
                steps = [s for stride in strides for s in (-stride, stride)]
                reach = [k + s for s in steps if 0 <= k + s < axis.cells]
            moved = np.repeat(here, len(reach), axis=0)
            axis.place(moved, np.array(reach, dtype=np.int64))
            rows.append(moved)
        return np.concatenate(rows)


def _axis_at(column: int, variable: Int | Enum) -> Axis:
    lowest = int(variable.min) if isinstance(variable, Int) and variable.log else None
    one_hot = isinstance(variable, Enum)
    return Axis(column, variable.columns, variable.cells, one_hot, lowest)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def looks_logarithmic(low: float, high: float) -> bool:
    """Whether these bounds span decades, above zero."""
    return low > 0 and high / low >= LOG_RATIO


def _check_size(size: int) -> None:
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise SpaceError(f"size must be a whole number from 1 on, got {size!r}")


def _check_bounds(variable: Float | Int) -> None:
    for name in ("min", "max"):
        bound = _plain(getattr(variable, name))
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            raise SpaceError(f"{name} must be a number, got {bound!r}")
        if not math.isfinite(bound):
            raise SpaceError(f"min and max must be finite, got {variable.min} and {variable.max}")
        object.__setattr__(variable, name, bound)


def _plain(value: Any) -> Any:
    """A numpy scalar as the Python one: what is stored as JSON must be plain."""
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


def _as_elements(value: Any, size: int) -> list[Any]:
    """The elements of a variable's value: a scalar, a sequence or an array of `size`."""
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    elements = list(value) if isinstance(value, list | tuple) else [value]
    if len(elements) != size:
        raise SpaceError(f"must have {size} value{'s' * (size > 1)}, got {len(elements)}")
    return elements
