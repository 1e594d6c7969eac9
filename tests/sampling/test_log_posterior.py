"""The compiled log posterior against scipy's normal density, priors and Jacobian."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels import InputWarp
from spearmint_int.model.factor import JITTER
from spearmint_int.model.outputs import unwarp, warp
from spearmint_int.sampling._chain import warp_inputs, warp_outputs
from spearmint_int.sampling.layout import LENGTHS, POWER
from spearmint_int.sampling.priors import Priors, gamma, normal, uniform
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int
from tests.sampling.posteriors import PROPER, Problem
from tests.twins import CORRELATIONS, MIXED, column_weights, some_data, squared_distances

CONSTANT = Space({"k": Int(3, 3)})


def problem_with(space: Space = MIXED, *, n: int = 12, repeats: int = 0) -> Problem:
    U, y = some_data(space, n, repeats=repeats)
    return Problem(space, U, y)


def some_states(problem: Problem, count: int = 25, *, seed: int = 0) -> list[FloatArray]:
    rng = np.random.default_rng(seed)
    states = problem.start() + 0.5 * rng.standard_normal((count, len(problem.start())))
    states[:, POWER] = rng.random(count) if problem.warps_outputs else 1.0
    return list(states)


def assert_same_up_to_a_constant(problem: Problem, states: list[FloatArray]) -> None:
    chain = problem.chain()
    ours = np.array([chain.set_state(s, np.ones(len(s))) for s in states])
    expected = np.array([problem.log_posterior(s) for s in states])
    assert np.allclose(ours - ours[0], expected - expected[0], rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("kernel", sorted(CORRELATIONS))
def test_the_log_posterior_is_scipys(kernel: str) -> None:
    problem = replace(problem_with(), kernel=kernel)
    assert_same_up_to_a_constant(problem, some_states(problem))


def test_the_log_posterior_of_collapsed_replicates_is_that_of_all_observations() -> None:
    problem = problem_with(repeats=8)
    assert len(problem.data.X) == 12
    assert_same_up_to_a_constant(problem, some_states(problem))


def test_the_log_posterior_of_integers_that_share_cells_is_that_of_all_observations() -> None:
    space = Space({"k": Int(0, 2), "e": Enum(list("ab"))})
    problem = problem_with(space, n=30)
    assert len(problem.data.X) == 6
    assert_same_up_to_a_constant(problem, some_states(problem))


def test_the_log_posterior_without_noise_is_scipys() -> None:
    problem = replace(problem_with(), noiseless=True)
    states = [s for s in some_states(problem) if np.max(s[LENGTHS:]) < 0.7]
    assert_same_up_to_a_constant(problem, states)


def warped(problem: Problem) -> Problem:
    """With both warps, and outputs standardised by those of another data set."""
    reference = np.array([-1.0, 0.2, 0.5, 3.0, 20.0])
    return replace(problem, warps_outputs=True, warped_columns=(0, 1), reference=reference)


@pytest.mark.parametrize("repeats", [0, 8])
def test_the_log_posterior_with_warps_is_scipys(repeats: int) -> None:
    problem = warped(problem_with(repeats=repeats))
    assert_same_up_to_a_constant(problem, some_states(problem))


@pytest.mark.parametrize("repeats", [0, 8])
def test_the_log_posterior_with_a_trend_is_scipys(repeats: int) -> None:
    problem = replace(problem_with(repeats=repeats), trend=True)
    assert_same_up_to_a_constant(problem, some_states(problem))


def test_the_log_posterior_with_a_trend_and_warps_is_scipys() -> None:
    problem = warped(replace(problem_with(), trend=True))
    assert_same_up_to_a_constant(problem, some_states(problem))


def test_the_compiled_warps_agree_with_numpy() -> None:
    y, u = np.linspace(-3.0, 9.0, 50), np.linspace(0.0, 1.0, 50)
    for power in (-0.5, 0.0, 1e-12, 0.3, 1.0):
        assert np.allclose(warp_outputs(y, power), warp(y, power), rtol=1e-12, atol=1e-14)
        assert np.allclose(unwarp(warp(y, power), power), y, rtol=1e-9)
    theirs = InputWarp((0,), (0.4,), (2.5,)).apply(u[:, np.newaxis])[:, 0]
    assert np.allclose(warp_inputs(u, 0.4, 2.5), theirs, atol=1e-3)
    assert np.allclose(warp_inputs(u, 0.4, 2.5)[1:-1], theirs[1:-1], rtol=1e-12)


def test_other_priors_enter_with_their_own_densities() -> None:
    priors = Priors(normal(1.0, 0.5), gamma(2.0, 1.0), PROPER.noise, uniform(0.0, 5.0))
    problem = replace(problem_with(), priors=priors)
    assert_same_up_to_a_constant(problem, some_states(problem))


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_observations_are_enough(n: int) -> None:
    problem = problem_with(n=n)
    assert_same_up_to_a_constant(problem, some_states(problem))


def test_a_space_without_a_length_scale_has_a_log_posterior_too() -> None:
    problem = Problem(CONSTANT, np.full((5, 1), 0.5), np.arange(5.0))
    assert_same_up_to_a_constant(problem, some_states(problem))


def test_a_state_outside_of_a_prior_has_no_density() -> None:
    problem = problem_with()
    state = problem.start(length=math.log(10.1))
    assert problem.chain().set_state(state, np.ones(len(state))) == -math.inf


@pytest.mark.parametrize("noiseless", [False, True])
@pytest.mark.parametrize("repeats", [0, 6])
@pytest.mark.parametrize("warps", [False, True])
def test_what_the_chain_knows_after_its_moves_is_what_it_would_compute_afresh(
    noiseless: bool, repeats: int, warps: bool
) -> None:
    problem = warped(problem_with(repeats=repeats)) if warps else problem_with(repeats=repeats)
    problem = replace(problem, noiseless=noiseless)
    chain = problem.chain()
    widths = np.ones(len(problem.start()))
    chain.set_state(problem.start(), widths)
    for _ in range(20):
        chain.sweep(1, False)
        fresh = problem.chain().set_state(chain.state, widths)
        assert chain.log_posterior == pytest.approx(fresh, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("noiseless", [False, True])
def test_the_factor_after_a_sweep_is_that_of_the_state(noiseless: bool) -> None:
    problem = replace(problem_with(Space({"x": Float(0, 1), "k": Int(0, 3)})), noiseless=noiseless)
    chain = problem.chain()
    chain.set_state(problem.start(), np.ones(len(problem.start())))
    chain.sweep(7, False)
    theta, data = problem.theta(chain.state), problem.data
    r2 = squared_distances(data.X, data.X, column_weights(problem.space, theta))
    nugget = theta.noise_ratio / data.counts + JITTER
    A = CORRELATIONS["matern52"](r2) + np.diag(nugget)
    assert np.allclose(chain.factor() @ chain.factor().T, A, atol=1e-13)
