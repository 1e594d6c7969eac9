"""Choosers without a model: the design, and random points."""

from __future__ import annotations

import numpy as np
import pytest

from spearmint_int.arrays import FloatArray, point_key
from spearmint_int.chooser.model_free import design_point, random_point
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int

NOTHING: frozenset[bytes] = frozenset()
SMALL = Space({"k": Int(0, 2), "j": Int(0, 3)})


def design(space: Space, count: int, *, seed: int = 0) -> list[FloatArray]:
    """The first `count` points, none of them twice."""
    taken: set[bytes] = set()
    rows = []
    for index in range(count):
        rows.append(design_point(space, index, seed=seed, excluded=frozenset(taken)))
        taken.add(point_key(rows[-1]))
    return rows


def test_a_design_fills_a_small_lattice_without_a_repeat() -> None:
    assert len({point_key(row) for row in design(SMALL, 12)}) == 12


def test_design_points_are_canonical() -> None:
    for row in design(SMALL, 5):
        assert np.array_equal(SMALL.snap(row), row)


def test_a_design_depends_on_its_seed_alone() -> None:
    assert np.array_equal(design(SMALL, 5, seed=1), design(SMALL, 5, seed=1))
    assert not np.array_equal(design(SMALL, 5, seed=1), design(SMALL, 5, seed=2))


def test_a_design_point_does_not_depend_on_how_far_the_design_goes() -> None:
    space = Space({"x": Float(0, 1, size=2)})
    rows = [design_point(space, index, seed=3, excluded=NOTHING) for index in (0, 5, 300, 1000)]
    assert len({point_key(row) for row in rows}) == 4
    assert np.array_equal(rows[1], design_point(space, 5, seed=3, excluded=NOTHING))


def test_a_design_spreads_over_the_integers() -> None:
    space = Space({"k": Int(0, 3), "x": Float(0, 1)})
    cells = [space.decode(row)["k"] for row in design(space, 16)]
    assert sorted(cells) == sorted([0, 1, 2, 3] * 4)


@pytest.mark.parametrize("seed", range(3))
def test_the_last_free_point_of_a_lattice_is_found(seed: int) -> None:
    space = Space({"k": Int(0, 4999)})
    rows = space.lattice()
    last = 4321
    excluded = frozenset(point_key(row) for i, row in enumerate(rows) if i != last)
    rng = np.random.default_rng(seed)
    assert np.array_equal(design_point(space, 0, seed=seed, excluded=excluded), rows[last])
    assert np.array_equal(random_point(space, rng, excluded=excluded), rows[last])


def test_random_points_are_uniform_over_the_cells() -> None:
    rng = np.random.default_rng(0)
    rows = np.array([random_point(SMALL, rng, excluded=NOTHING) for _ in range(1200)])
    counts = np.unique(rows, axis=0, return_counts=True)[1]
    assert len(counts) == 12
    assert np.max(np.abs(counts - 100)) < 45
