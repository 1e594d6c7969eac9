"""The probability that an evaluation works, and what it makes of a surface."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import norm

from spearmint_int.acquisition import (
    Feasibility,
    NegativeBound,
    SupportsGradient,
    Surface,
    WhereItWorks,
    acquisition_named,
    weighed,
)
from spearmint_int.acquisition.surface import SupportsBound, SupportsRelaxation
from spearmint_int.arrays import FloatArray, point_key
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int
from tests.acquisition.ensembles import some_ensemble

SPACE = Space({"x": Float(0, 1), "y": Float(0, 1), "k": Int(0, 4)})
REALS = [0, 1]


def some_feasibility(half: float = 0.2) -> Feasibility:
    return Feasibility(some_ensemble(SPACE, seed=3), half)


def some_points(count: int = 6) -> FloatArray:
    return SPACE.snap(np.random.default_rng(5).random((count, SPACE.dimensions)))


def ei() -> SupportsGradient:
    surface = acquisition_named("ei")(some_ensemble(SPACE), np.random.default_rng(0))
    assert isinstance(surface, SupportsGradient)
    return surface


def test_the_probability_is_that_of_a_value_below_the_half_averaged_over_samples() -> None:
    feasibility, U = some_feasibility(), some_points()
    each = []
    for posterior in feasibility.ensemble.posteriors:
        mean, variance = posterior.moments(U)
        each.append(norm.cdf(0.2, mean[0], np.sqrt(variance)))
    assert np.exp(feasibility.log_probability(U)) == pytest.approx(np.mean(each, axis=0))


@pytest.mark.parametrize("half", [0.2, -8.0, 8.0])
def test_the_gradient_is_that_of_finite_differences(half: float) -> None:
    feasibility = some_feasibility(half)
    for u in some_points():
        value, slope = feasibility.log_probability_and_gradient(u[np.newaxis])

        def along(reals: FloatArray, u: FloatArray = u) -> float:
            return float(feasibility.log_probability(np.array([[*reals, u[2]]]))[0])

        assert value[0] == pytest.approx(along(u[REALS]))
        expected = approx_fprime(u[REALS], along, 1e-7)
        assert slope[0, REALS] == pytest.approx(expected, rel=1e-4, abs=1e-6)


def test_a_probability_that_underflows_keeps_its_logarithm_and_a_slope() -> None:
    value, slope = some_feasibility(half=-200.0).log_probability_and_gradient(some_points())
    assert np.all(np.isfinite(value))
    assert np.all(value < -1000)
    assert np.all(np.any(slope[:, REALS] != 0.0, axis=1))


def test_where_nothing_fails_a_surface_stays_as_it_is() -> None:
    surface = ei()
    assert weighed(surface, None) is surface


def test_expected_improvement_is_multiplied_by_the_probability() -> None:
    surface, feasibility, U = ei(), some_feasibility(), some_points(40)
    works = feasibility.works(U)
    product = np.exp(surface.value(U)) * np.exp(feasibility.log_probability(U))
    assert np.exp(weighed(surface, feasibility).value(U))[works] == pytest.approx(product[works])


def test_what_would_rather_fail_does_not_count_unless_that_is_asked_for() -> None:
    surface, feasibility, U = ei(), some_feasibility(), some_points(200)
    works = feasibility.works(U)
    assert 0 < np.sum(works) < len(U)
    assert np.array_equal(np.isfinite(weighed(surface, feasibility).value(U)), works)
    everywhere = weighed(surface, feasibility, least=-np.inf).value(U)
    assert everywhere == pytest.approx(surface.value(U) + feasibility.log_probability(U))


@pytest.mark.parametrize("name", ["lcb", "thompson"])
def test_what_is_no_logarithm_is_cut_and_not_weighed(name: str) -> None:
    """Its unit is that of the results: beside a million, a probability would weigh nothing."""
    feasibility, U = some_feasibility(), some_points(200)

    def surface() -> Surface:
        return acquisition_named(name)(some_ensemble(SPACE), np.random.default_rng(0))

    expected = np.where(feasibility.works(U), surface().value(U), -np.inf)
    assert weighed(surface(), feasibility).value(U) == pytest.approx(expected)


def test_only_a_surface_with_a_bound_has_one_with_the_probability() -> None:
    pi = acquisition_named("pi")(some_ensemble(SPACE), np.random.default_rng(0))
    assert not isinstance(weighed(pi, some_feasibility()), SupportsBound)


def test_what_has_worked_works_whatever_the_model_thinks() -> None:
    doubting, U = some_feasibility(half=-8.0), some_points()
    assert not np.any(doubting.works(U))
    known = Feasibility(doubting.ensemble, -8.0, frozenset([point_key(U[2])]))
    assert np.flatnonzero(known.works(U)).tolist() == [2]


def test_the_gradient_of_a_product_is_that_of_finite_differences() -> None:
    surface = weighed(ei(), some_feasibility())
    assert isinstance(surface, SupportsGradient)
    for u in some_points():
        _, slope = surface.value_and_gradient(u[np.newaxis])

        def along(reals: FloatArray, u: FloatArray = u) -> float:
            return float(surface.value_and_gradient(np.array([[*reals, u[2]]]))[0][0])

        expected = approx_fprime(u[REALS], along, 1e-7)
        assert slope[0, REALS] == pytest.approx(expected, rel=1e-3, abs=1e-5)


def test_a_bound_of_the_surface_bounds_the_product() -> None:
    surface, U = weighed(ei(), some_feasibility()), some_points(50)
    assert isinstance(surface, SupportsBound)
    assert np.all(surface.upper_bound(U) >= surface.value(U) - 1e-12)
    assert np.any(np.isfinite(surface.value(U)))


def test_without_t_the_product_is_the_same_on_the_lattice() -> None:
    surface, U = weighed(ei(), some_feasibility()), some_points()
    assert isinstance(surface, SupportsRelaxation)
    assert surface.relaxed().value(U) == pytest.approx(surface.value(U))


def test_a_surface_without_a_gradient_has_none_with_the_probability_either() -> None:
    rng = np.random.default_rng(0)
    surface = weighed(acquisition_named("thompson")(some_ensemble(SPACE), rng), some_feasibility())
    assert not isinstance(surface, SupportsGradient)
    assert surface.value(some_points()).shape == (6,)


def test_nothing_is_recommended_where_an_evaluation_would_rather_fail() -> None:
    feasibility, U = some_feasibility(), some_points(200)
    surface = WhereItWorks(NegativeBound(some_ensemble(SPACE)), feasibility)
    works = feasibility.works(U)
    assert 0 < np.sum(works) < len(U)
    assert np.array_equal(np.isfinite(surface.value(U)), works)
