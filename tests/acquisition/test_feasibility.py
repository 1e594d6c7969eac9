"""How likely an evaluation works or a constraint holds, and what that makes of a surface."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import norm

from spearmint_int.acquisition import (
    PULL,
    Feasibility,
    FeasibleOnly,
    JointFeasibility,
    NegativeBound,
    SupportsGradient,
    Surface,
    acquisition_named,
    weighted,
)
from spearmint_int.acquisition.surface import (
    SupportsBound,
    SupportsPending,
    SupportsRelaxation,
)
from spearmint_int.arrays import FloatArray, point_key
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int
from tests.acquisition.ensembles import some_ensemble

SPACE = Space({"x": Float(0, 1), "y": Float(0, 1), "k": Int(0, 4)})
REALS = [0, 1]


def some_feasibility(limit: float = 0.2) -> Feasibility:
    return Feasibility(some_ensemble(SPACE, seed=3), limit)


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
    value, slope = some_feasibility(limit=-200.0).log_probability_and_gradient(some_points())
    assert np.all(np.isfinite(value))
    assert np.all(value < -1000)
    assert np.all(np.any(slope[:, REALS] != 0.0, axis=1))


def test_where_nothing_fails_a_surface_stays_as_it_is() -> None:
    surface = ei()
    assert weighted(surface, None) is surface


def test_expected_improvement_is_multiplied_by_the_probability() -> None:
    surface, feasibility, U = ei(), some_feasibility(), some_points(40)
    works = feasibility.is_likely(U)
    product = np.exp(surface.value(U)) * np.exp(feasibility.log_probability(U))
    assert np.exp(weighted(surface, feasibility).value(U))[works] == pytest.approx(product[works])


def test_what_would_rather_fail_does_not_count_unless_that_is_asked_for() -> None:
    surface, feasibility, U = ei(), some_feasibility(), some_points(200)
    works = feasibility.is_likely(U)
    assert 0 < np.sum(works) < len(U)
    assert np.array_equal(np.isfinite(weighted(surface, feasibility).value(U)), works)
    everywhere = weighted(surface, feasibility, least=-np.inf).value(U)
    assert everywhere == pytest.approx(surface.value(U) + feasibility.log_probability(U))


@pytest.mark.parametrize("name", ["lcb", "thompson"])
def test_what_is_no_logarithm_is_cut_and_not_weighted(name: str) -> None:
    """Its unit is that of the results: beside a million, a probability would weigh nothing."""
    feasibility, U = some_feasibility(), some_points(200)

    def surface() -> Surface:
        return acquisition_named(name)(some_ensemble(SPACE), np.random.default_rng(0))

    expected = np.where(feasibility.is_likely(U), surface().value(U), -np.inf)
    assert weighted(surface(), feasibility).value(U) == pytest.approx(expected)


def test_only_a_surface_with_a_bound_has_one_with_the_probability() -> None:
    pi = acquisition_named("pi")(some_ensemble(SPACE), np.random.default_rng(0))
    assert not isinstance(weighted(pi, some_feasibility()), SupportsBound)


def test_what_has_worked_works_whatever_the_model_thinks() -> None:
    doubting, U = some_feasibility(limit=-8.0), some_points()
    assert not np.any(doubting.is_likely(U))
    known = Feasibility(doubting.ensemble, -8.0, frozenset([point_key(U[2])]))
    assert np.flatnonzero(known.is_likely(U)).tolist() == [2]


def constrained(least: float = -np.inf) -> Surface:
    """EI, two constraints, and failures."""
    surface: Surface = ei()
    for limit in (0.5, -0.5):
        surface = weighted(surface, some_feasibility(limit), least=least)
    return weighted(surface, some_feasibility())


def surely() -> Surface:
    surface = FeasibleOnly(NegativeBound(some_ensemble(SPACE), 2.0), some_feasibility())
    return FeasibleOnly(surface, some_feasibility(0.5), np.log(0.9), pull=PULL)


SURFACES = {
    "works": lambda: weighted(ei(), some_feasibility()),
    "constrained": constrained,
    "all hold": lambda: JointFeasibility((some_feasibility(0.5), some_feasibility(-0.5))),
    "recommended": surely,
}


@pytest.mark.parametrize("name", SURFACES)
def test_the_gradient_of_a_product_is_that_of_finite_differences(name: str) -> None:
    surface = SURFACES[name]()
    assert isinstance(surface, SupportsGradient)
    for u in some_points():
        _, slope = surface.value_and_gradient(u[np.newaxis])

        def along(reals: FloatArray, u: FloatArray = u) -> float:
            return float(surface.value_and_gradient(np.array([[*reals, u[2]]]))[0][0])

        expected = approx_fprime(u[REALS], along, 1e-7)
        assert slope[0, REALS] == pytest.approx(expected, rel=1e-3, abs=1e-5)


def test_a_bound_of_the_surface_bounds_the_product() -> None:
    surface, U = weighted(ei(), some_feasibility()), some_points(50)
    assert isinstance(surface, SupportsBound)
    assert np.all(surface.upper_bound(U) >= surface.value(U) - 1e-12)
    assert np.any(np.isfinite(surface.value(U)))


def test_without_t_the_product_is_the_same_on_the_lattice() -> None:
    surface, U = weighted(ei(), some_feasibility()), some_points()
    assert isinstance(surface, SupportsRelaxation)
    assert surface.relaxed().value(U) == pytest.approx(surface.value(U))


def test_a_surface_without_a_gradient_has_none_with_the_probability_either() -> None:
    rng = np.random.default_rng(0)
    surface = weighted(acquisition_named("thompson")(some_ensemble(SPACE), rng), some_feasibility())
    assert not isinstance(surface, SupportsGradient)
    assert surface.value(some_points()).shape == (6,)


def test_nothing_is_recommended_where_an_evaluation_would_rather_fail() -> None:
    feasibility, U = some_feasibility(), some_points(200)
    surface = FeasibleOnly(NegativeBound(some_ensemble(SPACE)), feasibility)
    works = feasibility.is_likely(U)
    assert 0 < np.sum(works) < len(U)
    assert np.array_equal(np.isfinite(surface.value(U)), works)


# --- constraints ----------------------------------------------------------------------------------


def test_the_probability_of_a_constraint_is_the_share_of_draws_that_keep_to_the_limit() -> None:
    constraint, U = some_feasibility(0.3), some_points(20)
    rng, Z = np.random.default_rng(0), constraint.ensemble.transform(U)
    draws = [p.draw(Z, 40_000, rng) for p in constraint.ensemble.posteriors]
    share = np.mean(np.concatenate(draws) <= 0.3, axis=0)
    assert constraint.probability(U) == pytest.approx(share, abs=0.01)


def test_with_constraints_it_is_ei_times_all_of_their_probabilities() -> None:
    surface, U = ei(), some_points(40)
    works = some_feasibility().is_likely(U)
    product = np.exp(surface.value(U))
    for limit in (0.5, -0.5, 0.2):
        product = product * some_feasibility(limit).probability(U)
    assert np.exp(constrained().value(U))[works] == pytest.approx(product[works])


def test_a_bound_of_the_surface_bounds_the_product_with_constraints_too() -> None:
    surface, U = constrained(), some_points(50)
    assert isinstance(surface, SupportsBound)
    assert np.all(surface.upper_bound(U) >= surface.value(U) - 1e-12)


def test_what_is_no_logarithm_is_cut_by_each_constraint() -> None:
    lcb = acquisition_named("lcb")(some_ensemble(SPACE), np.random.default_rng(0))
    U, one, two = some_points(200), some_feasibility(0.5), some_feasibility(-0.2)
    cut = weighted(weighted(lcb, one), two).value(U)
    assert np.array_equal(np.isfinite(cut), one.is_likely(U) & two.is_likely(U))


def test_where_a_result_under_way_is_thought_to_miss_it_is_less_likely_to_hold() -> None:
    sought, U = JointFeasibility((some_feasibility(0.5), some_feasibility(-0.5))), some_points(3)
    assert isinstance(sought, SupportsPending)
    for u in U[:, np.newaxis]:
        pending = sought.with_pending(u)
        assert pending.value(u)[0] < sought.value(u)[0]
        assert pending.constraints[0] is sought.constraints[0]  # the likelier one is not to blame


def test_under_noise_a_place_that_was_seen_to_hold_counts_unless_it_is_in_doubt() -> None:
    U = some_points(200)
    model = some_feasibility()
    lucky = Feasibility(
        model.ensemble, model.limit, frozenset(point_key(u) for u in U), certain=False
    )
    probability = lucky.probability(U)
    assert np.array_equal(lucky.counts(U), probability >= norm.cdf(-1.0))
    assert np.array_equal(lucky.is_likely(U), probability >= 0.5)


def test_what_certainly_held_has_the_probability_1() -> None:
    doubting, U = some_feasibility(limit=-8.0), some_points()
    known = Feasibility(doubting.ensemble, -8.0, frozenset([point_key(U[2])]))
    assert np.flatnonzero(known.probability(U) == 1.0).tolist() == [2]
    assert known.is_likely(U, least=np.log(0.99)).tolist() == [False, False, True] + [False] * 3


def test_nothing_is_recommended_where_a_constraint_is_not_sure_enough_to_hold() -> None:
    constraint, U = some_feasibility(0.5), some_points(200)
    surface = FeasibleOnly(NegativeBound(some_ensemble(SPACE)), constraint, np.log(0.9))
    assert np.array_equal(np.isfinite(surface.value(U)), constraint.probability(U) >= 0.9)


@pytest.mark.parametrize("limit", [-1e16, 1e16])
def test_a_limit_that_is_out_of_reach_has_a_finite_gradient(limit: float) -> None:
    U = some_points()
    constraint = some_feasibility(limit).violated_at(U[:1])
    values, slopes = constraint.log_probability_and_gradient(U)
    assert np.isfinite(values).all()
    assert np.isfinite(slopes).all()
