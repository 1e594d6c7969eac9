"""Means with standard errors, and the paired test of two methods over the same repetitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import wilcoxon

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error over repetitions."""

    mean: float
    standard_error: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.standard_error:.2f}"


def estimate(values: Sequence[float]) -> Estimate:
    """The standard error is NaN for a single value."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return Estimate(float(np.mean(values)), float(error))


@dataclass(frozen=True)
class PairedTest:
    """Wilcoxon's signed-rank test of 'the first is below the second', two-sided."""

    pairs: int
    median_difference: float
    first_lower: int
    second_lower: int
    p_value: float


def paired_test(first: Sequence[float], second: Sequence[float]) -> PairedTest:
    """Both in the same order of repetitions; pairs without a difference don't count."""
    difference = np.asarray(first, float) - np.asarray(second, float)
    # wilcoxon has no answer when no pair differs: there is no evidence then.
    p_value = float(wilcoxon(difference).pvalue) if np.any(difference != 0) else 1.0
    return PairedTest(
        pairs=len(difference),
        median_difference=float(np.median(difference)),
        first_lower=int(np.sum(difference < 0)),
        second_lower=int(np.sum(difference > 0)),
        p_value=p_value,
    )
