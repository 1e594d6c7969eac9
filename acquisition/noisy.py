"""Noisy EI (Letham et al. 2019): condition on draws of the latent values instead of on the noise.

For each hyperparameter sample the latent values f at the training rows are drawn from their
posterior; given them the model is noiseless, and the incumbent of a draw is its least f.
"""

from __future__ import annotations

import numpy as np

from spearmint_int.model import Ensemble, Posterior
from spearmint_int.space import FloatArray


def with_latent_draws(ensemble: Ensemble, draws: int, rng: np.random.Generator) -> Ensemble:
    """Every posterior as a noiseless one with `draws` fantasies of its own training values."""
    return Ensemble(tuple(_draw_latent(p, draws, rng) for p in ensemble.posteriors))


def _draw_latent(posterior: Posterior, draws: int, rng: np.random.Generator) -> Posterior:
    if posterior.noiseless:
        return posterior
    clean = Posterior.fit(posterior.data, posterior.theta, posterior.covariance, noiseless=True)
    values = _latent_values(posterior, draws, rng)
    whitened = (values - posterior.theta.mean) @ clean.R.T
    return Posterior(clean.data, clean.theta, clean.covariance, True, clean.R, whitened, values)


def _latent_values(posterior: Posterior, draws: int, rng: np.random.Generator) -> FloatArray:
    """f [F · draws, n] ~ N(μ(X), Σ(X)) by the eigenvectors of Σ, which may be singular."""
    mean, K = posterior.joint(posterior.data.X)
    eigenvalues, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    fresh = rng.standard_normal((len(mean), draws, len(eigenvalues)))
    return np.reshape(mean[:, np.newaxis, :] + fresh @ root.T, (-1, len(eigenvalues)))
