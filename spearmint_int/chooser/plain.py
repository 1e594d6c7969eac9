"""Choosers without a model: random points, and the space-filling design."""

from __future__ import annotations

from collections.abc import Callable

from spearmint_int.arrays import FloatArray
from spearmint_int.chooser.answer import Acquired, Answer, Provenance, Suggestion
from spearmint_int.chooser.design import (
    check_not_exhausted,
    design_point,
    excluded_keys,
    random_point,
    search_space,
    stored_point,
)
from spearmint_int.chooser.problem import Problem
from spearmint_int.errors import SpaceExhausted


def suggest_random(problem: Problem, count: int = 1) -> Answer:
    """Uniformly random points; without noise, ones that are new."""
    return one_by_one(random_suggestion, problem, count)


def suggest_sequential(problem: Problem, count: int = 1) -> Answer:
    """The next points of the Sobol design: a space-filling run without a model."""
    return one_by_one(design_suggestion, problem, count)


def one_by_one(next_of: Callable[[Problem], Suggestion], problem: Problem, count: int) -> Answer:
    """`count` points, each with those before it pending; the last of a space are not lost."""
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


def random_suggestion(problem: Problem, *, reason: str | None = None, batch: int = 0) -> Suggestion:
    """A random point, with the reason where a model should have had one."""
    check_not_exhausted(problem)
    point = random_point(search_space(problem), problem.rng(), excluded=excluded_keys(problem))
    why = provenance(problem, "random", reason=reason, batch=batch)
    return with_provenance(problem, point, why)


def design_suggestion(problem: Problem) -> Suggestion:
    """The next point of the scrambled Sobol design that is new."""
    check_not_exhausted(problem)
    taken = problem.evaluated_keys | problem.pending_keys
    excluded = taken if problem.options.rounds else frozenset()
    domain = search_space(problem)
    point = design_point(domain, problem.index, seed=problem.seed, excluded=excluded)
    return with_provenance(problem, point, provenance(problem, "initial design"))


def with_provenance(problem: Problem, point: FloatArray, why: Provenance) -> Suggestion:
    stored = stored_point(problem, point)
    return Suggestion(problem.space.decode(stored), stored, why)


def provenance(
    problem: Problem,
    source: str,
    *,
    batch: int = 0,
    reason: str | None = None,
    acquired: Acquired | None = None,
) -> Provenance:
    """What was known when a point was chosen."""
    return Provenance(
        source=source,
        treatment=problem.options.treatment,
        observations=len(problem.observations),
        unique_rows=len(problem.evaluated_keys),
        pending=len(problem.pending),
        failed=len(problem.values) - problem.finite,
        fingerprint=problem.fingerprint,
        batch=batch,
        reason=reason,
        start=problem.chain,
        acquired=acquired,
    )
