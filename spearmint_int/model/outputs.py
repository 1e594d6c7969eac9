"""The objective's values on their way to the model's units, and predictions on their way back.

    v   the objective's value, NaN where it failed
    y   (v − knee) / unit: the knee is the median, so that the good half of the results lies below 0
    z   ψ(y; λ), standardised: what the GP models

ψ leaves the good half as it is and compresses the bad half: ψ(y; λ) = ((1 + y)^λ − 1)/λ for y > 0
(Box and Cox 1964). Objectives often span decades above their median, while their optimum lies below
it. With λ < 0 the bad half ends at −1/λ, however bad it is: a penalty of 1e6 no longer flattens all
other results. Beyond the worst result ψ⁻¹ would soon be infinite; there it goes on as a straight
line, with its mean slope from the knee on. ψ is linear below the knee, where the incumbent lies, so
that expected improvement in units of z is that in units of v, up to a factor for each
hyperparameter sample.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from spearmint_int.arrays import BoolArray, FloatArray, in_units

# Gauss-Legendre quadrature for expectations of ψ⁻¹ above the knee, and how many standard deviations
# the integrals reach.
NODES, WEIGHTS = (np.asarray(part) for part in np.polynomial.legendre.leggauss(32))
REACH = 7.0
STRAIGHT = 1e-7  # for an sd of ψ below this share of 1 + |ψ| quadrature is all rounding error
LONGEST_LOGARITHM = 350.0  # of 1 + y, where the worst result is not known
# The unit is at least this share of the range: over more decades than that no warp helps.
LEAST_SHARE = 1e-9
LARGEST = sys.float_info.max


@dataclass(frozen=True)
class OutputScale:
    """v ↦ y = (v − knee) / unit."""

    knee: float
    unit: float

    @classmethod
    def of(cls, values: FloatArray, *, at_least: float = 0.0) -> OutputScale:
        """The knee is the median, and the unit the first of these that is not 0: the distance from
        the median to the better quartile, to the best result, to the worse quartile, the standard
        deviation, 1.

        It is at least the share `at_least` of the standard deviation, with the worst tenth clipped.
        """
        if len(values) == 0 or np.min(values) == np.max(values):
            return cls(float(values[0]) if len(values) else 0.0, 1.0)
        relative, exponent = in_units(values)  # the squares of 1e300 and of 1e-300 are no doubles
        best, quarter, knee, upper, worst = np.quantile(relative, [0.0, 0.25, 0.5, 0.75, 0.9])
        spread = float(np.std(np.minimum(relative, worst)))
        distances = (knee - quarter, knee - best, upper - knee, np.std(relative))
        unit = max(
            float(next((distance for distance in distances if distance > 0.0), 0.0)),
            at_least * spread,
            LEAST_SHARE * float(np.ptp(relative)),
        )
        unit = math.ldexp(min(unit, math.ldexp(LARGEST, -max(exponent, 0))), exponent)
        return cls(math.ldexp(float(knee), exponent), unit if unit > 0.0 else 1.0)

    def apply(self, values: FloatArray) -> FloatArray:
        # halves: the difference of two numbers near the largest double overflows
        return 2.0 * ((0.5 * values - 0.5 * self.knee) / self.unit)

    def undo(self, y: FloatArray) -> FloatArray:
        """v of y, clipped to the largest double."""
        with np.errstate(over="ignore"):
            return np.clip(self.knee + self.unit * y, -LARGEST, LARGEST)


@dataclass(frozen=True)
class OutputWarp:
    """y ↦ z = (ψ(y; power) − shift) / scale; a power of 1 is no warp."""

    power: float
    shift: float = 0.0
    scale: float = 1.0
    highest: float = math.inf  # the worst y: beyond it `undo` goes on as a straight line

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
        """y of z."""
        psi = self.shift + self.scale * z
        inside = np.minimum(unwarp(psi, self.power), self.highest)
        if not math.isfinite(self.highest):
            return inside
        return np.where(psi > self._top, self.highest + self._rate * (psi - self._top), inside)

    @property
    def _top(self) -> float:
        """ψ of the worst result."""
        return float(warp(np.array(self.highest), self.power))

    @property
    def _rate(self) -> float:
        """dy/dψ beyond the worst result."""
        return self.highest / self._top if self._top > 0.0 else 1.0

    def moments_of_undone(
        self, mean: FloatArray, variance: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """E[y] and Var[y] for z ~ N(mean, variance). (ψ⁻¹ of the mean would be the median of y.)

        With ψ ~ N(m, s²) each has three parts. Below the knee, and beyond the worst result, y is
        linear in ψ, and the part has a closed form. In between it is an integral over
        t = log(1 + y), in which ψ⁻¹ is smooth for every λ.
        """
        m, s = self.shift + self.scale * mean, self.scale * np.sqrt(variance) + 0.0 * mean
        straight, slope_s = self._straight(m, s)
        s = np.where(straight, 1.0, s)
        below, density = ndtr(-m / s), np.exp(-0.5 * (m / s) ** 2) / math.sqrt(2.0 * math.pi)
        t, weights = self._above_the_knee(m, s)
        y = np.expm1(t)
        worst, (beyond, farther, squared) = self._beyond_the_worst(m, s)
        expected = m * below - s * density + np.sum(weights * y, axis=0)
        expected = expected + worst * beyond + farther
        # as E[(y − E[y])²]: E[y²] − E[y]² loses all digits where y is large and almost certain
        off = m - expected
        spread = (off**2 + s**2) * below - s * (off - expected) * density
        spread = spread + np.sum(weights * (y - expected) ** 2, axis=0)
        off = worst - expected
        spread = spread + off**2 * beyond + 2.0 * off * farther + squared
        known = self.undo(np.asarray(mean))
        return np.where(straight, known, expected), np.where(straight, slope_s**2, spread)

    def _straight(self, m: FloatArray, s: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Where the sd of ψ is so small that ψ⁻¹ is linear over it, and the sd of y there."""
        tail = np.log1p(np.clip(unwarp(m, self.power), 0.0, self.highest))
        with np.errstate(over="ignore"):
            slope = np.exp((1.0 - self.power) * tail)
            if math.isfinite(self.highest):
                slope = np.where(m > self._top, self._rate, slope)
            return s <= STRAIGHT * (1.0 + np.abs(m)), s * slope

    def _beyond_the_worst(
        self, m: FloatArray, s: FloatArray
    ) -> tuple[float, tuple[FloatArray, FloatArray, FloatArray]]:
        """The worst result, the probability that y lies beyond it, and the expectations of how far
        that is and of its square."""
        if not math.isfinite(self.highest):
            nothing = np.zeros(np.shape(m))
            return 0.0, (nothing, nothing, nothing)
        off = m - self._top
        beyond, density = ndtr(off / s), np.exp(-0.5 * (off / s) ** 2) / math.sqrt(2.0 * math.pi)
        farther = off * beyond + s * density
        squared = (off**2 + s**2) * beyond + s * off * density
        return self.highest, (beyond, self._rate * farther, self._rate**2 * squared)

    def _above_the_knee(self, m: FloatArray, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Nodes t and weights, which have the density of t in them, up to the worst result."""
        longest = min(np.log1p(self.highest), LONGEST_LOGARITHM)
        first, last = (
            np.minimum(np.log1p(unwarp(np.maximum(end, 0.0), self.power)), longest)
            for end in (m - REACH * s, m + REACH * s)
        )
        half = 0.5 * (last - first)
        t = first + half * (1.0 + NODES.reshape(-1, *[1] * np.ndim(m)))
        distance = (warp(np.expm1(t), self.power) - m) / s
        density = np.exp(self.power * t - 0.5 * distance**2) / (math.sqrt(2.0 * math.pi) * s)
        return t, WEIGHTS.reshape(-1, *[1] * np.ndim(m)) * half * density


def warp(y: FloatArray, power: float) -> FloatArray:
    """ψ(y; λ)."""
    tail = np.log1p(np.maximum(y, 0.0))
    if abs(power) > 1e-8:
        tail = np.expm1(power * tail) / power
    return np.where(y > 0.0, tail, y)


def unwarp(z: FloatArray, power: float) -> FloatArray:
    """y of ψ(y; λ) = z; infinite above −1/λ, which ψ does not reach with a negative λ."""
    tail = np.maximum(z, 0.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        if abs(power) > 1e-8:
            tail = np.log1p(np.maximum(power * tail, -1.0)) / power
        return np.where(z > 0.0, np.expm1(tail), z)
