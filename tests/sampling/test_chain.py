"""How chains start, go on, run side by side, and survive what can't be factored."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels import KERNELS, Covariance, kernel_named, register_kernel, unrounded
from spearmint_int.model import Ensemble, TrainingData
from spearmint_int.sampling import (
    ChainState,
    Draws,
    Model,
    Priors,
    SamplerOptions,
    sample_posteriors,
    split_rhat,
)
from spearmint_int.sampling.priors import LEAST_NOISE, Prior, horseshoe, uniform
from spearmint_int.space import Space
from spearmint_int.variables import Float
from tests.sampling.posteriors import Problem
from tests.twins import MIXED, TWO_REALS, matern52, some_data

QUICK = SamplerOptions(samples=6, burn_in=20)


def sampled(
    options: SamplerOptions = QUICK,
    *,
    seed: int = 0,
    kernel: str = "matern52",
    noiseless: bool = False,
    start: ChainState | None = None,
    priors: Priors | None = None,
) -> Draws:
    U, y = some_data(MIXED, 15)
    return sample_posteriors(
        TrainingData.collapse(MIXED.snap(U), y),
        Model(Covariance.over(MIXED, kernel_named(kernel)), priors or Priors(), noiseless),
        options,
        rng=np.random.default_rng(seed),
        start=start,
    )


def thetas(draws: Draws) -> FloatArray:
    return np.array(
        [
            [p.theta.mean, p.theta.amplitude2, p.theta.noise, *p.theta.length_scales]
            for p in draws.posteriors
        ]
    )


@pytest.fixture(autouse=True)
def _registry_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KERNELS, "_values", {})


# --- draws ----------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_samples() -> None:
    assert np.array_equal(thetas(sampled(seed=3)), thetas(sampled(seed=3)))
    assert not np.array_equal(thetas(sampled(seed=3)), thetas(sampled(seed=4)))


@pytest.mark.parametrize(("samples", "chains"), [(1, 1), (7, 1), (7, 3), (2, 4)])
def test_there_are_as_many_posteriors_as_samples_asked_for(samples: int, chains: int) -> None:
    draws = sampled(replace(QUICK, samples=samples, chains=chains))
    assert len(draws.posteriors) == samples
    assert draws.state.states.shape == (chains, 8)


def test_a_drawn_posterior_is_that_of_its_hyperparameters() -> None:
    drawn = sampled().posteriors[-1]
    U, y = some_data(MIXED, 15)
    data = TrainingData.collapse(MIXED.snap(U), y)
    fresh = type(drawn).fit(data, drawn.theta, drawn.covariance, noiseless=False)
    Z = MIXED.snap(np.random.default_rng(0).random((40, 5)))
    assert np.allclose(drawn.moments(Z)[0], fresh.moments(Z)[0], atol=1e-9)
    assert np.allclose(drawn.moments(Z)[1], fresh.moments(Z)[1], atol=1e-9)


def test_without_noise_no_sample_has_any() -> None:
    assert np.all(thetas(sampled(noiseless=True))[:, 2] == 0.0)


def test_samples_stay_inside_of_their_priors() -> None:
    draws = sampled(
        replace(QUICK, samples=50), priors=replace(Priors(), length_scale=uniform(0.2, 0.4))
    )
    lengths = thetas(draws)[:, 3:]
    assert np.all((lengths >= 0.2) & (lengths <= 0.4))
    assert np.ptp(lengths) > 0.05


def test_thinning_leaves_out_states_in_between() -> None:
    every = sampled(replace(QUICK, samples=6))
    third = sampled(replace(QUICK, samples=2, thinning=2))
    assert np.array_equal(thetas(third), thetas(every)[[2, 5]])


def test_a_sweep_makes_a_bounded_number_of_evaluations() -> None:
    U, y = some_data(MIXED, 15)
    chain = Problem(MIXED, U, y).chain()
    chain.set_state(Problem(MIXED, U, y).start(), np.full(8, 1e-3))
    before = chain.evaluations
    chain.sweep(200, False)
    assert chain.evaluations - before <= 200 * 4 * (8 + 61)


def sampled_from(
    n: int, options: SamplerOptions, seed: int, start: ChainState | None = None, **priors: Prior
) -> Draws:
    U, y = some_data(MIXED, n)
    covariance = Covariance.over(MIXED, kernel_named("matern52"))
    data, rng = TrainingData.collapse(MIXED.snap(U), y), np.random.default_rng(seed)
    model = Model(covariance, Priors().with_(priors), noiseless=False)
    return sample_posteriors(data, model, options, rng=rng, start=start)


def test_a_burn_in_on_some_of_many_rows_leads_to_where_all_rows_lead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    long = SamplerOptions(samples=300, burn_in=100)
    some = np.log(thetas(sampled_from(250, long, 0))[:, 1:])
    monkeypatch.setattr("spearmint_int.sampling.chain.BURN_IN_ROWS", 1000)
    every = np.log(thetas(sampled_from(250, long, 1))[:, 1:])
    assert np.all(np.abs(some.mean(axis=0) - every.mean(axis=0)) < 1.5 * every.std(axis=0))


def test_a_burn_in_on_many_rows_costs_few_factorizations_of_all_of_them() -> None:
    few = sampled_from(250, SamplerOptions(samples=1, burn_in=100), 0)
    assert not few.health.resumed
    assert few.health.evaluations < 100 * 4


# --- going on -------------------------------------------------------------------------------------


def test_a_chain_goes_on_from_its_json_as_from_itself() -> None:
    state = sampled().state
    stored = json.loads(json.dumps(state.to_json(), allow_nan=False))
    loaded = ChainState.from_json(stored, chains=1, size=8)
    assert np.array_equal(
        thetas(sampled(seed=1, start=loaded)), thetas(sampled(seed=1, start=state))
    )


def test_a_resumed_chain_starts_where_the_last_one_stood_and_pays_no_burn_in() -> None:
    first = sampled(replace(QUICK, burn_in=200))
    second = sampled(seed=1, start=first.state)
    assert second.health.resumed
    assert second.health.evaluations < 0.2 * first.health.evaluations
    assert np.array_equal(second.state.trace[:6], first.state.trace)


def test_a_chain_that_cant_go_on_starts_anew_as_if_there_had_been_none() -> None:
    """Its length scales are outside of the priors: they have been changed since."""
    elsewhere = sampled_from(160, QUICK, 0, length_scale=uniform(3.0, 4.0)).state
    anew = sampled_from(160, QUICK, 1, start=elsewhere, length_scale=uniform(0.1, 1.0))
    plain = sampled_from(160, QUICK, 1, length_scale=uniform(0.1, 1.0))
    assert not anew.health.resumed
    assert len(anew.state.trace) == len(plain.state.trace)
    assert anew.health.evaluations < 2 * plain.health.evaluations


def test_exact_repeats_do_not_freeze_a_chain_under_spearmints_own_prior_of_the_noise() -> None:
    """Its density is infinite at 0, and so is the likelihood: the lower bound holds both."""
    U = np.repeat(np.linspace(0.1, 0.9, 8), 20)[:, np.newaxis]
    data = TrainingData.collapse(U, np.repeat(np.arange(8.0) - 3.5, 20))
    space = Space({"x": Float(0, 1)})
    model = Model(
        Covariance.over(space, kernel_named("matern52")),
        Priors().with_({"noise": horseshoe(0.1)}),
        noiseless=False,
    )
    draws = sample_posteriors(data, model, QUICK, rng=np.random.default_rng(0))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        draws = sample_posteriors(data, model, QUICK, rng=rng, start=draws.state)
    assert np.min(thetas(draws)[:, 2]) >= LEAST_NOISE
    assert draws.health.stuck == 0


def test_slice_widths_are_fitted_while_burning_in_and_then_left_alone() -> None:
    first = sampled()
    second = sampled(seed=1, start=first.state)
    assert not np.all(first.state.widths[:, 2:] == 1.0)
    assert np.array_equal(first.state.widths, second.state.widths)


@pytest.mark.parametrize(
    "damage",
    [
        lambda s: s.pop("states"),
        lambda s: s.update(states="lost"),
        lambda s: s.update(states=[[0.0] * 5]),
        lambda s: s.update(states=[[float("nan")] * 7]),
        lambda s: s.update(widths=[[0.0] * 7]),
        lambda s: s.update(trace=[]),
    ],
)
def test_a_damaged_or_foreign_chain_is_not_gone_on_with(damage: Any) -> None:
    stored = sampled().state.to_json()
    damage(stored)
    assert ChainState.from_json(stored, chains=1, size=8) is None


def test_a_state_that_new_data_make_impossible_starts_anew() -> None:
    state = sampled().state
    outside = replace(state, states=state.states + np.array([0, 0, 0, 0, 0, 50.0, 0, 0]))
    draws = sampled(start=outside)
    assert not draws.health.fallback
    assert np.all(thetas(draws)[:, 3:] <= 10.0)


# --- side by side ---------------------------------------------------------------------------------


def test_threads_change_the_time_and_not_the_samples() -> None:
    options = replace(QUICK, samples=12, chains=4)
    one, four = (sampled(replace(options, threads=threads)) for threads in (1, 4))
    assert np.array_equal(thetas(one), thetas(four))


def test_chains_differ_from_each_other() -> None:
    rows = thetas(sampled(replace(QUICK, samples=4, chains=4)))
    assert len({tuple(row) for row in rows}) == 4


def test_chains_from_far_apart_agree_when_they_have_run_for_long() -> None:
    U, y = some_data(MIXED, 15)
    draws = []
    for seed, length in enumerate([-3.0, -1.0, 0.0, 2.0]):
        chain = Problem(MIXED, U, y).chain(seed=seed)
        chain.set_state(Problem(MIXED, U, y).start(length=length, ratio=-4.0), np.ones(8))
        chain.sweep(200, True)
        states = []
        for _ in range(1500):
            chain.sweep(1, False)
            states.append(chain.state)
        draws.append(states)
    for coordinate in np.array(draws).transpose(2, 0, 1):
        assert split_rhat(coordinate) < 1.1


# --- kernels of one's own -------------------------------------------------------------------------


class PythonMatern52:
    def correlation(self, r2: FloatArray) -> FloatArray:
        return matern52(r2)

    def slope(self, r2: FloatArray) -> FloatArray:
        s = np.sqrt(5.0 * r2)
        return np.asarray(-5.0 / 6.0 * (1.0 + s) * np.exp(-s))


class Borrowed:
    """The compiled kernel, called through Python."""

    def correlation(self, r2: FloatArray) -> FloatArray:
        return KERNELS["matern52"].correlation(r2)

    def slope(self, r2: FloatArray) -> FloatArray:
        return KERNELS["matern52"].slope(r2)


class Breaks(PythonMatern52):
    """Works until it is registered."""

    broken = False

    def correlation(self, r2: FloatArray) -> FloatArray:
        if self.broken:
            raise RuntimeError("out of order")
        return super().correlation(r2)


class NotPositiveDefinite:
    """A correlation by its looks only: no matrix of it can be factored without much noise."""

    def correlation(self, r2: FloatArray) -> FloatArray:
        return np.asarray(np.cos(3.0 * r2))

    def slope(self, r2: FloatArray) -> FloatArray:
        return np.asarray(-3.0 * np.sin(3.0 * r2))


def test_a_kernel_in_python_gives_the_samples_of_the_compiled_one() -> None:
    register_kernel("borrowed", Borrowed())
    assert np.array_equal(thetas(sampled(kernel="borrowed")), thetas(sampled()))


def test_a_formula_in_python_gives_the_samples_of_the_compiled_one_to_rounding() -> None:
    register_kernel("mine", PythonMatern52())
    assert np.allclose(thetas(sampled(kernel="mine")), thetas(sampled()), rtol=1e-6)


def test_a_kernel_in_python_runs_in_threads_too() -> None:
    register_kernel("mine", PythonMatern52())
    options = replace(QUICK, samples=4, chains=2, threads=2)
    assert np.all(np.isfinite(thetas(sampled(options, kernel="mine"))))


# --- what can't be factored -----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_kernel_that_raises_ends_in_a_linear_algebra_error_and_no_crash() -> None:
    kernel = Breaks()
    register_kernel("breaks", kernel)
    kernel.broken = True
    with pytest.raises(np.linalg.LinAlgError):
        sampled(kernel="breaks")


@pytest.mark.parametrize("noiseless", [False, True])
def test_a_kernel_that_is_not_positive_definite_never_crashes_a_chain(noiseless: bool) -> None:
    register_kernel("wave", NotPositiveDefinite())
    try:
        draws = sampled(kernel="wave", noiseless=noiseless)
    except np.linalg.LinAlgError:
        return
    assert np.all(np.isfinite(thetas(draws)))


@pytest.mark.parametrize("kernel", ["matern52", "squared_exponential"])
def test_points_that_crowd_together_never_crash_a_noiseless_chain(kernel: str) -> None:
    U = 0.5 + 1e-7 * np.random.default_rng(0).random((40, 2))
    data = TrainingData.collapse(U, np.sin(1e7 * U[:, 0]))
    draws = sample_posteriors(
        data,
        Model(Covariance.over(TWO_REALS, kernel_named(kernel)), Priors(), noiseless=True),
        QUICK,
        rng=np.random.default_rng(0),
    )
    everywhere = np.random.default_rng(1).random((50, 2))
    mean, variance = Ensemble(draws.posteriors, unrounded).moments(everywhere)
    assert np.all(np.isfinite(mean))
    assert np.all(variance >= 0.0)


@pytest.mark.parametrize("noiseless", [False, True])
def test_equal_values_never_crash_a_chain(noiseless: bool) -> None:
    U, _ = some_data(TWO_REALS, 10)
    problem = Problem(TWO_REALS, U, np.zeros(10), noiseless=noiseless)
    chain = problem.chain()
    chain.set_state(problem.start(), np.ones(7))
    chain.sweep(500, True)
    assert np.all(np.isfinite(chain.state))
    assert math.isfinite(chain.log_posterior)


def test_the_health_of_a_chain_is_plain_json() -> None:
    health = sampled().health.to_json()
    assert json.loads(json.dumps(health, allow_nan=False)) == health
    assert health["stuck_moves"] == 0
    assert not health["fallback"]
