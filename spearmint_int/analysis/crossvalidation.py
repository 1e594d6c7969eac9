"""Predicted against observed: each result as the model would have expected it without it.

Up to `FOLDS` results are left out one at a time; more are split into as many parts, which are left
out in turn. Many are split into fewer parts: a fit takes seconds there, and a fifth of the results
is hardly missed. The hyperparameters are sampled anew each time, so that nothing of a result is in
its expectation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from spearmint_int.arrays import FloatArray, IntArray, in_units
from spearmint_int.chooser import Observations, Problem, fit

FOLDS, FEWEST_FOLDS = 20, 5
AFFORDABLE = 2000  # results times folds
DRAWS = 400
LEAST_RESULTS = 5  # from fewer nothing can be learnt


@dataclass(frozen=True)
class CrossValidation:
    """Every finite result [n], what was expected of it, and its rank in the draws [0, 1]."""

    observed: FloatArray
    mean: FloatArray
    sd: FloatArray
    rank: FloatArray

    @property
    def z(self) -> FloatArray:
        """Errors in units of the expected sd."""
        return (self.observed - self.mean) / np.maximum(self.sd, np.finfo(float).tiny)

    def coverage(self, level: float) -> float:
        """The share of results inside of the central interval that should hold `level` of them."""
        inside = np.abs(self.rank - 0.5) <= 0.5 * level
        return float(np.mean(inside))


def cross_validated(problem: Problem, *, folds: int | None = None) -> CrossValidation | None:
    """None while there are too few finite results."""
    finite = np.flatnonzero(np.isfinite(problem.values))
    if len(finite) < LEAST_RESULTS:
        return None
    rng = np.random.default_rng(problem.seed)
    parts = np.array_split(rng.permutation(finite), folds or folds_of(len(finite)))
    rows = np.concatenate(parts)
    moments = np.concatenate([_left_out(problem, part, rng) for part in parts], axis=1)
    order = np.argsort(rows)
    mean, sd, rank = moments[:, order]
    return CrossValidation(problem.values[rows[order]], mean, sd, rank)


def folds_of(results: int) -> int:
    """The number of parts that so many results are split into."""
    return min(FOLDS, results, max(AFFORDABLE // results, FEWEST_FOLDS))


def _left_out(problem: Problem, part: IntArray, rng: np.random.Generator) -> FloatArray:
    """Mean, sd and rank [3, m] of the results that are left out."""
    kept = np.setdiff1d(np.arange(len(problem.observations)), part)
    rest = replace(problem, observations=taken(problem.observations, kept))
    draws = fit(rest.without_pending(), rng).draw(
        problem.observations.points[part], rng, DRAWS, noisy=True
    )
    rank = np.mean(draws < problem.values[part], axis=0)
    scaled, unit = in_units(draws)
    mean, sd = (np.ldexp(part, unit) for part in (scaled.mean(axis=0), scaled.std(axis=0)))
    return np.array([mean, sd, rank])


def taken(observations: Observations, rows: IntArray) -> Observations:
    """Some of the observations, in the order of `rows`."""
    return Observations(
        observations.points[rows],
        {task: values[rows] for task, values in observations.values.items()},
        observations.seconds[rows],
        observations.worked[rows],
        observations.void,
    )
