"""One variable at a time: the values looked at, and what the model says of them."""

from __future__ import annotations

import numpy as np
import pytest

from spearmint_int.analysis.crossvalidation import cross_validated
from spearmint_int.analysis.slices import grids, marginal, slice_through
from spearmint_int.chooser import ChooserOptions, FittedModel, Observations, Problem, fit
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int

SPACE = Space({"x": Float(0.1, 10, log=True), "k": Int(3, 6), "e": Enum(["a", "b"])})


def additive_model() -> FittedModel:
    """f = 2 u + k, exactly known at 40 points."""
    rng = np.random.default_rng(0)
    points = SPACE.snap(rng.random((40, 4)))
    values = 2.0 * points[:, 0] + np.array([SPACE.decode(p)["k"] for p in points])
    options = ChooserOptions(likelihood="NOISELESS", samples=4, burn_in=50)
    return fit(Problem(SPACE, Observations.of(points, values), options=options), rng)


def test_a_grid_has_every_integer_and_option_and_the_ends_of_a_real() -> None:
    x, k, e = grids(SPACE, reals=5)
    assert k.values == (3, 4, 5, 6)
    assert e.values == ("a", "b")
    assert np.allclose(x.values, np.geomspace(0.1, 10.0, 5))
    assert x.log


def test_an_integer_with_many_values_is_looked_at_in_some_of_them() -> None:
    (grid,) = grids(Space({"n": Int(0, 10_000)}))
    assert len(grid.values) == 60
    assert (grid.values[0], grid.values[-1]) == (0, 10_000)


def test_a_grid_has_every_integer_of_a_log_scale_once() -> None:
    (grid,) = grids(Space({"n": Int(1, 8, log=True)}))
    assert grid.values == tuple(range(1, 9))


def test_a_grid_of_many_integers_says_that_there_are_more() -> None:
    few, many = grids(Space({"a": Int(1, 60), "b": Int(1, 400, log=True)}))
    assert (few.has_gaps, many.has_gaps, many.total) == (False, True, 400)
    assert sorted(set(many.values)) == list(many.values)


def test_a_slice_changes_one_variable_alone() -> None:
    k = grids(SPACE)[1]
    point = SPACE.encode({"x": 1.0, "k": 5, "e": "b"})
    params = [SPACE.decode(row) for row in k.through(point)]
    assert [p["k"] for p in params] == [3, 4, 5, 6]
    assert all(p["e"] == "b" and np.isclose(p["x"], 1.0) for p in params)


def test_the_slice_and_the_marginal_of_an_additive_function_are_its_parts() -> None:
    model, k = additive_model(), grids(SPACE)[1]
    along = slice_through(model, k, SPACE.encode({"x": 0.1, "k": 5, "e": "b"}))
    assert np.allclose(along.mean, [3, 4, 5, 6], atol=0.2)
    average = marginal(model, k)
    assert np.allclose(average.mean, np.array([3, 4, 5, 6]) + 1.0, atol=0.2)
    assert np.all(average.sd < 0.3)


@pytest.mark.parametrize("size", [1e155, 1e300, 5e307])
def test_a_model_of_large_values_is_summed_up_without_overflow(size: float) -> None:
    space = Space({"x": Float(0, 1), "k": Int(0, 4)})
    rng = np.random.default_rng(0)
    points = space.snap(rng.random((12, 2)))
    values = size * (points[:, 0] ** 2 + points[:, 1])
    options = ChooserOptions(samples=3, burn_in=20)
    problem = Problem(space, Observations.of(points, values), options=options)
    found = marginal(fit(problem, rng), grids(space)[0])
    assert np.all(np.isfinite(found.mean))
    assert np.all(np.isfinite(found.sd) & (found.sd > 0))
    checked = cross_validated(problem, folds=2)
    assert checked is not None
    assert np.all(np.isfinite(checked.sd))
