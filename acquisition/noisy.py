"""Noisy EI (Letham et al. 2019): condition on draws of the latent values instead of on the noise.

For each hyperparameter sample the latent values f at the training rows are drawn from their
posterior; given them the model is noiseless, and the incumbent of a draw is its least f. A point
that was evaluated before can't improve on itself, so that noise alone never makes it go back.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from spearmint_int.model import Ensemble, Posterior, factor_of
from spearmint_int.space import FloatArray


def with_latent_draws(ensemble: Ensemble, draws: int, rng: np.random.Generator) -> Ensemble:
    """Every posterior as a noiseless one with `draws` fantasies of its own training values."""
    return Ensemble(tuple(_with_latent_draws(p, draws, rng) for p in ensemble.posteriors))


def _with_latent_draws(posterior: Posterior, draws: int, rng: np.random.Generator) -> Posterior:
    if posterior.noiseless:
        return posterior
    theta = posterior.theta
    L = factor_of(posterior.data, theta, posterior.covariance, noiseless=True)
    values = _latent_values(posterior, L, draws, rng)
    clean = Posterior.fit(posterior.data, theta, posterior.covariance, noiseless=True, factor=L)
    return replace(clean, whitened=(values - theta.mean) @ clean.R.T, values=values)


def _latent_values(
    posterior: Posterior, L: FloatArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """f [F · draws, n] from p(f | y), by Matheron's rule: a joint draw (f₀, y₀) from the prior is
    moved by C A⁻¹ (y − y₀), and C A⁻¹ r = r − (A − C) A⁻¹ r needs no other matrix."""
    F, n = posterior.values.shape
    amplitude = math.sqrt(posterior.theta.amplitude2)
    diagonal = posterior.noise_diagonal
    f0 = amplitude * rng.standard_normal((F, draws, n)) @ L.T
    y0 = f0 + amplitude * np.sqrt(diagonal) * rng.standard_normal((F, draws, n))
    residual = posterior.values[:, np.newaxis, :] - posterior.theta.mean - y0
    solved = (residual @ posterior.R.T) @ posterior.R
    f = posterior.theta.mean + f0 + residual - diagonal * solved
    return np.reshape(f, (F * draws, n))
