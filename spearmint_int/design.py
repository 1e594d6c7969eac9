"""Points that need no model: the scrambled Sobol design on the lattice, and random points."""

from __future__ import annotations

import itertools

import numpy as np

from spearmint_int.acquisition import point_key, sobol_design
from spearmint_int.space import FloatArray, Space

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
