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
    halves = _split(draws)
    if halves.shape[1] < MIN_HALF:
        return float("nan")
    within, pooled = _variances(halves)
    if within == 0.0:
        return 1.0 if pooled == 0.0 else float("inf")
    return float(np.sqrt(pooled / within))


def effective_sample_size(draws: FloatArray) -> float:
    """Number of independent draws that would know the mean as well; at most the draws there are."""
    halves = _split(draws)
    chains, n = halves.shape
    if n < MIN_HALF:
        return float("nan")
    within, pooled = _variances(halves)
    if pooled == 0.0:
        return float(chains * n)
    covariances = np.mean([_autocovariances(chain) for chain in halves], axis=0)
    rho = 1.0 - (within - covariances * n / (n - 1.0)) / pooled
    return float(chains * n / _integrated_time(rho, ceiling=chains * n))


def _split(draws: FloatArray) -> FloatArray:
    rows = np.atleast_2d(draws)
    half = rows.shape[1] // 2
    return np.concatenate([rows[:, :half], rows[:, rows.shape[1] - half :]])


def _variances(halves: FloatArray) -> tuple[float, float]:
    """(W, var⁺): the mean variance within, and the pooled estimate."""
    n = halves.shape[1]
    within = float(np.mean(np.var(halves, axis=1, ddof=1)))
    between = float(np.var(np.mean(halves, axis=1), ddof=1)) if len(halves) > 1 else 0.0
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
