"""Points that need no model: the scrambled Sobol design on the lattice, and random points."""

from __future__ import annotations

import itertools

import numpy as np

from spearmint_int.acquisition import sobol_design
from spearmint_int.arrays import FloatArray, point_key
from spearmint_int.chooser.problem import Problem
from spearmint_int.errors import SpaceExhausted
from spearmint_int.space import Space
from spearmint_int.variables import Float

# Points tried beyond the first before the lattice itself is walked through.
TRIES = 256


def design_point(space: Space, index: int, *, seed: int, excluded: frozenset[bytes]) -> FloatArray:
    """The index-th point of the design, or the first after it that is not excluded.

    A sequence of twice the power of two is drawn, so that its start is the same for every index.
    """
    count = 1 << max(4, (index + TRIES).bit_length())
    sequence = sobol_design(count, space.dimensions, seed=seed)
    rows = space.snap(sequence[index : index + TRIES])
    return _first_free(rows, space, excluded)


def random_point(
    space: Space, rng: np.random.Generator, *, excluded: frozenset[bytes]
) -> FloatArray:
    """A uniformly random point that is not excluded, where there is one."""
    rows = space.snap(rng.random((TRIES, space.dimensions)))
    return _first_free(rows, space, excluded)


def _first_free(rows: FloatArray, space: Space, excluded: frozenset[bytes]) -> FloatArray:
    # nearly used up: walk the lattice, of which fewer points are taken than there are
    walk = space.walk() if space.is_discrete and len(excluded) < space.cells else iter(())
    for row in itertools.chain(rows, walk):
        if point_key(row) not in excluded:
            return np.array(row)
    return np.array(rows[0])


# --- what a treatment of the integers means for the points ----------------------------------------


def search_space(problem: Problem) -> Space:
    """Where points are looked for: the basic and naive treatments search the reals, and round."""
    if problem.options.rounds:
        return problem.space
    return Space({str(column): Float(0.0, 1.0) for column in range(problem.space.dimensions)})


def stored_point(problem: Problem, point: FloatArray) -> FloatArray:
    """The point as it is stored: only the basic treatment keeps it unrounded."""
    return point if problem.options.treatment == "basic" else problem.space.snap(point)


def excluded_keys(problem: Problem) -> frozenset[bytes]:
    """Points that must not be launched: without noise all that were, with it all that are under
    way, while there are others."""
    if not problem.options.rounds:
        return frozenset()
    if problem.options.noiseless:
        return problem.evaluated_keys | problem.pending_keys
    pending = problem.pending_keys
    used_up = problem.space.is_discrete and len(pending) >= problem.space.cells
    return frozenset() if used_up else pending


def check_not_exhausted(problem: Problem) -> None:
    """SpaceExhausted where every point of a noiseless lattice is evaluated or under way."""
    space, options = problem.space, problem.options
    if not (options.noiseless and options.rounds and space.is_discrete):
        return
    if len(problem.evaluated_keys | problem.pending_keys) >= space.cells:
        raise SpaceExhausted(
            f"all {space.cells} points of the space are evaluated or pending: "
            "there is nothing left to suggest"
        )
