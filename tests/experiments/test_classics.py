"""The test functions: their least values, by an optimiser that this project didn't write."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import differential_evolution, rosen

from experiments.suite import classics
from experiments.suite.classics import CLASSICS

# From the literature: where the least value of those lies that don't have it at the origin.
BEST_AT = {"rosenbrock": 1.0, "styblinski-tang": -2.903534, "schwefel": 420.968746}


@pytest.mark.parametrize("name", CLASSICS)
def test_the_least_value_is_0_where_the_literature_has_it(name: str) -> None:
    classic = CLASSICS[name]
    best = np.full(6, BEST_AT.get(name, 0.0))
    assert classic.function(best) == pytest.approx(0.0, abs=1e-4)
    assert min(classic.function(best + d) for d in 0.05 * np.eye(6)) > 0.0


def test_rosenbrocks_function_is_scipys() -> None:
    z = np.linspace(-2, 2, 7)
    assert CLASSICS["rosenbrock"].function(z) == pytest.approx(rosen(z))


@pytest.mark.parametrize("name", CLASSICS)
def test_nothing_is_below_the_best_and_what_can_be_reached_is_close(name: str) -> None:
    (case,) = classics.cases([f"{name}-6d"], [3])
    problem = classics.load(case)
    names = [dimension.name for dimension in problem.dimensions]
    found = differential_evolution(
        lambda x: problem.target.distance(dict(zip(names, x, strict=True))),
        [(dimension.low, dimension.high) for dimension in problem.dimensions],
        integrality=[dimension.integer for dimension in problem.dimensions],
        maxiter=100,
        tol=1e-10,
        rng=0,
    )
    assert found.fun >= -1e-9
    assert found.fun < 0.5 or not CLASSICS[name].centred


def test_the_integers_have_the_end_of_rosenbrocks_valley() -> None:
    (case,) = classics.cases(["rosenbrock-6d"], [0])
    problem = classics.load(case)
    assert problem.target({d.name: 12 if d.integer else 1.0 for d in problem.dimensions}) == 0.0


def test_the_best_lies_elsewhere_in_each_repetition_and_the_budget_is_ten_a_dimension() -> None:
    one, same, other = (classics.load(c) for c in classics.cases(["ackley-10d"], [0, 0, 1]))
    middle = {d.name: d.from_unit(0.5) for d in one.dimensions}
    assert one.target(middle) == same.target(middle) != other.target(middle)
    assert (len(one.noise), one.noise_variance) == (100, 0.0)
    assert [d.high for d in one.dimensions if d.integer] == [2, 4, 8, 16, 32]
