"""Sobol's indices of the posterior mean, for each hyperparameter sample: which variables matter.

    S_i   the share of the variance that variable i explains alone
    T_i   the share that it has a part in, with interactions (total)
Estimators: for T that of Jansen (1999); for S that of Janon et al. (2014), the correlation of two
runs that share variable i, less what the two have in common by chance. Inputs are uniform: a real
on its declared scale, integers and options with equal weight for each value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from spearmint_int.acquisition import sobol_design
from spearmint_int.arrays import FloatArray, in_units
from spearmint_int.chooser import FittedModel
from spearmint_int.space import Space

# With half as many, the halves of the Sobol sequence that the two runs get depend on each other.
BASE_POINTS = 1024
# A prediction costs n²: with many results fewer of the hyperparameter samples are used.
MOST_WORK, LEAST_SAMPLES = 1e10, 3


@dataclass(frozen=True)
class Importance:
    """First-order and total indices [S, groups], a row for each hyperparameter sample."""

    names: tuple[str, ...]
    first: FloatArray
    total: FloatArray


def sobol_indices(
    function: Callable[[FloatArray], FloatArray], space: Space, *, base: int = BASE_POINTS
) -> tuple[FloatArray, FloatArray]:
    """First-order and total indices [groups] of a function of points [m, D]."""
    D = space.dimensions
    both = sobol_design(base, 2 * D, seed=0)
    A, B = space.snap(both[:, :D]), space.snap(both[:, D:])
    blocks = [A, B, *(_mixed(A, B, columns) for columns in space.groups)]
    found, _ = in_units(function(np.concatenate(blocks)))  # shares are the same in any unit
    values = found.reshape(len(blocks), base)
    a, b, mixed = values[0], values[1], values[2:]
    variance = float(np.var(values[:2]))
    if variance <= 0.0:
        return np.zeros(len(mixed)), np.zeros(len(mixed))
    total = np.minimum(0.5 * np.mean((a - mixed) ** 2, axis=1) / variance, 1.0)
    return _first(a, b, mixed, total), total


def _first(a: FloatArray, b: FloatArray, mixed: FloatArray, total: FloatArray) -> FloatArray:
    """S [groups], never below 0 or above T [groups], which no true index is.

    `a` and `b` share nothing: their correlation is chance, of which the run `mixed` has the part
    1 − T that it has of `a`. Less this control variate a variable without effect has S = 0. Where
    S would be above T for what chance is left, T is believed: it errs less when it is small.
    """
    chance = _correlation(b, a)
    raw = np.array([_correlation(b, row) for row in mixed]) - (1.0 - total) * chance
    return np.clip(raw, 0.0, total)


def _correlation(b: FloatArray, mixed: FloatArray) -> float:
    """The correlation of two runs that share one variable, with one mean and variance for both."""
    mean = 0.5 * (np.mean(b) + np.mean(mixed))
    variance = 0.5 * np.mean((b - mean) ** 2 + (mixed - mean) ** 2)
    return float(np.mean((b - mean) * (mixed - mean)) / variance) if variance > 0 else 0.0


def _mixed(A: FloatArray, B: FloatArray, columns: tuple[int, ...]) -> FloatArray:
    """A with one element's columns from B."""
    rows = A.copy()
    rows[:, columns] = B[:, columns]
    return rows


def importance_of(model: FittedModel) -> Importance:
    """The indices of the posterior mean under each hyperparameter sample."""
    space = model.problem.space
    rows = [sobol_indices(_mean_of(one), space) for one in one_by_one(model)[: _affordable(model)]]
    return Importance(
        space.group_names, np.array([first for first, _ in rows]), np.array([t for _, t in rows])
    )


def _mean_of(model: FittedModel) -> Callable[[FloatArray], FloatArray]:
    return lambda points: model.predict(points).mean


def one_by_one(model: FittedModel) -> list[FittedModel]:
    """The model under each of its hyperparameter samples alone."""
    draws = model.draws
    return [replace(model, draws=replace(draws, posteriors=(p,))) for p in draws.posteriors]


def _affordable(model: FittedModel) -> int:
    """How many of the hyperparameter samples there is time for."""
    each = len(model.data.y) ** 2 * (len(model.problem.space.groups) + 2) * BASE_POINTS
    return max(int(MOST_WORK / max(each, 1)), LEAST_SAMPLES)
