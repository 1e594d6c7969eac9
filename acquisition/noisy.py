"""Noisy EI (Letham et al. 2019): EI under noiseless models of draws of the latent values.

For each hyperparameter sample the latent values f at the training rows are drawn from their
posterior. Given a draw the model is noiseless, and its incumbent is the least f. An evaluated point
can't improve on itself, so that noise alone never leads the search back to one.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.model import Ensemble, Posterior, factor_of
from spearmint_int.model.factor import JITTER, Factor


def with_latent_draws(ensemble: Ensemble, draws: int, rng: np.random.Generator) -> Ensemble:
    """Every posterior as a noiseless one with `draws` fantasies of its own training values."""
    posteriors = tuple(_with_latent_draws(p, draws, rng) for p in ensemble.posteriors)
    return replace(ensemble, posteriors=posteriors)


def _with_latent_draws(posterior: Posterior, draws: int, rng: np.random.Generator) -> Posterior:
    if posterior.noiseless:
        return posterior
    theta, X = posterior.theta, posterior.X
    factor = factor_of(
        X, posterior.features, np.zeros(len(X)), theta, posterior.covariance, jitter=JITTER
    )
    values = _latent_values(posterior, factor, draws, rng)
    whitened = factor.whiten(values - posterior.prior_means)
    return replace(posterior, noiseless=True, factor=factor, whitened=whitened, values=values)


def _latent_values(
    posterior: Posterior, prior: Factor, draws: int, rng: np.random.Generator
) -> FloatArray:
    """f [F · draws, n] from p(f | y), by Matheron's rule: a joint draw (f₀, y₀) from the prior is
    moved by C A⁻¹ (y − y₀), and C A⁻¹ r = r − (A − C) A⁻¹ r needs no other matrix."""
    values = np.repeat(posterior.values, draws, axis=0)
    amplitude = math.sqrt(posterior.theta.amplitude2)
    diagonal = posterior.noise_diagonal
    f0 = amplitude * prior.colour(rng.standard_normal(values.shape))
    y0 = f0 + amplitude * np.sqrt(diagonal) * rng.standard_normal(values.shape)
    residual = values - posterior.prior_means - y0
    return posterior.prior_means + f0 + residual - diagonal * posterior.factor.solve(residual)
