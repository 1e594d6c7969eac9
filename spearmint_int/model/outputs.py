"""The objective's values on their way to the model's units, and predictions on their way back.

    v   the objective's value, NaN where it failed
    y   (v − knee) / unit: the knee is the median, so that the good half of the results lies below 0
    z   ψ(y; λ), standardised: what the GP models

ψ leaves the good half as it is and draws in the bad half, ψ(y; λ) = ((1 + y)^λ − 1)/λ for y > 0
(Box and Cox 1964): objectives span decades above their median and have their optimum below it. One
bad result no longer flattens all others. Because ψ is linear below the knee, and the incumbent
lies there, expected improvement in units of z is that in units of v, up to a factor a sample.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np

from spearmint_int.arrays import FloatArray

# Nodes of the Gauss–Hermite rule for expectations of ψ⁻¹, which has a kink in its curvature.
NODES, WEIGHTS = (np.asarray(part) for part in np.polynomial.hermite_e.hermegauss(24))
WEIGHTS = WEIGHTS / np.sum(WEIGHTS)


# The unit is at least this share of the range: more decades than that no logarithm can save.
LEAST_SHARE = 1e-9
LARGEST = sys.float_info.max


@dataclass(frozen=True)
class OutputScale:
    """v ↦ y = (v − knee) / unit."""

    knee: float
    unit: float

    @classmethod
    def of(cls, values: FloatArray, *, at_least: float = 0.0) -> OutputScale:
        """The median, and how far the better quarter lies below it; where half of the results
        are alike, the standard deviation. A constant keeps its unit of 1.

        The unit is no less than the share `at_least` of the spread of all but the worst tenth.
        """
        if len(values) == 0 or np.min(values) == np.max(values):
            return cls(float(values[0]) if len(values) else 0.0, 1.0)
        # in units of a power of two: the squares of 1e300 and of 1e-300 are no doubles
        exponent = math.frexp(float(np.max(np.abs(values))))[1]
        relative = np.ldexp(values, -exponent)
        quarter, knee, worst = np.quantile(relative, [0.25, 0.5, 0.9])
        spread = float(np.std(np.minimum(relative, worst)))
        unit = max(
            float(knee - quarter) or float(np.std(relative)),
            at_least * spread,
            LEAST_SHARE * float(np.ptp(relative)),
        )
        unit = math.ldexp(min(unit, math.ldexp(LARGEST, -max(exponent, 0))), exponent)
        return cls(math.ldexp(float(knee), exponent), unit if unit > 0.0 else 1.0)

    def apply(self, values: FloatArray) -> FloatArray:
        # halves: the difference of two numbers near the largest double overflows
        return 2.0 * ((0.5 * values - 0.5 * self.knee) / self.unit)

    def undo(self, y: FloatArray) -> FloatArray:
        """Nowhere beyond the largest double."""
        with np.errstate(over="ignore"):
            return np.clip(self.knee + self.unit * y, -LARGEST, LARGEST)


@dataclass(frozen=True)
class OutputWarp:
    """y ↦ z = (ψ(y; power) − shift) / scale; a power of 1 is no warp."""

    power: float
    shift: float = 0.0
    scale: float = 1.0
    highest: float = math.inf  # the worst y: what lies beyond is not told apart from it

    @classmethod
    def standardising(cls, power: float, reference: FloatArray) -> OutputWarp:
        """The warp after which `reference` has mean 0 and variance 1; ψ alone where it is empty."""
        if len(reference) == 0:
            return cls(power)
        warped = warp(reference, power)
        scale = float(np.std(warped))
        return cls(power, float(np.mean(warped)), scale or 1.0, float(np.max(reference)))

    def apply(self, y: FloatArray) -> FloatArray:
        return (warp(y, self.power) - self.shift) / self.scale

    def undo(self, z: FloatArray) -> FloatArray:
        """y of z, nowhere above the worst result."""
        return np.minimum(unwarp(self.shift + self.scale * z, self.power), self.highest)

    def moments_of_undone(
        self, mean: FloatArray, variance: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """E[y] and Var[y] for z ~ N(mean, variance): not ψ⁻¹ of the mean, which is the median."""
        nodes = NODES.reshape(-1, *[1] * np.ndim(mean))
        y = self.undo(mean + np.sqrt(variance) * nodes)
        expected = np.tensordot(WEIGHTS, y, 1)
        # from the deviations: E[y²] − E[y]² has no digits left where y is large and all but known
        return expected, np.tensordot(WEIGHTS, (y - expected) ** 2, 1)


def warp(y: FloatArray, power: float) -> FloatArray:
    """ψ(y; λ)."""
    tail = np.log1p(np.maximum(y, 0.0))
    if abs(power) > 1e-8:
        tail = np.expm1(power * tail) / power
    return np.where(y > 0.0, tail, y)


def unwarp(z: FloatArray, power: float) -> FloatArray:
    """y of ψ(y; λ) = z; infinite where a negative λ never comes so high."""
    tail = np.maximum(z, 0.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        if abs(power) > 1e-8:
            tail = np.log1p(np.maximum(power * tail, -1.0)) / power
        return np.where(z > 0.0, np.expm1(tail), z)
