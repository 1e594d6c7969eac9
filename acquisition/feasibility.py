"""Where evaluations fail: the probability that one works, and surfaces that take it into account.

A failure has no value, and one that is made up for it is a cliff that a smooth model swings around.
So failures are learned by a GP of their own, of what happened at each point: 1 where it failed, 0
where it worked, and a point works where that is less than a half (least-squares classification;
Rasmussen and Williams 2006, section 6.5). Its length scales say which inputs the failures hang on.

    t        the half, in the units of the GP
    P(works) = Φ(γ),  γ = (t − μ) / σ, averaged over the hyperparameter samples

Expected improvement times P(works) is the expected improvement of an evaluation that may fail
(Schonlau et al. 1998); on a surface of a logarithm that is a sum. Where the best lies at the edge
of what works, that product alone fails more often than not: it is largest where the model is too
hopeful. So a place that would rather fail is only tried where all would.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from scipy.special import log_ndtr

from spearmint_int.acquisition.surface import (
    NegativeBound,
    SupportsBound,
    SupportsGradient,
    SupportsRelaxation,
    Surface,
)
from spearmint_int.arrays import BoolArray, FloatArray, point_key
from spearmint_int.model import Ensemble

LOG_HALF = math.log(0.5)
LEAST_VARIANCE = 1e-12  # below it, rounding; what failed and worked has variance 1


@dataclass(frozen=True)
class Feasibility:
    """log P(works), by the GPs of what failed and the half between working and failing.

    `worked` are the keys of the rows that did, more often than not.
    """

    ensemble: Ensemble
    half: float
    worked: frozenset[bytes] = frozenset()

    def log_probability(self, U: FloatArray) -> FloatArray:
        """[m] at the points U [m, D]."""
        means, variances = self.ensemble.moments(U)
        sd = np.sqrt(np.maximum(variances, LEAST_VARIANCE))
        log_ps = log_ndtr((self.half - means[:, 0]) / sd)
        return np.asarray(np.logaddexp.reduce(log_ps, axis=0) - math.log(len(log_ps)))

    def log_probability_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """[m] and [m, D]."""
        means, variances, dmeans, dvariances = self.ensemble.moments_with_gradient(U)
        spread = np.maximum(variances, LEAST_VARIANCE)
        gamma = (self.half - means[:, 0]) / np.sqrt(spread)
        log_ps = log_ndtr(gamma)
        total = np.logaddexp.reduce(log_ps, axis=0)
        # dγ = −dμ / s − γ ds² / 2s², and d log Φ = φ/Φ dγ; each sample by its share of the average
        slopes = np.exp(-0.5 * gamma**2 - total) / math.sqrt(2.0 * math.pi)
        by_mean = np.einsum("sm,smd->md", -slopes / np.sqrt(spread), dmeans[:, 0])
        by_spread = np.einsum("sm,smd->md", -slopes * gamma / (2.0 * spread), dvariances)
        return total - math.log(len(log_ps)), by_mean + by_spread

    def works(self, U: FloatArray) -> BoolArray:
        """Where that is likelier than not [m], and where it has: a model that is smooth may doubt a
        single success among failures."""
        known = [point_key(row) in self.worked for row in self.ensemble.transform(U)]
        return np.asarray((self.log_probability(U) >= LOG_HALF) | known)

    def relaxed(self) -> Feasibility:
        """Without T."""
        return replace(self, ensemble=self.ensemble.unrounded)


@runtime_checkable
class _BoundedClimb(SupportsGradient, SupportsBound, Protocol):
    """What can be climbed, and has a bound."""


def weighed(
    surface: Surface, feasibility: Feasibility | None, *, least: float = LOG_HALF
) -> Surface:
    """The surface of an acquisition where evaluations may fail; −∞ where log P is below `least`.

    One whose values are no logarithms has no unit that P could weigh in, and is only cut.
    """
    if feasibility is None:
        return surface
    weighs = bool(getattr(surface, "logarithmic", False))
    if isinstance(surface, _BoundedClimb):
        return _WeighedAndBounded(surface, feasibility, least, weighs)
    if isinstance(surface, SupportsGradient):
        return _WeighedClimb(surface, feasibility, least, weighs)
    return _Weighed(surface, feasibility, least, weighs)


@dataclass(frozen=True)
class _Weighed:
    """P(works) on top of a surface that is looked at by its candidates alone."""

    surface: Surface
    feasibility: Feasibility
    least: float
    weighs: bool  # else P only cuts

    def value(self, U: FloatArray) -> FloatArray:
        return self._product(self.surface.value(U), U)

    def _product(self, values: FloatArray, U: FloatArray) -> FloatArray:
        log_p = self.feasibility.log_probability(U)
        return np.where(log_p >= self.least, values + log_p if self.weighs else values, -np.inf)


@dataclass(frozen=True)
class _WeighedClimb(_Weighed):
    """P(works) on top of a surface that is climbed."""

    surface: SupportsGradient

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of the product, wherever it is: a climb may cross what would rather fail."""
        value, slope = self.surface.value_and_gradient(U)
        if not self.weighs:
            return value, slope
        log_p, dlog_p = self.feasibility.log_probability_and_gradient(U)
        return value + log_p, slope + dlog_p

    def relaxed(self) -> _WeighedClimb:
        if not isinstance(self.surface, SupportsRelaxation):
            return self
        relaxed, feasibility = self.surface.relaxed(), self.feasibility.relaxed()
        return _WeighedClimb(relaxed, feasibility, self.least, self.weighs)


@dataclass(frozen=True)
class _WeighedAndBounded(_WeighedClimb):
    """P(works) on top of a surface that has a bound too."""

    surface: _BoundedClimb

    def upper_bound(self, U: FloatArray) -> FloatArray:
        return self._product(self.surface.upper_bound(U), U)


@dataclass(frozen=True)
class WhereItWorks:
    """What is recommended, of the places where evaluations work alone."""

    surface: NegativeBound
    feasibility: Feasibility

    def value(self, U: FloatArray) -> FloatArray:
        return np.where(self.feasibility.works(U), self.surface.value(U), -np.inf)

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of all places: a climb may cross those that don't count."""
        return self.surface.value_and_gradient(U)

    def relaxed(self) -> NegativeBound:
        return self.surface.relaxed()
