"""Sobol points: spread out, reproducible, and a sequence that can be continued."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from spearmint_int.acquisition import sobol_design
from spearmint_int.acquisition.sobol import shifted_sobol


def test_a_shorter_design_is_the_start_of_a_longer_one() -> None:
    assert np.array_equal(sobol_design(16, 3, seed=1), sobol_design(64, 3, seed=1)[:16])


def test_seeds_give_different_designs() -> None:
    assert not np.array_equal(sobol_design(8, 2, seed=0), sobol_design(8, 2, seed=1))


@pytest.mark.parametrize("count", [1, 2, 3, 100, 1000, 2000])
def test_any_number_of_points_can_be_had(count: int) -> None:
    points = sobol_design(count, 4, seed=0)
    assert points.shape == (count, 4)
    assert np.all((points >= 0.0) & (points < 1.0))


def test_points_are_spread_better_than_random_ones() -> None:
    sobol = qmc.discrepancy(sobol_design(256, 3, seed=0))
    random = qmc.discrepancy(np.random.default_rng(0).random((256, 3)))
    assert sobol < 0.2 * random


def test_a_shift_keeps_the_spread_and_changes_every_point() -> None:
    rng = np.random.default_rng(0)
    one, two = (shifted_sobol(256, 3, seed=0, rng=rng) for _ in range(2))
    assert qmc.discrepancy(one) < 0.3 * qmc.discrepancy(rng.random((256, 3)))
    assert not np.any(one == two)
    assert np.all((one >= 0.0) & (one < 1.0))
