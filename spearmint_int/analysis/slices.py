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
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import FittedModel, Prediction
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int

REALS = 41  # grid points of a real
MOST_INTEGERS = 60  # an integer with more values is looked at in so many of them
OTHERS = 128  # points that the marginal's mean is taken over
# The marginal's sd needs joint draws, whose cost grows with the cube of grid times others.
JOINT_GRID, JOINT_OTHERS, DRAWS = 21, 16, 200


@dataclass(frozen=True)
class Grid:
    """The values of one element of the space, and their columns [k, c] in the unit cube."""

    name: str
    values: tuple[Any, ...]
    columns: tuple[int, ...]
    block: FloatArray
    is_real: bool
    log: bool
    is_whole: bool  # has every value that there is

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
        values = tuple(self.values[i] for i in kept)
        return replace(self, values=values, block=self.block[kept], is_whole=False)


def grids(space: Space, *, reals: int = REALS) -> list[Grid]:
    """A grid for each element that can vary."""
    parts = zip(space.group_names, space.group_variables, space.groups, strict=True)
    return [_grid(name, variable, columns, reals) for name, variable, columns in parts]


def _grid(name: str, variable: Float | Int | Enum, columns: tuple[int, ...], reals: int) -> Grid:
    if isinstance(variable, Float):
        block = np.linspace(0.0, 1.0, reals)[:, np.newaxis]
    elif isinstance(variable, Int):
        cells = np.linspace(0, variable.cells - 1, min(variable.cells, MOST_INTEGERS)).round()
        block = ((cells + 0.5) / variable.cells)[:, np.newaxis]
    else:
        block = np.eye(variable.cells)
    values = tuple(variable.decode(u) for u in block)
    log = bool(getattr(variable, "log", False))
    is_whole = not isinstance(variable, Float) and len(block) == variable.cells
    return Grid(name, values, columns, block, isinstance(variable, Float), log, is_whole)


def slice_through(model: FittedModel, grid: Grid, point: FloatArray) -> Prediction:
    """The model along the grid, with the other variables as at the point [D]."""
    return model.predict(grid.through(point))


def marginal(model: FittedModel, grid: Grid) -> Prediction:
    """The mean over the other variables at each value of the grid, and how sure the model is.

    The sd is that of the mean: from joint draws, since neighbouring points err together.
    """
    space = model.problem.space
    others = space.snap(sobol_design(OTHERS, space.dimensions, seed=0))
    mean = model.predict(grid.through(others)).mean.reshape(len(grid.values), -1).mean(axis=1)
    coarse = grid.thinned(JOINT_GRID)
    rows = coarse.through(others[:JOINT_OTHERS])
    draws = model.draw(rows, np.random.default_rng(0), DRAWS)
    sd = draws.reshape(DRAWS, len(coarse.values), -1).mean(axis=2).std(axis=0)
    return Prediction(mean, _between(sd, len(grid.values)))


def _between(coarse: FloatArray, count: int) -> FloatArray:
    """Values at `count` places from those at fewer, both evenly spaced."""
    return np.interp(np.linspace(0, 1, count), np.linspace(0, 1, len(coarse)), coarse)
