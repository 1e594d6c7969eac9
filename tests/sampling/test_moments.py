"""The sampler against a grid integral of the same posterior."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spearmint_int.arrays import FloatArray
from spearmint_int.sampling import Priors, effective_sample_size
from spearmint_int.sampling.layout import POWER, TREND
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int
from tests.sampling.posteriors import PROPER, Problem, one_length_scale_grid

REAL, INTEGER = Space({"x": Float(0, 1)}), Space({"k": Int(0, 3)})


def toy(space: Space, *, priors: Priors, noiseless: bool = False, n: int = 8) -> Problem:
    rng = np.random.default_rng(5)
    U = rng.random((n, 1))
    y = np.sin(6.0 * space.snap(U)[:, 0]) + 0.3 * rng.standard_normal(n)
    if noiseless:  # one value for each row
        y = np.sin(6.0 * space.snap(U)[:, 0])
    return Problem(space, U, y, priors, noiseless=noiseless)


def grid(problem: Problem, points: int = 41) -> FloatArray:
    top = np.log(min(problem.priors.length_scale.upper, 30.0))
    axes = [
        np.linspace(-4.0, 4.0, points),
        np.linspace(-2.5, 3.5, points),
        np.zeros(1) if problem.noiseless else np.linspace(-30.0, 6.0, 4 * points),
        np.linspace(-6.0, top, 2 * points),
    ]
    return one_length_scale_grid(problem, axes)


def draws_of(problem: Problem, sweeps: int) -> FloatArray:
    """[sweeps, 4] after a burn-in with adaptation."""
    chain = problem.chain(seed=1)
    chain.set_state(problem.start(), np.ones(len(problem.start())))
    chain.sweep(300, True)
    states = np.empty((sweeps, 4))
    for i in range(sweeps):
        chain.sweep(1, False)
        states[i] = np.delete(chain.state, [POWER, TREND])  # which don't move
    return states


def assert_moments_agree(problem: Problem, sweeps: int) -> None:
    means, sds = grid(problem)
    draws = draws_of(problem, sweeps)
    for coordinate in (0, 1, 3) if problem.noiseless else range(4):
        x = draws[:, coordinate]
        error = sds[coordinate] / np.sqrt(effective_sample_size(x))
        assert abs(np.mean(x) - means[coordinate]) < 4.0 * error + 1e-3
        assert np.std(x) == pytest.approx(sds[coordinate], rel=0.08)


def test_the_sampler_has_the_moments_of_the_grid_integral() -> None:
    assert_moments_agree(toy(REAL, priors=PROPER), 12_000)


def test_the_sampler_has_the_moments_of_the_grid_integral_under_the_default_priors() -> None:
    assert_moments_agree(toy(REAL, priors=Priors()), 15_000)


def test_the_sampler_has_the_moments_of_the_grid_integral_with_replicates() -> None:
    problem = toy(INTEGER, priors=PROPER, n=12)
    assert len(problem.data.X) == 4
    assert_moments_agree(problem, 12_000)


def test_the_sampler_has_the_moments_of_the_grid_integral_without_noise() -> None:
    assert_moments_agree(toy(REAL, priors=PROPER, noiseless=True), 12_000)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["matern32", "matern52", "squared_exponential"])
@pytest.mark.parametrize("priors", [PROPER, Priors()], ids=["proper", "default"])
@pytest.mark.parametrize("space", [REAL, INTEGER], ids=["real", "integer"])
def test_a_long_run_has_the_moments_of_the_grid_integral(
    kernel: str, priors: Priors, space: Space
) -> None:
    assert_moments_agree(replace(toy(space, priors=priors, n=10), kernel=kernel), 60_000)
