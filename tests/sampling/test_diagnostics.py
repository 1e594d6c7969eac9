"""Effective sample size and split-R̂ on processes for which they are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import lfilter

from spearmint_int.arrays import FloatArray
from spearmint_int.sampling import effective_sample_size, split_rhat


def autoregressive(rho: float, chains: int, n: int, *, seed: int = 0) -> FloatArray:
    """x_t = ρ x_{t−1} + ε, stationary from its start; its ESS is n (1 − ρ)/(1 + ρ)."""
    steps = np.random.default_rng(seed).standard_normal((chains, n))
    steps[:, 0] /= math.sqrt(1.0 - rho * rho)
    return np.asarray(lfilter([1.0], [1.0, -rho], steps, axis=1))


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9])
def test_the_effective_sample_size_of_an_autoregressive_process_is_known(rho: float) -> None:
    estimates = [
        effective_sample_size(autoregressive(rho, 4, 10_000, seed=seed)) for seed in range(20)
    ]
    assert np.mean(estimates) == pytest.approx(40_000 * (1.0 - rho) / (1.0 + rho), rel=0.05)


def test_the_effective_sample_size_never_exceeds_the_draws() -> None:
    assert effective_sample_size(autoregressive(-0.8, 2, 1000)) <= 2000


def test_a_drifting_chain_has_few_effective_samples() -> None:
    drift = np.linspace(0.0, 10.0, 1000) + np.random.default_rng(0).standard_normal(1000)
    assert effective_sample_size(drift) < 20


def test_split_rhat_of_independent_draws_is_one() -> None:
    draws = np.random.default_rng(0).standard_normal((4, 2000))
    assert split_rhat(draws) == pytest.approx(1.0, abs=0.01)


def test_split_rhat_sees_a_drift_inside_of_one_chain() -> None:
    drift = np.linspace(0.0, 5.0, 500) + np.random.default_rng(0).standard_normal(500)
    assert split_rhat(drift) > 1.5


def test_split_rhat_sees_chains_that_disagree() -> None:
    draws = np.random.default_rng(0).standard_normal((2, 500)) + np.array([[0.0], [3.0]])
    assert split_rhat(draws) > 1.5


def test_split_rhat_agrees_with_its_formula() -> None:
    draws = np.random.default_rng(1).standard_normal((3, 10))
    halves = draws.reshape(6, 5)
    within = np.mean(np.var(halves, axis=1, ddof=1))
    between = 5 * np.var(np.mean(halves, axis=1), ddof=1)
    expected = math.sqrt((4 / 5 * within + between / 5) / within)
    assert split_rhat(draws) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_too_few_draws_are_not_judged(count: int) -> None:
    draws = np.random.default_rng(0).standard_normal((1, count))
    assert math.isnan(split_rhat(draws))
    assert math.isnan(effective_sample_size(draws))


def test_a_chain_that_stands_still_is_told_apart_from_chains_stuck_in_different_places() -> None:
    assert split_rhat(np.ones((2, 50))) == 1.0
    assert split_rhat(np.array([[1.0], [2.0]]) * np.ones((2, 50))) == math.inf
