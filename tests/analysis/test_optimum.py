"""Which value is best, and how much better than the best another point may be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spearmint_int.analysis.optimum import (
    OptimumDraws,
    best_cells,
    certificate,
    discrete_groups,
    optimum_draws,
    probability_of_best,
)
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import (
    ChooserOptions,
    Constraint,
    FittedModel,
    Observations,
    Problem,
    fit,
)
from spearmint_int.kernels import Covariance, kernel_named
from spearmint_int.sampling.priors import lognormal
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int, Params

LATTICE = Space({"k": Int(0, 9), "n": Int(1, 6)})
QUICK = ChooserOptions(samples=8, burn_in=60, likelihood="NOISELESS")


def model_of(space: Space, points: FloatArray, values: FloatArray) -> FittedModel:
    problem = Problem(space, Observations.of(points, values), options=QUICK)
    return fit(problem, np.random.default_rng(0))


def bowl(points: FloatArray) -> FloatArray:
    """Least at k = 3, n = 2 of the lattice."""
    target = LATTICE.encode({"k": 3, "n": 2})
    return np.asarray(np.sum((points - target) ** 2, axis=1))


def some_model() -> FittedModel:
    rows = np.random.default_rng(1).permutation(LATTICE.lattice())[:25]
    return model_of(LATTICE, rows, bowl(rows))


def test_probabilities_add_up_and_point_at_the_best_integer() -> None:
    draws = optimum_draws(some_model(), np.random.default_rng(0))
    chances = probability_of_best(draws, 0)
    assert draws.is_exact
    assert list(chances) == list(range(10))
    assert np.isclose(sum(chances.values()), 1.0)
    assert max(chances, key=lambda k: chances[k]) == 3


@pytest.mark.parametrize("seed", range(3))
def test_results_that_crowd_at_the_best_make_its_integer_sure(seed: int) -> None:
    space, rng = Space({"x": Float(0, 1), "k": Int(1, 8)}), np.random.default_rng(seed)
    spread = space.snap(rng.random((12, 2)))
    best = space.encode({"x": 0.6, "k": 5})
    near = np.tile(best, (20, 1)) + np.outer(1e-9 * rng.standard_normal(20), [1.0, 0.0])
    points = space.snap(np.concatenate([spread, near]))
    values = 0.1 + np.abs(points[:, 0] - 0.6) + 2.0 * (points[:, 1] - best[1]) ** 2
    problem = Problem(space, Observations.of(points, values), options=ChooserOptions())
    draws = optimum_draws(fit(problem, rng), rng)
    assert probability_of_best(draws, 1)[5] > 0.8


def test_cells_come_likeliest_first_and_agree_with_their_integers() -> None:
    draws = optimum_draws(some_model(), np.random.default_rng(0))
    cells = best_cells(draws)
    chances = [chance for _, chance in cells]
    assert np.isclose(sum(chances), 1.0)
    assert chances == sorted(chances, reverse=True)
    of_three = sum(chance for params, chance in cells if params["k"] == 3)
    assert np.isclose(of_three, probability_of_best(draws, 0)[3])


def test_after_every_cell_there_is_no_doubt_left() -> None:
    rows = LATTICE.lattice()
    draws = optimum_draws(model_of(LATTICE, rows, bowl(rows)), np.random.default_rng(0))
    assert probability_of_best(draws, 0)[3] == 1.0
    assert best_cells(draws) == [({"k": 3, "n": 2}, 1.0)]
    assert certificate(draws).bound < 1e-3


def test_a_certificate_is_the_quantile_of_the_regret() -> None:
    draws = optimum_draws(some_model(), np.random.default_rng(0))
    found = certificate(draws, confidence=0.9)
    assert np.mean(draws.regret <= found.bound) >= 0.9
    assert np.mean(draws.regret > found.bound) <= 0.1
    assert str(found).startswith("90 % sure that no point is better than the best by more than")


def test_a_mixed_space_is_drawn_where_its_minimum_may_be() -> None:
    space = Space({"x": Float(0, 1), "k": Int(0, 200), "e": Enum(["a", "b"])})
    rows = space.snap(np.random.default_rng(1).random((30, 4)))
    model = model_of(space, rows, (rows[:, 0] - 0.3) ** 2 + rows[:, 1] + rows[:, 2])
    draws = optimum_draws(model, np.random.default_rng(0), count=200)
    assert not draws.is_exact
    assert best_cells(draws) == []
    assert np.all(draws.regret >= 0.0)
    assert discrete_groups(space) == [1, 2]
    assert probability_of_best(draws, 2)["b"] > 0.9


def test_the_neighbourhood_of_the_best_result_is_drawn_too() -> None:
    space = Space({"x": Float(0, 1), "k": Int(0, 200)})
    rows = space.snap(np.random.default_rng(1).random((30, 2)))
    model = model_of(space, rows, np.sum((rows - 0.4) ** 2, axis=1))
    draws = optimum_draws(model, np.random.default_rng(0), count=200)
    near = np.max(np.abs(draws.points - 0.4), axis=1) < 0.02
    assert np.count_nonzero(near) > 50
    assert certificate(draws).bound > 0.0
    assert max(probability_of_best(draws, 1).values()) < 0.9


def test_reals_have_no_probability_for_each_value() -> None:
    space = Space({"x": Float(0, 1)})
    points = np.array([[0.1], [0.6], [0.9]])
    draws = optimum_draws(model_of(space, points, points[:, 0]), np.random.default_rng(0), count=9)
    with pytest.raises(TypeError, match="a real"):
        probability_of_best(draws, 0)


# --- promises, over many functions that a GP has drawn -------------------------------------------


def drawn_function(space: Space, rng: np.random.Generator, rows: FloatArray) -> FloatArray:
    """A draw of the prior at these rows, with length scales as the model's prior has them."""
    lengths = tuple(np.exp(rng.normal(-0.7, 0.5, len(space.groups))))
    K = Covariance.over(space, kernel_named("matern52")).correlation(rows, rows, lengths)
    return np.asarray(rng.multivariate_normal(np.zeros(len(rows)), K, method="eigh"))


@pytest.fixture(scope="module")
def many() -> list[tuple[OptimumDraws, Params]]:
    """Draws after 15 results of each of 200 functions, and the cell that was the best."""
    found = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        rows = LATTICE.lattice()
        values = drawn_function(LATTICE, rng, rows)
        seen = rng.permutation(len(rows))[:15]
        draws = optimum_draws(model_of(LATTICE, rows[seen], values[seen]), rng, count=400)
        found.append((draws, LATTICE.decode(rows[np.argmin(values)])))
    return found


@pytest.mark.slow
def test_the_probability_of_best_is_calibrated(many: list[tuple[OptimumDraws, Params]]) -> None:
    said, came = [], []
    for draws, best in many:
        chances = probability_of_best(draws, 0)
        said += list(chances.values())
        came += [value == best["k"] for value in chances]
    _check_reliability(np.array(said), np.array(came))


@pytest.mark.slow
def test_the_probability_of_each_cell_is_calibrated(
    many: list[tuple[OptimumDraws, Params]],
) -> None:
    cells = [
        (params == best, chance) for draws, best in many for params, chance in best_cells(draws)
    ]
    _check_reliability(np.array([c for _, c in cells]), np.array([came for came, _ in cells]))


MIXED = Space({"x": Float(0, 1), "k": Int(0, 4)})
FINE = np.array([[x, (k + 0.5) / 5] for k in range(5) for x in np.linspace(0, 1, 101)])


@pytest.mark.slow
def test_the_probability_of_an_integer_beside_a_real_is_calibrated() -> None:
    """The minimum lies between the points that are drawn, and they must be where it may be."""
    options = replace(QUICK, samples=20, priors={"length_scale": lognormal(-1.0, 1.0)})
    said, came = [], []
    for seed in range(1000, 1200):  # where draws are taken was chosen on seeds below 150
        rng = np.random.default_rng(seed)
        values = drawn_function(MIXED, rng, FINE)
        seen = rng.permutation(len(FINE))[:15]
        problem = Problem(MIXED, Observations.of(FINE[seen], values[seen]), options=options)
        chances = probability_of_best(optimum_draws(fit(problem, rng), rng, count=400), 1)
        said += list(chances.values())
        came += [value == MIXED.decode(FINE[np.argmin(values)])["k"] for value in chances]
    _check_reliability(np.array(said), np.array(came))


def _check_reliability(said: FloatArray, came: FloatArray) -> None:
    """In each bin what came lies within three binomial standard errors of what was said."""
    for low, high in [(0.02, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1.01)]:
        inside = (said >= low) & (said < high)
        mean = float(np.mean(said[inside]))
        error = np.sqrt(mean * (1 - mean) / np.sum(inside))
        assert abs(np.mean(came[inside]) - mean) < 3 * error, (low, mean, np.mean(came[inside]))


@pytest.mark.parametrize("space", [LATTICE, Space({"k": Int(0, 9), "x": Float(0, 1)})])
def test_with_a_constraint_the_optimum_is_where_that_holds(space: Space) -> None:
    points = space.snap(np.random.default_rng(2).random((30, 2)))
    values = {"f": points[:, 0], "c": points[:, 0] - 0.42}
    known = Observations(points, values, np.full(30, np.nan), np.ones(30, dtype=np.bool_))
    problem = Problem(
        space, known, options=QUICK, objective="f", constraints=(Constraint("c", "NOISELESS"),)
    )
    draws = optimum_draws(fit(problem, np.random.default_rng(0)), np.random.default_rng(0))
    assert probability_of_best(draws, 0)[4] > 0.9
    assert draws.points[draws.chosen, 0] >= 0.42
    assert np.all(np.isfinite(draws.regret))
