"""What a treatment of the integers means for a problem's points: where the search looks, what the
model sees, what is stored, and which points may not be suggested again.

    treatment   searched           the model sees    stored
    proposed    the mixed space    T(u)              T(u)
    basic       the reals          u                 u; the objective gets it rounded
    naive       the reals          u                 T(u)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spearmint_int.errors import SpaceExhausted
from spearmint_int.kernels import rounding, unrounded
from spearmint_int.space import Space
from spearmint_int.variables import Float

if TYPE_CHECKING:
    from spearmint_int.arrays import FloatArray
    from spearmint_int.chooser.problem import Problem
    from spearmint_int.kernels import InputTransform


def search_space(problem: Problem) -> Space:
    """The space to look for points in: the basic and naive treatments search the reals."""
    if problem.options.rounds:
        return problem.space
    return Space({str(column): Float(0.0, 1.0) for column in range(problem.space.dimensions)})


def input_transform(problem: Problem) -> InputTransform:
    """T, or the identity for the basic and naive treatments, which take integers for reals."""
    return rounding(problem.space) if problem.options.rounds else unrounded


def stored_point(problem: Problem, point: FloatArray) -> FloatArray:
    """The point as it is stored: only the basic treatment keeps it unrounded."""
    return point if problem.options.treatment == "basic" else problem.space.snap(point)


def excluded_keys(problem: Problem) -> frozenset[bytes]:
    """The keys of points that must not be suggested: without noise every point that is evaluated or
    pending, with noise the pending ones, unless no others are left."""
    if not problem.options.rounds:
        return frozenset()
    if problem.options.noiseless:
        return problem.evaluated_keys | problem.pending_keys
    pending = problem.pending_keys
    used_up = problem.space.is_discrete and len(pending) >= problem.space.cells
    return frozenset() if used_up else pending


def check_not_exhausted(problem: Problem) -> None:
    """SpaceExhausted where every point of a noiseless lattice is evaluated or pending."""
    space, options = problem.space, problem.options
    if not (options.noiseless and options.rounds and space.is_discrete):
        return
    if len(problem.evaluated_keys | problem.pending_keys) >= space.cells:
        raise SpaceExhausted(
            f"all {space.cells} points of the space are evaluated or pending: "
            "there is nothing left to suggest"
        )
