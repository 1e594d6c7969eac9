"""The problems in which few variables matter: which do, and that the others don't."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.suite import coco, idle
from experiments.suite.problems import Case


def random_points(dimensions: idle.AmongIdle | idle.Valleys, count: int) -> list[dict[str, float]]:
    rng = np.random.default_rng(0)
    return [
        {d.name: d.from_uniform(rng.random()) for d in dimensions.dimensions} for _ in range(count)
    ]


def test_idle_variables_change_nothing_and_the_others_are_cocos() -> None:
    (case,) = idle.cases(["f08-d05"], [2])
    problem, inner = idle.load(case), coco.CocoTarget(Case(coco.SET, "f08-d05", 2))
    assert (len(problem.dimensions), len(problem.noise)) == (15, 75)
    for params in random_points(problem.target, 20):  # type: ignore[arg-type]
        mattering = {d.name: params[d.name] for d in inner.dimensions}
        assert problem.target(params) == inner(mattering)
        assert problem.target.distance(params) == inner.distance(mattering)


def test_where_the_variables_stand_is_the_same_for_all_and_another_in_each_instance() -> None:
    one, same, other = (idle.load(c) for c in idle.cases(["f01-d05"], [1, 1, 2]))
    assert one.dimensions == same.dimensions
    assert [d.name for d in one.dimensions] != [d.name for d in other.dimensions]


def test_an_instance_that_is_kept_for_others_is_refused_here_too() -> None:
    with pytest.raises(coco.InstanceRefused):
        idle.load(Case(idle.SET, "f01-d05", 11))


def test_two_of_the_valleys_variables_matter_and_the_least_value_has_distance_0() -> None:
    valleys = idle.Valleys(30)
    points = random_points(valleys, 30)
    matters = {
        d.name
        for d in valleys.dimensions
        for params in points
        if valleys(params) != valleys({**params, d.name: 0})
    }
    assert len(matters) == 2
    first, second = sorted(matters)
    lattice = [
        valleys.distance({**points[0], first: i, second: j}) for i in range(31) for j in range(31)
    ]
    assert min(lattice) == pytest.approx(0.0, abs=1e-12)
    assert sum(distance < 1e-9 for distance in lattice) == 1
