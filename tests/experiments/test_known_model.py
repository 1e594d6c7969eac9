"""The model that knows everything: its posterior against a dense one, and its acquisitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from experiments.known_model import ACQUISITIONS, KnownModel, covariance, improvement
from experiments.synthetic import FOUR_D

ROWS, VALUES = [5, 700, 701, 3000, 700], np.array([0.3, -1.0, -0.8, 1.1, -0.9])


def model_of_five() -> KnownModel:
    model = KnownModel(np.random.default_rng(0))
    for row, value in zip(ROWS, VALUES, strict=True):
        model.add(row, float(value))
    return model


def test_one_row_at_a_time_is_the_posterior_of_all() -> None:
    model, K = model_of_five(), covariance()
    A = K[np.ix_(ROWS, ROWS)] + FOUR_D.noise_variance * np.eye(len(ROWS))
    cross = K[:, ROWS]
    assert np.allclose(model.mean, cross @ np.linalg.solve(A, VALUES), atol=1e-10)
    variance = 1.0 - np.sum(cross * np.linalg.solve(A, cross.T).T, axis=1)
    assert np.allclose(model.sd**2, np.maximum(variance, 1e-12), atol=1e-10)


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize("gamma", [-2.0, 0.0, 1.5])
def test_the_expected_power_of_an_improvement_is_its_integral(gamma: float, power: int) -> None:
    expected, _ = quad(lambda e: (gamma - e) ** power * norm.pdf(e), -9.0, gamma)
    assert improvement(np.array([gamma]), power)[0] == pytest.approx(expected, rel=1e-6)


def test_every_acquisition_scores_every_node() -> None:
    model = model_of_five()
    for acquisition in ACQUISITIONS.values():
        scores = acquisition(model)
        assert scores.shape == model.mean.shape
        assert np.all(np.isfinite(scores))
        assert np.ptp(scores) > 0.0
