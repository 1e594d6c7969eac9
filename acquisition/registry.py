"""The acquisitions by name: each makes the surface to climb from an ensemble.

One of your own is a function `(ensemble, rng) -> Surface`, by an entry point in the group
`spearmint_int.acquisitions` or by `ACQUISITIONS.register`. Of a surface without a gradient only
candidates are looked at: Thompson's draw, for example, exists only at the points it is drawn at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spearmint_int.acquisition.improvement import (
    LogExpectedImprovement,
    LogProbabilityOfImprovement,
    LowerConfidenceBound,
)
from spearmint_int.acquisition.noisy import with_latent_draws
from spearmint_int.acquisition.surface import AveragedAcquisition, BoundedAcquisition, Surface
from spearmint_int.arrays import FloatArray
from spearmint_int.model import Ensemble
from spearmint_int.registry import ACQUISITIONS

# Draws of the latent values per hyperparameter sample: with ten samples, twenty incumbents.
NOISY_DRAWS = 2
# The points of a joint draw, whose cost is the cube of their number.
THOMPSON_POINTS = 1000


def expected_improvement(ensemble: Ensemble, rng: np.random.Generator) -> Surface:  # noqa: ARG001
    """EI over the best value, or over the least posterior mean where there is noise."""
    return BoundedAcquisition(ensemble, LogExpectedImprovement(), ensemble.incumbents)


def probability_of_improvement(
    ensemble: Ensemble,
    rng: np.random.Generator,  # noqa: ARG001
) -> Surface:
    """The probability of a value below the incumbent."""
    return AveragedAcquisition(ensemble, LogProbabilityOfImprovement(), ensemble.incumbents)


def lower_confidence_bound(ensemble: Ensemble, rng: np.random.Generator) -> Surface:  # noqa: ARG001
    """κ σ − μ, averaged over the samples."""
    return BoundedAcquisition(ensemble, LowerConfidenceBound(), ensemble.incumbents)


def noisy_expected_improvement(ensemble: Ensemble, rng: np.random.Generator) -> Surface:
    """EI averaged over draws of the latent values, since under noise the incumbent is uncertain."""
    drawn = with_latent_draws(ensemble, NOISY_DRAWS, rng)
    return BoundedAcquisition(drawn, LogExpectedImprovement(), drawn.incumbents)


@dataclass(frozen=True)
class ThompsonDraw:
    """Minus one joint draw of the function, under one hyperparameter sample.

    Every call of `value` makes another draw, at no more than THOMPSON_POINTS of the points.
    """

    ensemble: Ensemble
    rng: np.random.Generator

    def value(self, U: FloatArray) -> FloatArray:
        posterior = self.ensemble.posteriors[self.rng.integers(len(self.ensemble.posteriors))]
        chosen = np.sort(self.rng.permutation(len(U))[:THOMPSON_POINTS])
        mean, K = posterior.joint(np.ascontiguousarray(self.ensemble.transform(U[chosen])))
        draw = self.rng.multivariate_normal(mean[0], K, method="eigh", check_valid="ignore")
        values = np.full(len(U), -np.inf)
        values[chosen] = -draw
        return values


def thompson(ensemble: Ensemble, rng: np.random.Generator) -> Surface:
    """A draw of the function, whose minimum is the next point."""
    return ThompsonDraw(ensemble, rng)


AcquisitionMaker = Callable[[Ensemble, np.random.Generator], Surface]


def acquisition_named(name: str) -> AcquisitionMaker:
    """The acquisition of that name, or an error that lists the names there are."""
    return ACQUISITIONS[name]
