"""The page where the two halves meet: (space, observations, pending, options, seed) → suggestion.

A chooser is a function of data. It knows nothing of jobs, files or databases, and the same
arguments give the same suggestion.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from spearmint_int.acquisition import (
    Found,
    NegativeMean,
    SearchOptions,
    acquisition_named,
    maximize,
    point_key,
)
from spearmint_int.blas import one_blas_thread
from spearmint_int.design import design_point, random_point
from spearmint_int.errors import SpaceExhausted, SpearmintError, UnknownNameError
from spearmint_int.kernels import Covariance, kernel_named, plain, rounding
from spearmint_int.model import Ensemble, Standardizer, TrainingData
from spearmint_int.observations import CleanValues, Observations, clean_values
from spearmint_int.registry import CHOOSERS
from spearmint_int.sampling import (
    ChainState,
    Draws,
    Prior,
    Priors,
    SamplerOptions,
    sample_posteriors,
)
from spearmint_int.space import Float, FloatArray, Params, Space

TREATMENTS = ("proposed", "basic", "naive")
LIKELIHOODS = ("GAUSSIAN", "NOISELESS")


@dataclass(frozen=True)
class ChooserOptions:
    """How to model and how to search; the defaults are for every experiment."""

    treatment: str = "proposed"
    likelihood: str = "GAUSSIAN"
    kernel: str = "matern52"
    acquisition: str = "auto"
    priors: Mapping[str, Prior] = field(default_factory=dict)
    samples: int = 10
    burn_in: int = 100
    thinning: int = 0
    fantasies: int = 1
    chains: int = 1
    threads: int = 1
    candidates: int = 1000
    candidates_seed: int = 0
    spray: int = 10
    spray_std: float = 1e-3
    initial_points: int = 2

    def __post_init__(self) -> None:
        if self.treatment not in TREATMENTS:
            raise UnknownNameError("integer treatment", self.treatment, TREATMENTS)
        if self.likelihood not in LIKELIHOODS:
            raise UnknownNameError("likelihood", self.likelihood, LIKELIHOODS)
        kernel_named(self.kernel)
        acquisition_named(self.acquisition_in_use)
        Priors().with_(self.priors)
        for name in ("samples", "chains", "threads", "fantasies", "candidates"):
            if getattr(self, name) < 1:
                raise SpearmintError(f"{name} must be at least 1, got {getattr(self, name)}")

    @property
    def noiseless(self) -> bool:
        return self.likelihood == "NOISELESS"

    @property
    def acquisition_in_use(self) -> str:
        """What `auto` is: EI, and noisy EI where there is noise. Plain EI goes back to a good place
        until its mean is known, which on the paper's noisy problems is a third of the evaluations.
        """
        if self.acquisition != "auto":
            return self.acquisition
        return "ei" if self.noiseless else "nei"

    @property
    def sampler(self) -> SamplerOptions:
        return SamplerOptions(self.samples, self.burn_in, self.thinning, self.chains, self.threads)

    @property
    def search(self) -> SearchOptions:
        return SearchOptions(self.candidates, self.candidates_seed, self.spray, self.spray_std)


@dataclass(frozen=True)
class Suggestion:
    """What to evaluate next, the exact point that the model will use for it, and why."""

    params: Params
    point: FloatArray
    provenance: dict[str, Any]
    chain: dict[str, Any] | None


@dataclass(frozen=True)
class Recommendation:
    """The minimum of the posterior mean, in the objective's units."""

    params: Params
    point: FloatArray
    mean: float
    sd: float

    def __str__(self) -> str:
        where = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.mean:.6g} ± {self.sd:.2g} at {where}"


class Chooser(Protocol):
    """A function of data to a suggestion."""

    def __call__(
        self,
        space: Space,
        observations: Observations,
        pending: FloatArray,
        options: ChooserOptions,
        *,
        seed: int,
        chain: Mapping[str, Any] | None = None,
    ) -> Suggestion: ...


def suggest(
    space: Space,
    observations: Observations,
    pending: FloatArray,
    options: ChooserOptions,
    *,
    seed: int,
    chain: Mapping[str, Any] | None = None,
) -> Suggestion:
    """The point with the largest acquisition, averaged over hyperparameters and fantasies.

    SpaceExhausted where a noiseless experiment has nothing left to learn.
    """
    began = time.perf_counter()
    task = _Task.of(space, observations, pending, options, seed)
    if observations.finite < max(options.initial_points, 1) or not space.groups:
        return task.initial(chain)
    with one_blas_thread():
        try:
            draws = task.fit(chain)
            found = task.search(draws.ensemble)
        except np.linalg.LinAlgError as error:
            return task.fallback(f"the model could not be fitted: {error}", chain)
        if found is None:
            return task.fallback("no candidate had a value", chain)
        return task.suggestion(draws, found, time.perf_counter() - began)


def recommend(
    space: Space,
    observations: Observations,
    options: ChooserOptions,
    *,
    seed: int,
    chain: Mapping[str, Any] | None = None,
) -> Recommendation | None:
    """The minimum of the posterior mean; None until there is a finite result.

    Under noise it is the model's minimum, and not the luckiest value.
    """
    if observations.finite == 0:
        return None
    task = _Task.of(space, observations, np.empty((0, space.dimensions)), options, seed)
    with one_blas_thread():
        try:
            ensemble = task.fit(chain).ensemble
            surface = NegativeMean(ensemble)
            found = maximize(
                surface, task.domain, options.search, rng=task.rng, anchors=task.anchors
            )
            point = task.canonical(task.anchors[0] if found is None else found.point)
            mean, sd = ensemble.mixture(point[np.newaxis, :])
        except np.linalg.LinAlgError:
            return task.best_observed()
    scale = task.standardizer
    return Recommendation(
        space.decode(point), point, scale.undo(float(mean[0])), scale.scale * float(sd[0])
    )


@dataclass(frozen=True)
class _Task:
    """One suggestion under way: the data made fit, and the random numbers that belong to it."""

    space: Space
    domain: Space
    observations: Observations
    pending: FloatArray
    options: ChooserOptions
    seed: int
    rng: np.random.Generator
    covariance: Covariance
    clean: CleanValues
    standardizer: Standardizer
    data: TrainingData
    taken: frozenset[bytes]

    @classmethod
    def of(
        cls,
        space: Space,
        observations: Observations,
        pending: FloatArray,
        options: ChooserOptions,
        seed: int,
    ) -> _Task:
        if seed < 0:
            raise SpearmintError(f"seed must be at least 0, got {seed}")
        proposed = options.treatment == "proposed"
        kernel = kernel_named(options.kernel)
        covariance = rounding(space, kernel) if proposed else plain(space, kernel)
        pending = np.asarray(pending, dtype=np.float64).reshape(-1, space.dimensions)
        clean = clean_values(observations.values)
        standardizer = Standardizer.of(clean.y)
        X = np.asarray(covariance.transform(observations.points), dtype=np.float64)
        taken = _taken(space, observations.points, pending) if proposed else frozenset()
        return cls(
            space=space,
            # the basic and naive treatments search the reals and round afterwards
            domain=space if proposed else _relaxed(space),
            observations=observations,
            pending=pending,
            options=options,
            seed=seed,
            rng=np.random.default_rng([seed, len(observations.values) + len(pending)]),
            covariance=covariance,
            clean=clean,
            standardizer=standardizer,
            data=TrainingData.collapse(X, standardizer.apply(clean.y)),
            taken=taken,
        )

    @property
    def index(self) -> int:
        return len(self.observations.values) + len(self.pending)

    @property
    def excluded(self) -> frozenset[bytes]:
        """Points that must not be launched: without noise all that were, with it all that are
        under way, while there are others."""
        if self.options.noiseless or self.options.treatment != "proposed":
            return self.taken
        pending = _taken(self.space, self.pending[:0], self.pending)
        used_up = self.space.is_discrete and len(pending) >= self.space.cells
        return frozenset() if used_up else pending

    @property
    def anchors(self) -> FloatArray:
        """The points evaluated so far, best first."""
        return self.data.X[np.argsort(self.data.y, kind="stable")]

    def canonical(self, point: FloatArray) -> FloatArray:
        """The point as it is stored: only the basic treatment keeps it unrounded."""
        return point if self.options.treatment == "basic" else self.space.snap(point)

    def fit(self, chain: Mapping[str, Any] | None) -> Draws:
        groups = len(self.covariance.groups)
        start = chain and ChainState.from_json(chain, chains=self.options.chains, groups=groups)
        return sample_posteriors(
            self.data,
            self.covariance,
            Priors.default(noiseless=self.options.noiseless).with_(self.options.priors),
            self.options.sampler,
            noiseless=self.options.noiseless,
            rng=self.rng,
            start=start or None,
        )

    def search(self, ensemble: Ensemble) -> Found | None:
        if len(self.pending):
            ensemble = ensemble.with_fantasies(self.pending, self.options.fantasies, self.rng)
        surface = acquisition_named(self.options.acquisition_in_use)(ensemble, self.rng)
        self._check_exhausted()
        return maximize(
            surface,
            self.domain,
            self.options.search,
            rng=self.rng,
            anchors=self.anchors,
            excluded=self.excluded,
        )

    def initial(self, chain: Mapping[str, Any] | None) -> Suggestion:
        """A point of the scrambled Sobol design."""
        self._check_exhausted()
        excluded = self.taken if self.options.treatment == "proposed" else frozenset()
        point = design_point(self.domain, self.index, seed=self.seed, excluded=excluded)
        return self._plain_suggestion(point, {"source": "initial design"}, chain)

    def fallback(self, reason: str, chain: Mapping[str, Any] | None) -> Suggestion:
        """A random point, with the reason: the run goes on."""
        self._check_exhausted()
        point = random_point(self.domain, self.rng, excluded=self.excluded)
        return self._plain_suggestion(point, {"source": "random", "reason": reason}, chain)

    def suggestion(self, draws: Draws, found: Found, seconds: float) -> Suggestion:
        point = self.canonical(found.point)
        provenance = self._provenance() | {
            "source": found.source,
            "acquisition": self.options.acquisition_in_use,
            "value": self._in_units(found.value),
            "runner_up": self._runner_up(found),
            "repeat": point_key(self.space.snap(point)) in self._seen(),
            "hyperparameters": [p.theta.to_json() for p in draws.ensemble.posteriors],
            "chain": draws.health.to_json(),
            "seconds": round(seconds, 6),
        }
        return Suggestion(self.space.decode(point), point, provenance, draws.state.to_json())

    def best_observed(self) -> Recommendation:
        best = int(np.argmin(self.clean.y))
        point = self.observations.points[best]
        return Recommendation(self.space.decode(point), point, float(self.clean.y[best]), 0.0)

    def _plain_suggestion(
        self, point: FloatArray, why: dict[str, Any], chain: Mapping[str, Any] | None
    ) -> Suggestion:
        point = self.canonical(point)
        provenance = self._provenance() | why
        return Suggestion(
            self.space.decode(point), point, provenance, None if chain is None else dict(chain)
        )

    def _provenance(self) -> dict[str, Any]:
        return {
            "treatment": self.options.treatment,
            "observations": len(self.observations.values),
            "unique_rows": len(self.data.y),
            "pending": len(self.pending),
            "failed": self.clean.failed,
            "outliers_drawn_in": self.clean.drawn_in,
        }

    def _runner_up(self, found: Found) -> dict[str, Any] | None:
        if found.runner_up is None:
            return None
        params = self.space.decode(found.runner_up)
        return {"params": params, "value": self._in_units(found.runner_up_value)}

    def _in_units(self, value: float) -> float | None:
        """EI in the objective's units; other acquisitions as they are."""
        if self.options.acquisition_in_use in ("ei", "nei"):
            value = math.exp(min(value, 700.0)) * self.standardizer.scale
        return value if math.isfinite(value) else None

    def _seen(self) -> frozenset[bytes]:
        return self.taken or _taken(self.space, self.observations.points, self.pending)

    def _check_exhausted(self) -> None:
        finite = self.options.noiseless and self.space.is_discrete
        if finite and self.options.treatment == "proposed" and len(self.taken) >= self.space.cells:
            raise SpaceExhausted(
                f"all {self.space.cells} points of the space are evaluated or pending: "
                "there is nothing left to suggest"
            )


def _taken(space: Space, points: FloatArray, pending: FloatArray) -> frozenset[bytes]:
    rows = space.snap(np.concatenate([points, pending]))
    return frozenset(point_key(row) for row in rows)


def _relaxed(space: Space) -> Space:
    """The unit cube of the space with every column a real."""
    return Space({str(column): Float(0.0, 1.0) for column in range(space.dimensions)})


def suggest_random(
    space: Space,
    observations: Observations,
    pending: FloatArray,
    options: ChooserOptions,
    *,
    seed: int,
    chain: Mapping[str, Any] | None = None,
) -> Suggestion:
    """A uniformly random point; without noise, one that is new."""
    task = _Task.of(space, observations, pending, options, seed)
    task._check_exhausted()
    point = space.snap(random_point(space, task.rng, excluded=task.excluded))
    provenance = {"source": "random", "observations": len(observations.values)}
    return Suggestion(space.decode(point), point, provenance, dict(chain) if chain else None)


def suggest_sequential(
    space: Space,
    observations: Observations,
    pending: FloatArray,
    options: ChooserOptions,
    *,
    seed: int,
    chain: Mapping[str, Any] | None = None,
) -> Suggestion:
    """The next point of the Sobol design: a space-filling run without a model."""
    task = _Task.of(space, observations, pending, options, seed)
    return task.initial(chain)


def chooser_named(name: str) -> Chooser:
    """The chooser of that name, or an error that lists the names there are."""
    return CHOOSERS[name]
