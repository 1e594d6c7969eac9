"""Where the next point is and why: the acquisition along each variable, through that point.

The surface is the one that the chooser climbs: made from the same random numbers, with fantasies at
the points that are under way. A problem as it was before a job gives the choice of that job.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spearmint_int.acquisition import Surface
from spearmint_int.analysis.slices import Grid, grids
from spearmint_int.arrays import FloatArray
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser import FEASIBILITY, Problem, searched, suggest
from spearmint_int.errors import SpaceExhausted

IMPROVEMENTS = ("ei", "nei")  # surfaces of a logarithm, in the unit of the results
LOGARITHMIC = (*IMPROVEMENTS, "pi", FEASIBILITY)
DRAWN = ("thompson",)  # surfaces that exist only at the points at which they were drawn


@dataclass(frozen=True)
class Choice:
    """The chosen point [D], what it is worth, and what the values of each grid would be."""

    acquisition: str
    point: FloatArray
    value: float
    grids: tuple[Grid, ...]
    slices: tuple[FloatArray, ...]


def next_choice(problem: Problem) -> Choice | None:
    """The next point; None where no model chooses: too few results, or no point left that would
    teach anything."""
    try:
        chosen = suggest(problem).suggestions[0]
    except SpaceExhausted:
        return None
    acquired = chosen.provenance.acquired
    if acquired is None or acquired.acquisition in DRAWN:
        return None
    with one_blas_thread():
        model, surface = searched(problem, acquired.acquisition)
        values = _InUnits(surface, acquired.acquisition, model.scale.unit)
        along = grids(problem.space)
        point = problem.space.snap(chosen.point)
        slices = [values.at(grid.through(point)) for grid in along]
        value = float(values.at(point[np.newaxis, :])[0])
    return Choice(acquired.acquisition, point, value, tuple(along), tuple(slices))


@dataclass(frozen=True)
class _InUnits:
    """A surface in units for people: EI in the objective's unit, a probability as it is."""

    surface: Surface
    acquisition: str
    unit: float

    def at(self, points: FloatArray) -> FloatArray:
        values = self.surface.value(points)
        if self.acquisition in LOGARITHMIC:
            values = np.exp(values)
        return np.asarray(values * (self.unit if self.acquisition in IMPROVEMENTS else 1.0))
