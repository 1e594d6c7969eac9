"""One variable at a time: the model along a line through a point, and on average over the others.

grid      the values of one element of the space: every integer and option, some of the reals
slice     the prediction along the grid, with all other variables as at one point
marginal  its mean over the other variables (partial dependence, Friedman 2001)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spearmint_int.acquisition import sobol_design
from spearmint_int.arrays import FloatArray, in_units
from spearmint_int.chooser import FittedModel, Prediction
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int

REALS = 41  # grid points of a real
MOST_INTEGERS = 60  # grid points of an integer with more values
OTHERS = 128  # points that the marginal's mean is taken over
# The marginal's sd needs joint draws, whose cost grows with the cube of grid times others.
JOINT_GRID, JOINT_OTHERS, DRAWS = 21, 16, 200


@dataclass(frozen=True)
class Grid:
    """The values of one element of the space, and their columns [k, c] in the unit cube.

    `total` is how many values an integer or a choice has, of which a wide integer's grid has only
    some. Powers such as 16, 32, …, 1024 are on a log scale too.
    """

    name: str
    values: tuple[Any, ...]
    columns: tuple[int, ...]
    block: FloatArray
    is_real: bool
    log: bool
    total: int

    @property
    def has_gaps(self) -> bool:
        """Whether there are more values between those of the grid: reals, and wide integers."""
        return self.is_real or len(self.values) < self.total

    def through(self, points: FloatArray) -> FloatArray:
        """Each point [m, D] with each value of the grid in turn [k · m, D], a value at a time."""
        rows = np.tile(np.atleast_2d(points), (len(self.block), 1))
        rows[:, self.columns] = np.repeat(self.block, len(rows) // len(self.block), axis=0)
        return rows

    def thinned(self, most: int) -> Grid:
        """At most so many of the values, the ends included."""
        if len(self.values) <= most:
            return self
        kept = np.unique(np.linspace(0, len(self.values) - 1, most).round().astype(int))
        return replace(self, values=tuple(self.values[i] for i in kept), block=self.block[kept])


def grids(space: Space, *, reals: int = REALS) -> list[Grid]:
    """A grid for each element that can vary."""
    parts = zip(space.group_names, space.group_variables, space.groups, strict=True)
    return [_grid(name, variable, columns, reals) for name, variable, columns in parts]


def _grid(name: str, variable: Float | Int | Enum, columns: tuple[int, ...], reals: int) -> Grid:
    if isinstance(variable, Float):
        block = np.linspace(0.0, 1.0, reals)[:, np.newaxis]
    elif isinstance(variable, Int):
        block = np.array([variable.encode(value) for value in _integers(variable)])
    else:
        block = np.eye(variable.cells)
    values = tuple(variable.decode(u) for u in block)
    total = len(values) if isinstance(variable, Float) else variable.cells
    return Grid(name, values, columns, block, isinstance(variable, Float), _is_log(variable), total)


def _integers(variable: Int) -> list[int]:
    """The integers, or some of many: evenly spaced on their scale, the ends included."""
    if variable.cells <= MOST_INTEGERS:
        return [variable.value(k) for k in range(variable.cells)]
    places = np.linspace(0.0, 1.0, MOST_INTEGERS)[:, np.newaxis]
    return sorted({variable.decode(u) for u in places})


def _is_log(variable: Float | Int | Enum) -> bool:
    if isinstance(variable, Enum):
        return False
    return variable.log or (isinstance(variable, Int) and variable.base is not None)


def slice_through(model: FittedModel, grid: Grid, point: FloatArray) -> Prediction:
    """The model along the grid, with the other variables as at the point [D]."""
    return model.predict(grid.through(point))


def marginal(model: FittedModel, grid: Grid) -> Prediction:
    """The mean over the other variables at each value of the grid, and how sure the model is.

    The sd is that of the mean: from joint draws, since neighbouring points err together.
    """
    space = model.problem.space
    others = space.snap(sobol_design(OTHERS, space.dimensions, seed=0))
    means, unit = in_units(model.predict(grid.through(others)).mean)
    mean = np.ldexp(means.reshape(len(grid.values), -1).mean(axis=1), unit)
    coarse = grid.thinned(JOINT_GRID)
    rows = coarse.through(others[:JOINT_OTHERS])
    draws, unit = in_units(model.draw(rows, np.random.default_rng(0), DRAWS))
    sd = np.ldexp(draws.reshape(DRAWS, len(coarse.values), -1).mean(axis=2).std(axis=0), unit)
    return Prediction(mean, _between(sd, len(grid.values)))


def _between(coarse: FloatArray, count: int) -> FloatArray:
    """Values at `count` places from those at fewer, both evenly spaced."""
    return np.interp(np.linspace(0, 1, count), np.linspace(0, 1, len(coarse)), coarse)
