"""The engineering designs: their best known values, by an optimiser that this project didn't write,
and their penalties."""

from __future__ import annotations

import pytest
from scipy.optimize import differential_evolution

from experiments.suite import designs
from experiments.suite.designs import DESIGNS, Design

# From the literature, where it has the same variables; the spring's has turns that are no integers.
PUBLISHED = {
    "pressure-vessel": 6059.714,
    "speed-reducer": 2994.471,
    "clutch": 0.313657,
    "concrete-beam": 359.208,
    "car-side-impact": 22.843,
}


def least(design: Design) -> float:
    """By differential evolution, which knows of integers."""
    names = [dimension.name for dimension in design.dimensions]
    found = differential_evolution(
        lambda x: design.value(dict(zip(names, x, strict=True))),
        [(dimension.low, dimension.high) for dimension in design.dimensions],
        integrality=[dimension.integer for dimension in design.dimensions],
        maxiter=400,
        popsize=12,
        tol=1e-10,
        polish=False,
        rng=0,
    )
    return float(found.fun)


@pytest.mark.parametrize("name", DESIGNS)
def test_differential_evolution_comes_to_the_best_that_is_known_and_not_below(name: str) -> None:
    design = DESIGNS[name]
    found = least(design)
    assert design.best * (1 - 1e-6) <= found <= design.best * 1.02
    assert design.best == pytest.approx(PUBLISHED.get(name, design.best), rel=1e-4)


def test_a_design_that_holds_costs_what_it_costs_and_another_one_more() -> None:
    vessel = DESIGNS["pressure-vessel"]
    holds = {"shell": 14, "head": 7, "radius": 42.0, "length": 180.0}
    cost, excesses = vessel.judge(holds)
    assert max(excesses) < 0
    assert vessel.value(holds) == cost
    cost, excesses = vessel.judge(holds | {"length": 150.0})
    (short,) = [g for g in excesses if g > 0]  # too small a volume
    assert vessel.value(holds | {"length": 150.0}) == cost + vessel.weight * short


def test_a_run_is_ten_evaluations_a_dimension_of_exact_values() -> None:
    (case,) = designs.cases(["spring"], [3])
    problem = designs.load(case)
    assert (len(problem.noise), problem.noise_variance, case.seed) == (30, 0.0, 3000)
    params = {"turns": 12, "coil": 0.345, "wire": 0.0511}
    assert problem.target.distance(params) == problem.target(params) - DESIGNS["spring"].best
