"""The unit cube that the model sees, and the rounding transform T (paper, Eq. 2).

    u [D]     one point of the unit cube, a column for each real, integer or enum option
    U [n, D]  n points
    T(u)      `Space.snap`: every INT at the centre of its cell, every ENUM one-hot

For an INT that is rounding to the closest integer on [min − ½, max + ½].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from spearmint_int.arrays import BoolArray, FloatArray, IntArray, inside_cube
from spearmint_int.errors import SpaceError, alternatives
from spearmint_int.variables import (
    Axis,
    Enum,
    Float,
    Int,
    Params,
    Scalar,
    SomeVariable,
    Variable,
    looks_logarithmic,
)

# An integer axis of fewer values is not warped: its length scale is flexible enough.
LONG_AXIS = 8
MOST_COLUMNS = 21201  # of scipy's Sobol sequence


class Space:
    """An ordered set of named variables, and their place in the unit cube."""

    def __init__(
        self, variables: Mapping[str, SomeVariable], *, also_varying: frozenset[str] = frozenset()
    ) -> None:
        """`also_varying` names variables that are fixed now, but differ between observations that
        were made before: they keep a length scale."""
        if not isinstance(variables, Mapping):
            kind = type(variables).__name__
            raise SpaceError(f"a space maps names to variables, {{'x': Float(0, 1)}}, got a {kind}")
        if not variables:
            raise SpaceError("a space must have at least one variable")
        self.variables: dict[str, Variable] = {}
        for name, variable in variables.items():
            if not isinstance(name, str):
                raise SpaceError(f"{name!r}: the name of a variable must be a text")
            if not isinstance(variable, Float | Int | Enum):
                raise SpaceError(f"{name}: must be a Float, Int or Enum, got {variable!r}")
            self.variables[name] = variable
        self.also_varying = also_varying
        if self.dimensions > MOST_COLUMNS:
            raise SpaceError(
                f"a space can have {MOST_COLUMNS} columns, one for each number and each option, "
                f"got {self.dimensions}"
            )

    def __repr__(self) -> str:
        also = f", also_varying={sorted(self.also_varying)}" if self.also_varying else ""
        return f"Space({self.variables!r}{also})"

    def __eq__(self, other: object) -> bool:
        # the order counts too: it is that of the columns
        return isinstance(other, Space) and [*self.variables.items()] == [*other.variables.items()]

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
        """The discrete elements, in the order of their columns."""
        return tuple(
            Axis.at(column, variable)
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
    def smooth_columns(self) -> IntArray:
        """The columns that are searched by gradient: FLOATs that can vary, and INTs of so many
        values that the model can't tell neighbours apart."""
        fine = [axis.start for axis in self.axes if axis.is_fine]
        return np.sort(np.array([*self.real_columns, *fine], dtype=np.int64))

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
        """The columns that an input warp may bend: FLOATs that can vary, INTs of many values."""
        integers = [a.start for a in self.axes if not a.one_hot and a.cells >= LONG_AXIS]
        return tuple(sorted([*map(int, self.real_columns), *integers]))

    @cached_property
    def stretched_columns(self) -> tuple[int, ...]:
        """The warpable columns that span decades on a linear scale."""
        stretched = {
            column
            for _, variable, column in self._elements()
            if isinstance(variable, Float | Int) and looks_logarithmic(variable)
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
        """The canonical point [D] of these parameters; SpaceError names the variable at fault."""
        if not isinstance(params, Mapping):
            given = f"a {type(params).__name__}{_way_out(params)}"
            raise SpaceError(f"parameters must map names to values, got {given}")
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

    def contains(self, params: Mapping[str, Any]) -> bool:
        """Whether these are valid values of all variables."""
        try:
            self.encode(params)
        except SpaceError:
            return False
        return True

    def decode(self, u: FloatArray) -> Params:
        """The parameters that the objective gets for u: Python scalars, lists where size > 1."""
        values: dict[str, list[Scalar]] = {name: [] for name in self.variables}
        for name, variable, column in self._elements():
            values[name].append(variable.decode(u[column : column + variable.columns]))
        return {
            name: values[name][0] if variable.size == 1 else values[name]
            for name, variable in self.variables.items()
        }

    def plain(self, params: Mapping[str, Any]) -> Params:
        """The parameters as `decode` would give them, with plain Python values, but every FLOAT to
        the last digit: the way into the cube and back would round it."""
        values = self.decode(self.encode(params))
        for name, variable in self.variables.items():
            if isinstance(variable, Float):
                given = [float(x) for x in _as_elements(params[name], variable.size)]
                values[name] = given[0] if variable.size == 1 else given
        return values

    def snap(self, U: FloatArray) -> FloatArray:
        """T: the canonical representative of every row of U [n, D] (or of one u [D]).

        Observations that were made within wider bounds may lie outside of the cube: they stay
        there, integers at the centre of a cell of the same width.
        """
        rows = np.atleast_2d(np.array(U, dtype=np.float64))
        columns, cells = self._integer_columns
        if len(columns):  # all columns at once: this runs at every step of a search
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
        return inside_cube(U)

    @cached_property
    def _integer_columns(self) -> tuple[IntArray, FloatArray]:
        """The columns of integers whose cells are of equal width, and the number of their cells."""
        axes = [axis for axis in self.axes if axis not in self._other_axes]
        columns = np.array([axis.start for axis in axes], dtype=np.int64)
        return columns, np.array([float(axis.cells) for axis in axes])

    @cached_property
    def _other_axes(self) -> tuple[Axis, ...]:
        """The other discrete elements: options, and integers on a log scale."""
        return tuple(axis for axis in self.axes if axis.one_hot or axis.lowest is not None)

    @cached_property
    def _constant_columns(self) -> list[int]:
        return [c for _, v, c in self._elements() if isinstance(v, Float) and v.max == v.min]

    # --- the lattice --------------------------------------------------------------------------

    def lattice(self) -> FloatArray:
        """Every combination of integers and enums [cells, D], the reals at ½."""
        return self._cells_from(0, self.cells)

    def walk(self, *, block: int = 4096) -> Iterator[FloatArray]:
        """The rows of the lattice one by one, for a lattice that is too large for memory."""
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

        An INT moves by ± each stride within its range, an ENUM to every other option. An INT of
        very many values only moves by strides that the model can tell apart.
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
                reach = [j for j in reach if not axis.is_fine or axis.tells_apart(j, k)]
            moved = np.repeat(here, len(reach), axis=0)
            axis.place(moved, np.array(reach, dtype=np.int64))
            rows.append(moved)
        return np.concatenate(rows)


def _way_out(params: Any) -> str:
    """The end of the sentence about parameters that are a list, or of pandas: what to give."""
    if hasattr(params, "to_dict"):
        return "; give .to_dict('records') of it" if params.ndim == 2 else "; give its .to_dict()"
    return "; give one of them" if isinstance(params, list | tuple) else ""


def _as_elements(value: Any, size: int) -> list[Any]:
    """The elements of a variable's value: a scalar, a sequence or an array of `size`."""
    if hasattr(value, "to_numpy"):  # a column or a row of pandas'
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    elements = list(value) if isinstance(value, list | tuple) else [value]
    if len(elements) != size:
        raise SpaceError(f"must have {size} value{'s' * (size > 1)}, got {len(elements)}")
    return elements
