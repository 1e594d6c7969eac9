"""The joint test of Geweke (2004): alternate θ | y by the chain and y | θ by simulation.

If both are right, the θ's of the alternation have the prior's distribution, whatever the data. A
slip in the likelihood, a prior, a Jacobian or a move shows as a moment that is off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ks_2samp, kstest

from spearmint_int.arrays import FloatArray
from spearmint_int.model import OutputWarp
from spearmint_int.sampling import effective_sample_size
from spearmint_int.sampling.layout import AMPLITUDE, LENGTHS, POWER, TREND
from spearmint_int.sampling.priors import Priors, lognormal, mixture, uniform
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int
from tests.sampling.posteriors import PROPER, Problem
from tests.twins import DenseGP

SPACES = {
    "real": Space({"x": Float(0, 1)}),
    "mixed": Space({"x": Float(0, 1), "k": Int(0, 2)}),
    "replicates": Space({"k": Int(0, 1), "e": Enum(list("ab"))}),
}


def alternate(
    space: Space,
    rounds: int,
    *,
    noiseless: bool = False,
    noise_factor: float = 1.0,
    n: int = 6,
    trend: bool = False,
) -> FloatArray:
    """States [rounds, |s|]; a `noise_factor` other than 1 simulates the data wrongly."""
    rng = np.random.default_rng(2)
    U = rng.random((n, space.dimensions))
    if noiseless:
        U = np.unique(space.snap(U), axis=0)
    state = Problem(space, U, np.zeros(n)).start(ratio=-1.0)
    states = np.empty((rounds, len(state)))
    for i in range(rounds):
        problem = Problem(space, U, np.zeros(len(U)), PROPER, noiseless=noiseless, trend=trend)
        gp = DenseGP(space, U, problem.y, problem.theta(state))
        K = gp.K + (noise_factor - 1.0) * gp.theta.noise * np.eye(len(U))
        y = gp.prior_mean(U) + np.linalg.cholesky(K) @ rng.standard_normal(len(U))
        chain = replace(problem, y=y).chain(seed=i)
        chain.set_state(state, np.ones(len(state)))
        chain.sweep(1, False)
        states[i] = state = chain.state
    return states


def by_their_priors(states: FloatArray) -> FloatArray:
    """m, log √amp2, log noise (log ν + log amp2) and log ℓ …: without a warp, no λ."""
    columns = np.delete(states, [POWER, TREND], axis=1)
    columns[:, 2] += 2.0 * columns[:, 1]
    return columns


def z_scores(states: FloatArray, *, noiseless: bool = False) -> FloatArray:
    """Of the first two moments of every hyperparameter against those of its normal prior."""
    columns = by_their_priors(states)
    priors = [PROPER.mean, PROPER.amplitude, PROPER.noise]
    priors += [PROPER.length_scale] * (columns.shape[1] - 3)
    scores = []
    for coordinate, prior in enumerate(priors):
        if noiseless and coordinate == 2:
            continue
        z = (columns[:, coordinate] - prior.a) / prior.b
        for moment, expected, variance in ((z, 0.0, 1.0), (z * z, 1.0, 2.0)):
            error = np.sqrt(variance / effective_sample_size(moment))
            scores.append((np.mean(moment) - expected) / error)
    return np.array(scores)


@pytest.mark.parametrize("name", SPACES)
def test_the_joint_distribution_has_the_priors_moments(name: str) -> None:
    assert np.max(np.abs(z_scores(alternate(SPACES[name], 4000)))) < 4.0


def test_the_joint_distribution_without_noise_has_the_priors_moments() -> None:
    states = alternate(SPACES["mixed"], 4000, noiseless=True)
    assert np.max(np.abs(z_scores(states, noiseless=True))) < 4.0


@pytest.mark.parametrize("name", SPACES)
def test_the_joint_distribution_with_a_trend_has_the_priors_moments(name: str) -> None:
    states = alternate(SPACES[name], 4000, trend=True)
    assert np.max(np.abs(z_scores(states))) < 4.0
    log_sd = states[:, AMPLITUDE] + 0.5 * states[:, TREND]
    z = (log_sd - PROPER.trend.a) / PROPER.trend.b
    error = 1.0 / np.sqrt(effective_sample_size(z))
    assert abs(np.mean(z)) < 4.0 * error
    assert abs(np.mean(z**2) - 1.0) < 4.0 * np.sqrt(2.0 / effective_sample_size(z**2))


def test_the_joint_test_notices_data_that_are_simulated_wrongly() -> None:
    states = alternate(SPACES["replicates"], 3000, noise_factor=2.0)
    assert np.max(np.abs(z_scores(states))) > 6.0


def proper_lengths(rng: np.random.Generator, groups: int) -> FloatArray:
    """log ℓ [groups] from PROPER."""
    return rng.normal(PROPER.length_scale.a, PROPER.length_scale.b, groups)


def swept_from_the_joint(
    space: Space,
    n: int,
    replicates: int,
    *,
    sweeps: int,
    priors: Priors = PROPER,
    draw_lengths: Callable[[np.random.Generator, int], FloatArray] = proper_lengths,
) -> FloatArray:
    """θ from the prior, y given θ, then a few sweeps: independent draws, again from the prior."""
    rng = np.random.default_rng(4)
    levels = [priors.mean, priors.amplitude, priors.noise]
    groups = len(space.groups)
    ends = np.empty((replicates, LENGTHS + groups))
    for i in range(replicates):
        U = rng.random((n, space.dimensions))
        state = np.array([rng.normal(prior.a, prior.b) for prior in levels])
        state[2] -= 2.0 * state[1]
        lengths = draw_lengths(rng, groups)
        state = np.concatenate([state, [1.0, 0.0], lengths])  # no warp, no trend
        theta = Problem(space, U, np.zeros(n)).theta(state)
        K = DenseGP(space, U, np.zeros(n), theta).K
        y = theta.mean + np.linalg.cholesky(K) @ rng.standard_normal(n)
        chain = Problem(space, U, y, priors).chain(seed=i)
        chain.set_state(state, np.ones(len(state)))
        chain.sweep(sweeps, False)
        ends[i] = chain.state
    return ends


def least_p_value(states: FloatArray) -> float:
    """Of Kolmogorov and Smirnov's test of every hyperparameter against its prior."""
    columns = by_their_priors(states)
    groups = columns.shape[1] - 3
    priors = [PROPER.mean, PROPER.amplitude, PROPER.noise, *[PROPER.length_scale] * groups]
    tests = [kstest((x - p.a) / p.b, "norm") for x, p in zip(columns.T, priors, strict=True)]
    return float(min(test.pvalue for test in tests))


def test_sweeps_leave_the_posterior_as_it_is() -> None:
    assert least_p_value(swept_from_the_joint(SPACES["mixed"], 12, 2000, sweeps=3)) > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 160])
def test_sweeps_over_many_rows_leave_the_posterior_as_it_is(n: int) -> None:
    assert least_p_value(swept_from_the_joint(SPACES["mixed"], n, 4000, sweeps=4)) > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("noiseless", [False, True])
def test_a_long_joint_run_has_the_priors_moments(name: str, noiseless: bool) -> None:
    states = alternate(SPACES[name], 30_000, noiseless=noiseless, n=9)
    assert np.max(np.abs(z_scores(states, noiseless=noiseless))) < 4.0


# --- length scales that share the part of a mixture -----------------------------------------------

APART = mixture(-1.5, 0.3, 1.0, 0.8)


def lengths_from_the_mixture(rng: np.random.Generator, groups: int) -> FloatArray:
    """log ℓ [groups], all from the same part of APART."""
    mu, sigma = (APART.a, APART.b) if rng.random() < 0.5 else (APART.c, APART.d)
    return rng.normal(mu, sigma, groups)


def test_sweeps_leave_length_scales_of_a_mixture_as_they_are() -> None:
    """Each of them, and their difference, which tells a part of all from a part of each."""
    priors = replace(PROPER, length_scale=APART)
    ends = swept_from_the_joint(
        SPACES["mixed"], 10, 2000, sweeps=4, priors=priors, draw_lengths=lengths_from_the_mixture
    )[:, LENGTHS:]
    rng = np.random.default_rng(9)
    drawn = np.array([lengths_from_the_mixture(rng, 2) for _ in range(20_000)])
    for weights in ([1.0, 0.0], [0.0, 1.0], [1.0, -1.0]):
        assert ks_2samp(ends @ weights, drawn @ weights).pvalue > 1e-4
    apart = drawn[:, 0] - np.random.default_rng(10).permutation(drawn[:, 1])
    assert ks_2samp(ends[:, 0] - ends[:, 1], apart).pvalue < 1e-6


# --- with warps -----------------------------------------------------------------------------------

WARPED = replace(PROPER, output_power=uniform(0.0, 1.0), input_warp=lognormal(0.0, 0.5))
SOME_OUTPUTS = np.array([-1.5, -0.5, 0.0, 0.4, 1.0, 4.0])  # what a warp standardises by


def swept_with_warps(replicates: int, *, n: int, sweeps: int, jacobian: bool = True) -> FloatArray:
    """As `swept_from_the_joint` with warps too: (λ, log a, log b) at the end.

    Without the Jacobian of the outputs the data are simulated wrongly, which must be noticed.
    """
    space, rng = SPACES["mixed"], np.random.default_rng(6)
    ends = np.empty((replicates, 3))
    for i in range(replicates):
        U = rng.random((n, space.dimensions))
        problem = Problem(
            space,
            U,
            np.zeros(n),
            WARPED,
            warps_outputs=True,
            warped_columns=(0,),
            reference=SOME_OUTPUTS,
        )
        priors = [WARPED.mean, WARPED.amplitude, WARPED.noise, *[WARPED.length_scale] * 2]
        state = np.array([rng.normal(prior.a, prior.b) for prior in priors])
        state[2] -= 2.0 * state[1]
        state = np.concatenate([state[:3], [rng.random(), 0.0], state[3:], rng.normal(0.0, 0.5, 2)])
        theta = problem.theta(state)
        K = DenseGP(space, U, np.zeros(n), theta).K
        z = theta.mean + np.linalg.cholesky(K) @ rng.standard_normal(n)
        outputs = OutputWarp.standardising(theta.power if jacobian else 1.0, SOME_OUTPUTS)
        y = replace(outputs, highest=np.inf).undo(z)
        chain = replace(problem, y=y).chain(seed=i)
        chain.set_state(state, np.ones(len(state)))
        chain.sweep(sweeps, False)
        ends[i] = chain.state[[POWER, LENGTHS + 2, LENGTHS + 3]]
    return ends


def least_p_value_of_warps(ends: FloatArray) -> float:
    tests = [kstest(ends[:, 0], "uniform"), *(kstest(ends[:, i] / 0.5, "norm") for i in (1, 2))]
    return float(min(test.pvalue for test in tests))


def test_sweeps_leave_the_posterior_of_the_warps_as_it_is() -> None:
    assert least_p_value_of_warps(swept_with_warps(1500, n=10, sweeps=3)) > 1e-4


def test_the_joint_test_notices_outputs_that_are_warped_wrongly() -> None:
    assert least_p_value_of_warps(swept_with_warps(600, n=10, sweeps=3, jacobian=False)) < 1e-6


@pytest.mark.slow
def test_many_sweeps_leave_the_posterior_of_the_warps_as_it_is() -> None:
    assert least_p_value_of_warps(swept_with_warps(6000, n=25, sweeps=10)) > 1e-4
