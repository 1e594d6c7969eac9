"""Where evaluations work and constraints hold: how likely that is, and surfaces that weigh it.

A failure has no value, and one that is made up for it is a cliff that a smooth model swings around.
So failures are learned by a GP of their own, of what happened at each point: 1 where it failed, 0
where it worked, and a point works where that is less than a half (least-squares classification;
Rasmussen and Williams 2006, section 6.5). Its length scales say which inputs the failures hang on.

A constraint holds where its value c is at least 0. Its GP is of what it lacks, −c, and it holds
where that is at most 0.

    t        the limit: the half, or the constraint's 0, in the units of the GP
    P(works) = Φ(γ),  γ = (t − μ) / σ, averaged over the hyperparameter samples

Expected improvement times P(works) is the expected improvement of an evaluation that may fail
(Schonlau et al. 1998); on a surface of a logarithm that is a sum. Where the best lies at the edge
of what works, that product alone fails more often than not: it is largest where the model is too
hopeful. So a place that would rather fail is only tried where all would. Constraints have values,
by which their edge is known much better: there the product is taken as it is (Gelbart et al. 2014),
and while no place is known where all of them hold, the likeliest one is sought.
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
LEAST_VARIANCE = 1e-12  # below it, rounding; what failed and worked has variance 1
# γ² loses its digits beyond, and φ/Φ, which is of two such squares, would overflow.
FARTHEST = 1e7
# Under noise a place where a constraint was seen to hold counts, as long as its mean is not beyond
# the limit by more than a standard deviation: values right at the limit, which integers often give,
# would otherwise count or not by chance, and be looked at again and again.
LOG_DOUBT = float(log_ndtr(-1.0))
# Of a climb to what is recommended: how steeply it is drawn to where it is sure enough, and how
# far beyond that, as a share of the logarithm, so that it doesn't end a hair before it.
PULL, BEYOND = 100.0, 0.8


@dataclass(frozen=True)
class Feasibility:
    """log P(works), or of a constraint log P(holds), by the GPs of what failed or of what it lacks,
    and the limit up to which that is none.

    `worked` are the keys of the rows that did, more often than not; `certain` says that this can't
    have been luck.
    """

    ensemble: Ensemble
    limit: float
    worked: frozenset[bytes] = frozenset()
    certain: bool = True

    def log_probability(self, U: FloatArray) -> FloatArray:
        """[m] at the points U [m, D]."""
        log_ps = log_ndtr(self._gamma(*self.ensemble.moments(U)))
        return np.asarray(np.logaddexp.reduce(log_ps, axis=0) - math.log(len(log_ps)))

    def log_probability_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """[m] and [m, D]."""
        means, variances, dmeans, dvariances = self.ensemble.moments_with_gradient(U)
        spread = np.maximum(variances, LEAST_VARIANCE)
        gamma = self._gamma(means, variances)
        log_ps = log_ndtr(gamma)
        total = np.logaddexp.reduce(log_ps, axis=0)
        # dγ = −dμ / s − γ ds² / 2s², and d log Φ = φ/Φ dγ; each sample by its share of the average
        slopes = np.exp(-0.5 * gamma**2 - total) / math.sqrt(2.0 * math.pi)
        by_mean = np.einsum("sm,smd->md", -slopes / np.sqrt(spread), dmeans[:, 0])
        by_spread = np.einsum("sm,smd->md", -slopes * gamma / (2.0 * spread), dvariances)
        return total - math.log(len(log_ps)), by_mean + by_spread

    def _gamma(self, means: FloatArray, variances: FloatArray) -> FloatArray:
        """[S, m]"""
        sd = np.sqrt(np.maximum(variances, LEAST_VARIANCE))
        return np.clip((self.limit - means[:, 0]) / sd, -FARTHEST, FARTHEST)

    def works(self, U: FloatArray, *, least: float = LOG_HALF) -> BoolArray:
        """Where that is likelier than not [m], and where it certainly has: a model that is smooth
        may doubt a single success among failures."""
        return np.asarray((self.log_probability(U) >= least) | (self.certain & self._seen(U)))

    def probability(self, U: FloatArray) -> FloatArray:
        """[m], and 1 where it certainly has worked."""
        certainly = self.certain & self._seen(U)
        return np.where(certainly, 1.0, np.exp(self.log_probability(U)))

    def counts(self, U: FloatArray, *, least: float = LOG_HALF) -> BoolArray:
        """Where it works [m], or was seen to and is not in doubt: what is better than all of these
        is an improvement."""
        seen = self._seen(U) & (self.log_probability(U) >= LOG_DOUBT)
        return self.works(U, least=least) | seen

    def draw(self, U: FloatArray, rng: np.random.Generator, count: int) -> BoolArray:
        """Whether it works at U [m, D], in `count` joint draws [count, m]."""
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
        return np.array([point_key(row) in self.worked for row in rows], dtype=np.bool_)

    def expected_miss(self, U: FloatArray) -> FloatArray:
        """By how much its mean is beyond the limit [m], 0 where it is not."""
        means, _ = self.ensemble.moments(U)
        return np.asarray(np.maximum(np.mean(means[:, 0], axis=0) - self.limit, 0.0))

    def relaxed(self) -> Feasibility:
        """Without T."""
        return replace(self, ensemble=self.ensemble.unrounded)

    def missed_at(self, U: FloatArray) -> Feasibility:
        """With a result at U [1, D] that is beyond the limit, as far as is expected of such ones:
        E[z | z > t] = μ + σ φ(γ) / Φ(−γ)."""
        gamma = self._gamma(*self.ensemble.moments(U))[:, 0]
        hazard = np.exp(-0.5 * gamma**2 - log_ndtr(-gamma)) / math.sqrt(2.0 * math.pi)
        return replace(self, ensemble=self.ensemble.with_deviations(U, hazard))


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

    @property
    def logarithmic(self) -> bool:
        return self.weighs

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
class AllHold:
    """log ∏ P(holds) of several constraints: what is sought until a place is known where all do."""

    constraints: tuple[Feasibility, ...]
    logarithmic = True

    def value(self, U: FloatArray) -> FloatArray:
        return np.asarray(np.sum([c.log_probability(U) for c in self.constraints], axis=0))

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        values, slopes = zip(
            *(c.log_probability_and_gradient(U) for c in self.constraints), strict=True
        )
        return np.sum(values, axis=0), np.sum(slopes, axis=0)

    def relaxed(self) -> AllHold:
        return AllHold(tuple(c.relaxed() for c in self.constraints))

    def with_pending(self, U: FloatArray) -> AllHold:
        """When evaluations at U [p, D] are under way: another one is needed in the case that they
        miss, each the constraint that is least likely to hold there."""
        constraints = list(self.constraints)
        for row in U[:, np.newaxis]:
            least = int(np.argmin([c.log_probability(row)[0] for c in constraints]))
            constraints[least] = constraints[least].missed_at(row)
        return AllHold(tuple(constraints))


@dataclass(frozen=True)
class LeastMissed:
    """Minus what several constraints are expected to be missed by, each in units of its own GP: for
    when there is no hope that all hold, and the likeliest place is the one that is known least."""

    constraints: tuple[Feasibility, ...]

    def value(self, U: FloatArray) -> FloatArray:
        return -np.asarray(np.sum([c.expected_miss(U) for c in self.constraints], axis=0))


class _RelaxedClimb(SupportsGradient, Protocol):
    """What can be climbed, and without T too."""

    def relaxed(self) -> _RelaxedClimb: ...


@dataclass(frozen=True)
class WhereItWorks:
    """What is recommended, of the places alone where evaluations work, or where a constraint holds
    with a probability whose logarithm is at least `least`."""

    surface: _RelaxedClimb
    feasibility: Feasibility
    least: float = LOG_HALF
    pull: float = 0.0

    def value(self, U: FloatArray) -> FloatArray:
        works = self.feasibility.works(U, least=self.least)
        return np.where(works, self.surface.value(U), -np.inf)

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of all places: a climb may cross those that don't count, and may be drawn out of them."""
        value, slope = self.surface.value_and_gradient(U)
        if self.pull == 0.0:
            return value, slope
        log_p, dlog_p = self.feasibility.log_probability_and_gradient(U)
        short = np.minimum(log_p - BEYOND * self.least, 0.0)
        pulled = self.pull * (short < 0.0)[:, np.newaxis] * dlog_p
        return value + self.pull * short, slope + pulled

    def relaxed(self) -> WhereItWorks:
        return replace(self, surface=self.surface.relaxed(), feasibility=self.feasibility.relaxed())
