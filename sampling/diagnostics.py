"""How well a chain has mixed: split-R̂ and the effective sample size.

Both as in Gelman et al., Bayesian Data Analysis (3rd ed.), section 11.4-11.5, on draws
[chains, n] of one scalar; each chain is split into halves, so that a drift counts as disagreement.
"""

from __future__ import annotations

import numpy as np

from spearmint_int.arrays import FloatArray

# Fewer draws than this in a half say nothing about variances.
MIN_HALF = 2
# Up to this length the plain sums are faster than two Fourier transforms.
DIRECT_SUMS = 256


def split_rhat(draws: FloatArray) -> float:
    """√(pooled variance / within variance) of the half chains; 1 is perfect, NaN too few draws."""
    return float(mixing(np.atleast_2d(draws)[np.newaxis])[0][0])


def effective_sample_size(draws: FloatArray) -> float:
    """Number of independent draws that would know the mean as well; at most the draws there are."""
    return float(mixing(np.atleast_2d(draws)[np.newaxis])[1][0])


def mixing(draws: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split-R̂ and the effective sample size [k] of each of k scalars, from draws [k, chains, n]."""
    halves = _split(draws)
    if halves.shape[2] < MIN_HALF:
        return np.full(len(draws), np.nan), np.full(len(draws), np.nan)
    within, pooled = _variances(halves)
    with np.errstate(divide="ignore", invalid="ignore"):
        rhat = np.where((within == 0.0) & (pooled == 0.0), 1.0, np.sqrt(pooled / within))
    sizes = [_size(h, w, p) for h, w, p in zip(halves, within, pooled, strict=True)]
    return rhat, np.array(sizes)


def _size(halves: FloatArray, within: float, pooled: float) -> float:
    """The effective sample size of one scalar, from its half chains [chains, n]."""
    chains, n = halves.shape
    if pooled == 0.0:
        return float(chains * n)
    covariances = sum(_autocovariances(chain) for chain in halves) / chains
    rho = 1.0 - (within - covariances * n / (n - 1.0)) / pooled
    return float(chains * n / _integrated_time(rho, ceiling=chains * n))


def _split(draws: FloatArray) -> FloatArray:
    half = draws.shape[2] // 2
    return np.concatenate([draws[..., :half], draws[..., draws.shape[2] - half :]], axis=1)


def _variances(halves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(W, var⁺) [k]: the mean variance within, and the pooled estimate."""
    n = halves.shape[2]
    within = np.mean(np.var(halves, axis=2, ddof=1), axis=1)
    between = np.var(np.mean(halves, axis=2), axis=1, ddof=1)
    return within, within * (n - 1.0) / n + between


def _autocovariances(chain: FloatArray) -> FloatArray:
    n = len(chain)
    centred = chain - np.mean(chain)
    if n <= DIRECT_SUMS:
        return np.asarray(np.correlate(centred, centred, "full")[n - 1 :] / n, dtype=np.float64)
    spectrum = np.fft.rfft(centred, 2 * n)
    return np.asarray(np.fft.irfft(spectrum * np.conj(spectrum))[:n] / n, dtype=np.float64)


def _integrated_time(rho: FloatArray, *, ceiling: int) -> float:
    """1 + 2 Σ ρ_t, summed in pairs while they are positive and falling (Geyer 1992)."""
    pairs = rho[: len(rho) // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0.0)
    pairs = np.minimum.accumulate(pairs[: negative[0] if len(negative) else len(pairs)])
    return float(np.clip(2.0 * np.sum(pairs) - 1.0, 1.0, ceiling))
