"""Joint draws of the function, and where each has its minimum: what is known of the optimum.

A lattice that is small enough is drawn whole, and what follows is exact but for the number of
draws. Elsewhere the draws are taken at the points that may be the minimum: those at which earlier
draws had theirs, and others around them, closer in each round. Points that were only screened once,
by μ − κσ, would leave the neighbourhood of the best out, and it would seem certain. Everything is
minimised here, as the chooser does.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from spearmint_int.acquisition import sobol_design
from spearmint_int.analysis.slices import grids
from spearmint_int.arrays import FloatArray, IntArray, in_units, point_key
from spearmint_int.chooser import FittedModel
from spearmint_int.space import Space
from spearmint_int.variables import Float, Params

DRAWS = 1000
# A joint draw costs the cube of its points: a lattice up to this size is drawn whole.
MOST_CELLS = 1200
SCREENED, PROMISING = 8192, 500  # candidates of a larger space, and how many of them are drawn
KAPPA = 2.0
NONE_KNOWN = "no place is known where every constraint holds"  # the model then has no best
MAY_HOLD = 0.05  # the least probability of a constraint at a point that is drawn
# Rounds of draws, each with a new point for every draw around its minimum: at these fractions of
# the range, as minima lie between points.
SPREADS, DRAWS_A_ROUND = (0.1, 0.03, 0.01), 200
MOST_VALUES = 60  # an integer with more values is listed by those that may be best


@dataclass(frozen=True)
class OptimumDraws:
    """Draws [count, m] of the function at points [m, D]; `chosen` is the one to recommend."""

    space: Space
    points: FloatArray
    values: FloatArray
    chosen: int
    is_exact: bool

    @property
    def minima(self) -> IntArray:
        """The rows of the points at which each draw is least [count]."""
        return np.asarray(np.argmin(self.values, axis=1), dtype=np.int64)

    @property
    def regret(self) -> FloatArray:
        """How much worse the chosen point is than the best one, in each draw [count]."""
        return np.asarray(self.values[:, self.chosen] - np.min(self.values, axis=1))


def optimum_draws(
    model: FittedModel, rng: np.random.Generator, *, count: int = DRAWS
) -> OptimumDraws:
    """Joint draws wherever the minimum may be: not where an evaluation is likely to fail, or to
    violate a constraint."""
    space = model.problem.space
    whole = space.is_discrete and space.cells <= MOST_CELLS
    points = _feasible(model, space.lattice() if whole else _promising(model, rng))
    chosen, values = _chosen(model, points), _drawn(model, points, rng, count)
    if model.constraints:  # what is recommended is taken for granted
        values[:, chosen] = model.draw(points[[chosen]], rng, count)[:, 0]
    return OptimumDraws(space, points, values, chosen, whole)


def _promising(model: FittedModel, rng: np.random.Generator) -> FloatArray:
    space = model.problem.space
    spread = space.snap(sobol_design(SCREENED, space.dimensions, seed=int(rng.integers(2**31))))
    problem = model.problem
    worked = problem.reachable & np.isfinite(problem.values)
    evaluated = space.snap(problem.observations.points[worked])
    if model.constraints:
        evaluated = _feasible(model, evaluated)
    known = evaluated if len(evaluated) else spread
    best = known[[np.argmin(model.predict(known).mean)]]
    spread = _feasible(model, spread)
    lowest = _lowest(model, _unique(np.concatenate([evaluated, spread])), PROMISING // 2)
    points = _unique(np.concatenate([lowest, spread[: PROMISING // 2]]))
    for width in SPREADS:
        minima = points[np.argmin(_drawn(model, points, rng, DRAWS_A_ROUND), axis=1)]
        near = _moved(space, minima, width, rng)
        points = _unique(np.concatenate([best, minima, near, points]))[:PROMISING]
    return points


def _feasible(model: FittedModel, points: FloatArray) -> FloatArray:
    """The points at which an evaluation is likelier to work than to fail, and each constraint may
    hold; all points where there is no such one."""
    feasible = model.is_feasible(points, constraints_from=MAY_HOLD)
    return points[feasible] if np.any(feasible) else points


def _drawn(
    model: FittedModel, points: FloatArray, rng: np.random.Generator, count: int
) -> FloatArray:
    """Joint draws of the objective; infinite where a draw of a constraint does not hold."""
    values = model.draw(points, rng, count)
    if not model.constraints:
        return values
    return np.where(model.draw_feasible(points, rng, count), values, np.inf)


def _lowest(model: FittedModel, points: FloatArray, count: int) -> FloatArray:
    expected = model.predict(points)
    return points[np.argsort(expected.mean - KAPPA * expected.sd, kind="stable")[:count]]


def _moved(space: Space, points: FloatArray, width: float, rng: np.random.Generator) -> FloatArray:
    """A point beside each, moved in the reals and the integers."""
    rows = np.array(points)
    integers = [axis.start for axis in space.axes if not axis.one_hot]
    columns = [*space.real_columns.tolist(), *integers]
    rows[:, columns] += width * rng.standard_normal((len(rows), len(columns)))
    return space.snap(np.clip(rows, 0.0, 1.0))


def _unique(points: FloatArray) -> FloatArray:
    return np.array(list({point_key(row): row for row in points}.values()))


def _chosen(model: FittedModel, points: FloatArray) -> int:
    """The row of the least mean; without noise only evaluated points are considered, if any."""
    mean = model.predict(points).mean
    known = np.array([point_key(row) in model.problem.evaluated_keys for row in points])
    if model.problem.options.noiseless and np.any(known):
        mean = np.where(known, mean, np.inf)
    return int(np.argmin(mean))


# --- which value is best --------------------------------------------------------------------------


def probability_of_best(draws: OptimumDraws, group: int) -> dict[Any, float]:
    """The probability of each value of an integer, or each option, that the minimum has it."""
    variable, columns = draws.space.group_variables[group], list(draws.space.groups[group])
    if isinstance(variable, Float):
        raise TypeError("a real has no probability for each value")
    counts = Counter(variable.decode(draws.points[row][columns]) for row in draws.minima)
    listed = grids(draws.space)[group].values if variable.cells <= MOST_VALUES else sorted(counts)
    return {value: counts[value] / len(draws.values) for value in listed}


def best_cells(draws: OptimumDraws) -> list[tuple[Params, float]]:
    """The cells that may be the best with their probabilities, likeliest first. Only for a lattice
    that was drawn whole: in a larger space the probability of a single cell is too small."""
    if not draws.is_exact:
        return []
    rows, counts = np.unique(draws.minima, return_counts=True)
    likeliest = np.argsort(-counts, kind="stable")
    return [
        (draws.space.decode(draws.points[rows[i]]), float(counts[i] / len(draws.values)))
        for i in likeliest
    ]


def discrete_groups(space: Space) -> list[int]:
    """The elements that have a probability for each value."""
    return [i for i, v in enumerate(space.group_variables) if not isinstance(v, Float)]


# --- when to stop ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate:
    """How much better than the recommended point another may be, by the model's belief."""

    expected_regret: float
    bound: float  # the regret is below it with the probability `confidence`
    confidence: float
    is_exact: bool

    def __str__(self) -> str:
        sure = f"{100.0 * self.confidence:.4g} % sure"
        return f"{sure} that no point is better than the best by more than {self.bound:.3g}"


def certificate(draws: OptimumDraws, *, confidence: float = 0.95) -> Certificate:
    """The certificate that the draws give."""
    regret = draws.regret
    bound = float(np.quantile(regret, confidence, method="higher"))
    scaled, unit = in_units(regret)
    mean = math.ldexp(float(np.mean(scaled)), unit)
    return Certificate(mean, bound, confidence, draws.is_exact)
