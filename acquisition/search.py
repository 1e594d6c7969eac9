"""Maximise a surface over a mixed space: candidates, then a climb from the best of them.

- A lattice that is small enough is enumerated, and the answer is exact.
- Otherwise the candidates are Sobol points (with every integer combination in turn, while there are
  few), visited points, and a spray around the best of them and its neighbours on the lattice.
- From the best candidates reals climb by L-BFGS-B, all starts in one evaluation, and integers by
  moves to neighbours, with strides. An integer of very many values climbs with the reals.
- A lattice that is too large to enumerate is first climbed without T and rounded, since moves to
  neighbours alone take a step at a time.

The result is never worse than the best candidate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from spearmint_int.acquisition.sobol import shifted_sobol
from spearmint_int.acquisition.surface import (
    SupportsBound,
    SupportsGradient,
    SupportsRelaxation,
    Surface,
)
from spearmint_int.arrays import FloatArray, IntArray, point_key
from spearmint_int.space import Space

ENUMERATED = 4096  # a lattice up to this size (or the number of candidates) is enumerated
POINTS_PER_CELL = 16  # Sobol points for each combination of integers, else they are not stratified
ANCHORS = 20  # visited points that are candidates again; the spray is around the first
CLOSER = (1.0, 0.1, 0.01, 0.001)  # widths of a spray around an optimum at an edge, as shares
SCREENED = 64  # candidates that are evaluated together, the most promising block first
SAME_PLACE = 0.05  # starts in one cell that are closer than this climb the same hill
ROUNDS = 3  # of climbing and neighbour moves in a mixed space
LATTICE_ROUNDS = 60  # of neighbour moves in a lattice that is too large to enumerate


@dataclass(frozen=True)
class _Climb:
    """How far L-BFGS-B goes: its iterations, and the length of its first step, which it takes
    before it knows any curvature. By default that step would cross the whole cube."""

    iterations: int
    first_step: float


ALL_STARTS = _Climb(5, 0.1)  # then the best climbs on alone, which is as high and cheaper
WITHOUT_T = _Climb(15, 0.1)
WINNERS_STEP = 0.02


@dataclass(frozen=True)
class SearchOptions:
    """How much work a search may do."""

    candidates: int = 1000
    seed: int = 0
    spray: int = 10
    spray_std: float = 1e-3
    spray_scales: tuple[float, ...] = (1.0,)
    starts: int = 5
    last_climb: int = 12

    @property
    def closer(self) -> SearchOptions:
        """For an optimum at the edge of the feasible region: what is left to gain there gets
        narrower with each step towards it, until a spray of one width misses it."""
        return replace(self, spray_scales=CLOSER)

    @property
    def lighter(self) -> SearchOptions:
        """For the later points of a batch: their surface has changed at one point only, and depends
        on made-up results, so that precision is of little use."""
        fewer = min(self.candidates, max(100, self.candidates // 10))
        return replace(self, candidates=fewer, starts=1, last_climb=0)


@dataclass(frozen=True)
class Found:
    """The winner, where it came from, and the best point elsewhere."""

    point: FloatArray
    value: float
    source: str
    runner_up: FloatArray | None
    runner_up_value: float


@dataclass(frozen=True)
class _Pool:
    """Canonical points with their values, and how each was found."""

    rows: FloatArray
    values: FloatArray
    sources: NDArray[np.object_]

    def take(self, index: IntArray) -> _Pool:
        return _Pool(self.rows[index], self.values[index], self.sources[index])

    def __add__(self, other: _Pool) -> _Pool:
        return _Pool(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.sources, other.sources]),
        )


def maximize(
    surface: Surface,
    space: Space,
    options: SearchOptions,
    *,
    rng: np.random.Generator,
    anchors: FloatArray,
    excluded: frozenset[bytes] = frozenset(),
) -> Found | None:
    """The best point that is not excluded; `anchors` [k, D] are visited points, best first.

    None where every candidate is excluded or without a value.
    """
    rows, sources = _candidates(space, options, rng, anchors)
    pool = _Pool(rows, _screened(surface, rows, excluded), sources)
    order = np.argsort(-pool.values, kind="stable")
    best = pool.take(order[: 4 * options.starts])
    if not np.isfinite(best.values[0]):
        return None
    if not _is_enumerated(space, options) and isinstance(surface, SupportsGradient):
        starts = _distinct(space, best, options.starts)
        best = best + _climb_all(surface, space, starts, excluded, options.last_climb)
    return _found(space, best)


# --- candidates -----------------------------------------------------------------------------------


def _candidates(
    space: Space, options: SearchOptions, rng: np.random.Generator, anchors: FloatArray
) -> tuple[FloatArray, NDArray[np.object_]]:
    if _is_enumerated(space, options):
        return space.lattice(), np.full(space.cells, "lattice", dtype=np.object_)
    near = anchors[:ANCHORS]
    parts = {"sobol": _sobol(space, options, rng), "visited": near}
    if len(near):
        parts["spray"] = _spray(space, near[0], options, rng)
        parts["neighbour"] = space.neighbours(near[0])
    rows = space.snap(np.concatenate(list(parts.values())))
    names = np.array(list(parts), dtype=np.object_)
    return rows, np.repeat(names, [len(part) for part in parts.values()])


def _is_enumerated(space: Space, options: SearchOptions) -> bool:
    """Whether the candidates are the whole lattice."""
    return space.is_discrete and space.cells <= max(ENUMERATED, options.candidates)


def _sobol(space: Space, options: SearchOptions, rng: np.random.Generator) -> FloatArray:
    rows = shifted_sobol(options.candidates, space.dimensions, seed=options.seed, rng=rng)
    if 1 < space.cells <= options.candidates // POINTS_PER_CELL:
        # a run of the sequence for each cell: every 2^k-th point lies in one 2^k-th of an axis
        cells = np.arange(len(rows)) * space.cells // len(rows)
        fixed = np.setdiff1d(np.arange(space.dimensions), space.smooth_columns)
        rows[:, fixed] = space.lattice()[cells][:, fixed]
    return rows


def _spray(
    space: Space, centre: FloatArray, options: SearchOptions, rng: np.random.Generator
) -> FloatArray:
    widths = options.spray_std * np.repeat(options.spray_scales, options.spray)
    rows = np.repeat(centre[np.newaxis, :], len(widths), axis=0)
    steps = widths[:, np.newaxis] * rng.standard_normal((len(rows), len(space.smooth_columns)))
    rows[:, space.smooth_columns] = np.clip(rows[:, space.smooth_columns] + steps, 0.0, 1.0)
    return rows


def _screened(surface: Surface, rows: FloatArray, excluded: frozenset[bytes]) -> FloatArray:
    """Values of all rows that may be the best; −∞ for those that their upper bound rules out.

    Blocks are evaluated by falling bound, until the bounds are below the best value so far: the
    other rows can't win, and are spared the products with the factors of all samples.
    """
    if not isinstance(surface, SupportsBound) or len(rows) <= SCREENED:
        return _scored(surface, rows, excluded)
    promised = _without(surface.upper_bound(rows), rows, excluded)
    order = np.argsort(-promised, kind="stable")
    values = np.full(len(rows), -np.inf)
    for first in range(0, len(rows), SCREENED):
        block = order[first : first + SCREENED]
        block = block[promised[block] > np.max(values)]
        if len(block) == 0:
            break
        values[block] = _scored(surface, rows[block], excluded)
    return values


def _scored(surface: Surface, rows: FloatArray, excluded: frozenset[bytes]) -> FloatArray:
    return _without(np.array(surface.value(rows)), rows, excluded)


def _without(values: FloatArray, rows: FloatArray, excluded: frozenset[bytes]) -> FloatArray:
    """The values, with −∞ for rows that are excluded, and in place of NaN."""
    values[np.isnan(values)] = -np.inf
    if excluded:
        values[[point_key(row) in excluded for row in rows]] = -np.inf
    return values


def _distinct(space: Space, pool: _Pool, count: int) -> _Pool:
    """The first points of a sorted pool that stand on different hills."""
    fixed = np.setdiff1d(np.arange(space.dimensions), space.smooth_columns)
    chosen: list[int] = []
    for i in np.flatnonzero(np.isfinite(pool.values)):
        rivals, row = pool.rows[chosen], pool.rows[i]
        same_cell = np.all(rivals[:, fixed] == row[fixed], axis=1)
        near = np.max(np.abs(rivals - row), axis=1, initial=0.0) < SAME_PLACE
        if not np.any(same_cell & near):
            chosen.append(int(i))
        if len(chosen) == count:
            break
    return pool.take(np.array(chosen, dtype=np.int64))


# --- climbing -------------------------------------------------------------------------------------


def _climb_all(
    surface: SupportsGradient,
    space: Space,
    starts: _Pool,
    excluded: frozenset[bytes],
    last_climb: int,
) -> _Pool:
    """Alternate climbs of the reals and moves of the integers until neither helps.

    Only points that have moved to other integers climb again: the others are at the top already.
    """
    if space.is_discrete and isinstance(surface, SupportsRelaxation):
        integers = np.array([axis.start for axis in space.axes if not axis.one_hot], dtype=np.int64)
        starts = _climb(surface, space, starts, excluded, columns=integers, climb=WITHOUT_T)
    smooth = space.smooth_columns
    arrived, under_way = starts.take(np.arange(0)), starts
    for _ in range(LATTICE_ROUNDS if space.is_discrete else ROUNDS):
        under_way = _climb(surface, space, under_way, excluded, columns=smooth, climb=ALL_STARTS)
        under_way, moved = _move_integers(surface, space, under_way, excluded)
        arrived = arrived + under_way.take(np.flatnonzero(~moved))
        under_way = under_way.take(np.flatnonzero(moved))
        if not np.any(moved):
            break
    reached = arrived + under_way
    if last_climb == 0:
        return reached
    winner = reached.take(np.array([int(np.argmax(reached.values))]))
    last = _Climb(last_climb, WINNERS_STEP)
    return reached + _climb(surface, space, winner, excluded, columns=smooth, climb=last)


def _climb(
    surface: SupportsGradient,
    space: Space,
    pool: _Pool,
    excluded: frozenset[bytes],
    *,
    columns: IntArray,
    climb: _Climb,
) -> _Pool:
    """L-BFGS-B in these columns, on the sum over all starts: the gradient separates by start, and
    an evaluation serves all of them. A start moves to the rounded end where that is better.

    Integers among the columns climb without T, where the surface supports that. The other integers
    stay at the centres of their cells, where the surface is the same with T.
    """
    if len(columns) == 0:
        return pool
    climbed = surface.relaxed() if isinstance(surface, SupportsRelaxation) else surface
    rows = np.array(pool.rows)

    step = climb.first_step  # the first step has length 1 in the units that L-BFGS-B sees

    def descend(x: FloatArray) -> tuple[float, FloatArray]:
        rows[:, columns] = step * x.reshape(len(rows), -1)
        value, gradient = climbed.value_and_gradient(rows)
        return -float(np.sum(value)), -step * gradient[:, columns].ravel()

    end = minimize(
        descend,
        pool.rows[:, columns].ravel() / step,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 1.0 / step)] * (len(rows) * len(columns)),
        options={"maxiter": climb.iterations},
    )
    rows[:, columns] = np.minimum(step * end.x.reshape(len(rows), -1), 1.0)
    rows = space.snap(rows)
    return _better(pool, _Pool(rows, _scored(surface, rows, excluded), pool.sources), "refined")


def _move_integers(
    surface: Surface, space: Space, pool: _Pool, excluded: frozenset[bytes]
) -> tuple[_Pool, NDArray[np.bool_]]:
    """Each point to its best neighbour on the lattice, where that is better; which have moved."""
    widest = max((axis.cells for axis in space.axes if not axis.one_hot), default=1)
    strides = [4**k for k in range(32) if 4**k <= max(1, widest // 2)]
    around = [space.neighbours(row, strides=strides) for row in pool.rows]
    owner = np.repeat(np.arange(len(around)), [len(rows) for rows in around])
    if len(owner) == 0:
        return pool, np.zeros(len(pool.rows), dtype=np.bool_)
    rows = np.concatenate(around)
    values = _scored(surface, rows, excluded)
    best = [
        int(np.flatnonzero(owner == i)[np.argmax(values[owner == i])])
        for i in range(len(pool.rows))
    ]
    moved = _better(pool, _Pool(rows[best], values[best], pool.sources), "moved")
    return moved, moved.values > pool.values


def _better(old: _Pool, new: _Pool, how: str) -> _Pool:
    """Row by row the better of two pools of the same length; `how` is added to the sources of
    those that have changed."""
    gains = new.values > old.values
    sources = old.sources.copy()
    for i in np.flatnonzero(gains):
        if how not in sources[i]:
            sources[i] = f"{sources[i]}, {how}"
    rows = np.where(gains[:, np.newaxis], new.rows, old.rows)
    return _Pool(rows, np.where(gains, new.values, old.values), sources)


def _found(space: Space, pool: _Pool) -> Found:
    order = np.argsort(-pool.values, kind="stable")
    winner = order[0]
    apart = 1e-3 if len(space.smooth_columns) else 0.0
    elsewhere = [
        i
        for i in order[1:]
        if np.isfinite(pool.values[i]) and np.max(np.abs(pool.rows[i] - pool.rows[winner])) > apart
    ]
    second = elsewhere[0] if elsewhere else None
    return Found(
        point=pool.rows[winner],
        value=float(pool.values[winner]),
        source=pool.sources[winner],
        runner_up=None if second is None else pool.rows[second],
        runner_up_value=float("-inf") if second is None else float(pool.values[second]),
    )
