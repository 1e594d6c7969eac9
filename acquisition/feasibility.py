"""Feasibility: how likely an evaluation works or a constraint holds, and surfaces weighted by it.

Failures. A failure has no value, and a made-up one would be a cliff that no smooth model follows.
So a second GP learns failures alone: its outputs are 1 where an evaluation failed and 0 where it
worked, and a point is feasible where the output is below a half (least-squares classification;
Rasmussen and Williams 2006, section 6.5). Its length scales tell which inputs the failures depend
on.

Constraints. A constraint holds where its value c is at least 0. A GP learns its violation −c, and
a point is feasible where that is at most 0.

    t              the limit of a GP's output: the half, or the constraint's 0, in the GP's units
    P(feasible) =  Φ(γ),  γ = (t − μ) / σ, averaged over the hyperparameter samples

EI times P(feasible) is the expected improvement of an evaluation that may fail (Schonlau et al.
1998); in logarithms the product is a sum. If the optimum lies at the edge of the feasible region,
that product alone picks points that fail more often than not, because it is largest where the model
is too hopeful. So points that are likelier to fail than to work are cut off, unless all are. The
edge of a constraint is known much better than that of failures, because constraints have values:
there the product is used without a cut (Gelbart et al. 2014). Until a point is known at which all
constraints hold, the search is for the point that is likeliest to be feasible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from scipy.special import log_ndtr

from spearmint_int.acquisition.surface import (
    SupportsBound,
    SupportsGradient,
    SupportsRelaxation,
    Surface,
)
from spearmint_int.arrays import BoolArray, FloatArray, point_key
from spearmint_int.model import Ensemble, shares

LOG_HALF = math.log(0.5)
LEAST_VARIANCE = 1e-12  # anything less is rounding: the GP's outputs have variance 1
# |γ| is clipped here: beyond it γ² loses its digits, and φ/Φ, computed from two of them, overflows.
FARTHEST = 1e7
# Under noise a point at which a constraint was observed to hold counts as feasible as long as the
# model's mean is within one standard deviation of the limit. Values right at the limit, which
# integers often give, would otherwise count by chance, and be evaluated again and again.
LOG_DOUBT = float(log_ndtr(-1.0))
# The climb to a recommendation is drawn to where a constraint is likely enough to hold: how
# steeply, and up to which share of the least log probability (below 1, so that the climb does not
# end just short of it).
PULL, BEYOND = 100.0, 0.8


@dataclass(frozen=True)
class Feasibility:
    """P(an evaluation works), or P(a constraint holds), by a GP and the limit of its output.

    `observed` are the keys of the rows that were feasible more often than not; `certain` says that
    there is no noise, so that such an observation can't have been luck.
    """

    ensemble: Ensemble
    limit: float
    observed: frozenset[bytes] = frozenset()
    certain: bool = True

    def log_probability(self, U: FloatArray) -> FloatArray:
        """log P(feasible) [m] at the points U [m, D]."""
        log_ps = log_ndtr(self._gamma(*self.ensemble.moments(U)))
        return np.asarray(np.logaddexp.reduce(log_ps, axis=0) - math.log(len(log_ps)))

    def log_probability_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log P(feasible) [m], and its derivatives [m, D]."""
        means, variances, dmeans, dvariances = self.ensemble.moments_with_gradient(U)
        spread = np.maximum(variances, LEAST_VARIANCE)
        gamma = self._gamma(means, variances)
        log_ps = log_ndtr(gamma)
        total = np.logaddexp.reduce(log_ps, axis=0)
        # dγ = −dμ / s − γ ds² / 2s², and d log Φ = φ/Φ dγ; weighted by the samples' shares of P
        slopes = np.exp(-0.5 * gamma**2 - total) / math.sqrt(2.0 * math.pi)
        by_mean = np.einsum("sm,smd->md", -slopes / np.sqrt(spread), dmeans[:, 0])
        by_spread = np.einsum("sm,smd->md", -slopes * gamma / (2.0 * spread), dvariances)
        return total - math.log(len(log_ps)), by_mean + by_spread

    def _gamma(self, means: FloatArray, variances: FloatArray) -> FloatArray:
        """γ [S, m]."""
        sd = np.sqrt(np.maximum(variances, LEAST_VARIANCE))
        return np.clip((self.limit - means[:, 0]) / sd, -FARTHEST, FARTHEST)

    def is_likely(self, U: FloatArray, *, least: float = LOG_HALF) -> BoolArray:
        """Where log P(feasible) is at least `least` [m], or was certainly observed: a smooth model
        may doubt a single success among failures."""
        return np.asarray((self.log_probability(U) >= least) | (self.certain & self._seen(U)))

    def probability(self, U: FloatArray) -> FloatArray:
        """P(feasible) [m], which is 1 where that was certainly observed."""
        certainly = self.certain & self._seen(U)
        return np.where(certainly, 1.0, np.exp(self.log_probability(U)))

    def counts(self, U: FloatArray, *, least: float = LOG_HALF) -> BoolArray:
        """Which points [m] may be the incumbent: likely ones, and those that were observed to be
        feasible and are not in doubt."""
        seen = self._seen(U) & (self.log_probability(U) >= LOG_DOUBT)
        return self.is_likely(U, least=least) | seen

    def draw(self, U: FloatArray, rng: np.random.Generator, count: int) -> BoolArray:
        """Whether the points U [m, D] are feasible, in `count` joint draws [count, m]."""
        Z = np.ascontiguousarray(self.ensemble.transform(U))
        posteriors = self.ensemble.posteriors
        drawn = [
            posterior.draw(Z, share, rng)
            for posterior, share in zip(posteriors, shares(count, len(posteriors)), strict=True)
        ]
        certainly = self.certain & self._seen(U)
        return np.asarray((np.concatenate(drawn) <= self.limit) | certainly)

    def _seen(self, U: FloatArray) -> BoolArray:
        rows = self.ensemble.transform(U)
        return np.array([point_key(row) in self.observed for row in rows], dtype=np.bool_)

    def violation(self, U: FloatArray) -> FloatArray:
        """By how much the GP's mean is beyond the limit [m], 0 where it is not."""
        means, _ = self.ensemble.moments(U)
        return np.asarray(np.maximum(np.mean(means[:, 0], axis=0) - self.limit, 0.0))

    def relaxed(self) -> Feasibility:
        """Without T."""
        return replace(self, ensemble=self.ensemble.unrounded)

    def violated_at(self, U: FloatArray) -> Feasibility:
        """Conditioned on a violation at U [1, D] of the size that is expected of one:
        E[z | z > t] = μ + σ φ(γ) / Φ(−γ)."""
        gamma = self._gamma(*self.ensemble.moments(U))[:, 0]
        hazard = np.exp(-0.5 * gamma**2 - log_ndtr(-gamma)) / math.sqrt(2.0 * math.pi)
        return replace(self, ensemble=self.ensemble.with_deviations(U, hazard))


@runtime_checkable
class _SupportsGradientAndBound(SupportsGradient, SupportsBound, Protocol):
    """A surface that can be climbed, and has a cheap upper bound."""


def weighted(
    surface: Surface, feasibility: Feasibility | None, *, least: float = LOG_HALF
) -> Surface:
    """The surface times P(feasible); −∞ where log P is below `least`.

    A surface whose values are no logarithms can't be multiplied by a probability (it may be
    negative): it is only cut.
    """
    if feasibility is None:
        return surface
    logarithmic = is_logarithmic(surface)
    if isinstance(surface, _SupportsGradientAndBound):
        return _WeightedWithBound(surface, feasibility, least, logarithmic)
    if isinstance(surface, SupportsGradient):
        return _WeightedWithGradient(surface, feasibility, least, logarithmic)
    return _Weighted(surface, feasibility, least, logarithmic)


def is_logarithmic(surface: Surface) -> bool:
    """Whether the surface's values are logarithms, to which that of a probability can be added."""
    return bool(getattr(surface, "logarithmic", False))


@dataclass(frozen=True)
class _Weighted:
    """A surface times P(feasible), for one without a gradient."""

    surface: Surface
    feasibility: Feasibility
    least: float
    logarithmic: bool  # else P only cuts

    def value(self, U: FloatArray) -> FloatArray:
        return self._product(self.surface.value(U), U)

    def _product(self, values: FloatArray, U: FloatArray) -> FloatArray:
        log_p = self.feasibility.log_probability(U)
        product = values + log_p if self.logarithmic else values
        return np.where(log_p >= self.least, product, -np.inf)


@dataclass(frozen=True)
class _WeightedWithGradient(_Weighted):
    """A surface times P(feasible), for one with a gradient."""

    surface: SupportsGradient

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Without the cut: a climb may cross points that are likelier to fail than to work."""
        value, slope = self.surface.value_and_gradient(U)
        if not self.logarithmic:
            return value, slope
        log_p, dlog_p = self.feasibility.log_probability_and_gradient(U)
        return value + log_p, slope + dlog_p

    def relaxed(self) -> _WeightedWithGradient:
        if not isinstance(self.surface, SupportsRelaxation):
            return self
        relaxed, feasibility = self.surface.relaxed(), self.feasibility.relaxed()
        return _WeightedWithGradient(relaxed, feasibility, self.least, self.logarithmic)


@dataclass(frozen=True)
class _WeightedWithBound(_WeightedWithGradient):
    """A surface times P(feasible), for one with a gradient and a bound."""

    surface: _SupportsGradientAndBound

    def upper_bound(self, U: FloatArray) -> FloatArray:
        return self._product(self.surface.upper_bound(U), U)


@dataclass(frozen=True)
class JointFeasibility:
    """log ∏ P(feasible) of several constraints: what is maximised until a point is known at which
    all of them hold."""

    constraints: tuple[Feasibility, ...]
    logarithmic = True

    def value(self, U: FloatArray) -> FloatArray:
        return np.asarray(np.sum([c.log_probability(U) for c in self.constraints], axis=0))

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        values, slopes = zip(
            *(c.log_probability_and_gradient(U) for c in self.constraints), strict=True
        )
        return np.sum(values, axis=0), np.sum(slopes, axis=0)

    def relaxed(self) -> JointFeasibility:
        return JointFeasibility(tuple(c.relaxed() for c in self.constraints))

    def with_pending(self, U: FloatArray) -> JointFeasibility:
        """With evaluations pending at U [p, D]. Another point is only needed if none of them is
        feasible, so each is taken to violate the constraint that is least likely to hold there."""
        constraints = list(self.constraints)
        for row in U[:, np.newaxis]:
            least = int(np.argmin([c.log_probability(row)[0] for c in constraints]))
            constraints[least] = constraints[least].violated_at(row)
        return JointFeasibility(tuple(constraints))


@dataclass(frozen=True)
class NegativeViolation:
    """Minus the sum of the constraints' violations, each in the units of its own GP: for when there
    is no hope that all hold. The likeliest point would then be the one that is known least."""

    constraints: tuple[Feasibility, ...]

    def value(self, U: FloatArray) -> FloatArray:
        return -np.asarray(np.sum([c.violation(U) for c in self.constraints], axis=0))


class _SupportsGradientAndRelaxation(SupportsGradient, Protocol):
    """A surface that can be climbed, with T and without."""

    def relaxed(self) -> _SupportsGradientAndRelaxation: ...


@dataclass(frozen=True)
class FeasibleOnly:
    """A surface, and −∞ where log P(feasible) is below `least`: what a recommendation maximises."""

    surface: _SupportsGradientAndRelaxation
    feasibility: Feasibility
    least: float = LOG_HALF
    pull: float = 0.0

    def value(self, U: FloatArray) -> FloatArray:
        feasible = self.feasibility.is_likely(U, least=self.least)
        return np.where(feasible, self.surface.value(U), -np.inf)

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Without the cut: a climb may cross points that are not feasible, and with a `pull` it is
        drawn out of them."""
        value, slope = self.surface.value_and_gradient(U)
        if self.pull == 0.0:
            return value, slope
        log_p, dlog_p = self.feasibility.log_probability_and_gradient(U)
        short = np.minimum(log_p - BEYOND * self.least, 0.0)
        pulled = self.pull * (short < 0.0)[:, np.newaxis] * dlog_p
        return value + self.pull * short, slope + pulled

    def relaxed(self) -> FeasibleOnly:
        return replace(self, surface=self.surface.relaxed(), feasibility=self.feasibility.relaxed())
