"""Choosers without a model: the scrambled Sobol design, and uniformly random points.

The model-based chooser starts with the design, and falls back to random points where no model can
be fitted.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from spearmint_int.acquisition import sobol_design
from spearmint_int.arrays import point_key
from spearmint_int.chooser.answer import Answer, Provenance, Suggestion
from spearmint_int.chooser.treatment import (
    check_not_exhausted,
    excluded_keys,
    search_space,
    stored_point,
)
from spearmint_int.errors import SpaceExhausted

if TYPE_CHECKING:
    from collections.abc import Callable

    from spearmint_int.arrays import FloatArray
    from spearmint_int.chooser.problem import Problem
    from spearmint_int.space import Space

# Points that are drawn at once. Where all of them are excluded, the lattice itself is walked.
TRIES = 256


def suggest_sequential(problem: Problem, count: int = 1) -> Answer:
    """The next points of the Sobol design: a space-filling run without a model."""
    return one_by_one(design_suggestion, problem, count)


def suggest_random(problem: Problem, count: int = 1) -> Answer:
    """Uniformly random points; without noise, ones that are new."""
    return one_by_one(random_suggestion, problem, count)


def one_by_one(next_of: Callable[[Problem], Suggestion], problem: Problem, count: int) -> Answer:
    """`count` points, each chosen with those before it pending; fewer where the space has fewer,
    SpaceExhausted where it has none."""
    made: list[Suggestion] = []
    for _ in range(count):
        try:
            made.append(next_of(problem))
        except SpaceExhausted:
            if made:
                break
            raise
        problem = problem.after(made[-1].point, problem.chain)
    return Answer(tuple(made), problem.chain)


def design_suggestion(problem: Problem) -> Suggestion:
    """The next point of the scrambled Sobol design that is new."""
    check_not_exhausted(problem)
    taken = problem.evaluated_keys | problem.pending_keys
    excluded = taken if problem.options.rounds else frozenset()
    domain = search_space(problem)
    point = design_point(domain, problem.index, seed=problem.seed, excluded=excluded)
    return suggestion_at(problem, point, Provenance.of(problem, "initial design"))


def random_suggestion(problem: Problem, *, reason: str | None = None, batch: int = 0) -> Suggestion:
    """A random point; `reason` says why it does not come from a model."""
    check_not_exhausted(problem)
    point = random_point(search_space(problem), problem.rng(), excluded=excluded_keys(problem))
    why = Provenance.of(problem, "random", reason=reason, batch=batch)
    return suggestion_at(problem, point, why)


def suggestion_at(problem: Problem, point: FloatArray, why: Provenance) -> Suggestion:
    """The suggestion of a point of the search space, as the treatment of integers stores it."""
    stored = stored_point(problem, point)
    return Suggestion(problem.space.decode(stored), stored, why)


# --- points ---------------------------------------------------------------------------------------


def design_point(space: Space, index: int, *, seed: int, excluded: frozenset[bytes]) -> FloatArray:
    """The index-th point of the design, or the first after it that is not excluded.

    More of the sequence than is needed is drawn, a power of two: its start is the same for every
    index.
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
    """The first row that is not excluded, else the first such point of the lattice, else row 0."""
    # a walk that finds nothing would visit the whole lattice: only where a point must be left
    walk = space.walk() if space.is_discrete and len(excluded) < space.cells else iter(())
    for row in itertools.chain(rows, walk):
        if point_key(row) not in excluded:
            return np.array(row)
    return np.array(rows[0])
