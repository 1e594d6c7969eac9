"""BoTorch with its mixed search."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import torch
from botorch.acquisition import LogExpectedImprovement, PosteriorMean
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf_mixed, optimize_acqf_mixed_alternating
from gpytorch.mlls import ExactMarginalLogLikelihood
from scipy.stats import qmc

from experiments.peers.history import History

if TYPE_CHECKING:
    from collections.abc import Iterator

    from experiments.dimension import Params
    from experiments.peers.history import Assignment


@contextmanager
def _quiet() -> Iterator[None]:
    """Without its notes on jitter and on restarts of the fit, which it deals with itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class BoTorch(History):
    """SingleTaskGP on standardised outputs, log EI, the integers searched for what they are.

    `optimize_acqf_mixed` goes through every combination of the integers; where there are more than
    `ENUMERATED`, `optimize_acqf_mixed_alternating` with its defaults is what is recommended.
    Sobol points first, max(5, 2·D) as Ax does. Without noise the variance is fixed to `NOISELESS`;
    with noise it is inferred, and the acquisition is qLogNoisyExpectedImprovement, as its
    documentation recommends. The recommendation is the posterior mean's minimum by the same search.
    """

    NOISELESS = 1e-6
    ENUMERATED = 12
    RESTARTS = 4
    RAW_SAMPLES = 64

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment)
        torch.set_num_threads(1)
        torch.manual_seed(self.seed)
        start = qmc.Sobol(len(self.dimensions), rng=self.seed).random_base2(6)
        self._start = start[: max(5, 2 * len(self.dimensions))]
        self._levels = {
            i: [d.to_unit(value) for value in d.values()]
            for i, d in enumerate(self.dimensions)
            if d.integer
        }

    def ask(self) -> Params:
        if len(self.values) < len(self._start):
            start = zip(self._start[len(self.values)], self.dimensions, strict=True)
            return {d.name: d.from_uniform(u) for u, d in start}
        with _quiet():
            X, model = self._fit()
            return self._best_of(self._acquisition(model, X))

    def recommend(self) -> Params:
        with _quiet():
            _, model = self._fit()
            return self._best_of(PosteriorMean(model))

    def _fit(self) -> tuple[Any, Any]:
        """The unit-cube points and a model fitted to the negated values (it maximises)."""
        tensor = torch.tensor
        X = tensor([self._encode(point) for point in self.params], dtype=torch.double)
        Y = -tensor(self.values, dtype=torch.double)[:, None]
        variance = None if self.noisy else torch.full_like(Y, self.NOISELESS)
        model = SingleTaskGP(X, Y, variance)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return X, model

    def _acquisition(self, model: Any, X: Any) -> Any:
        if self.noisy:
            return qLogNoisyExpectedImprovement(model, X_baseline=X)
        return LogExpectedImprovement(model, best_f=-min(self.values))

    def _best_of(self, acquisition: Any) -> Params:
        bounds = torch.tensor([[0.0], [1.0]], dtype=torch.double)
        bounds = bounds.repeat(1, len(self.dimensions))
        if prod(len(values) for values in self._levels.values()) > self.ENUMERATED:
            candidate, _ = optimize_acqf_mixed_alternating(
                acquisition, bounds, discrete_dims=self._levels
            )
        else:
            candidate, _ = optimize_acqf_mixed(
                acquisition,
                bounds,
                q=1,
                num_restarts=self.RESTARTS,
                raw_samples=self.RAW_SAMPLES,
                fixed_features_list=self._combinations(),
            )
        return self._decode(candidate[0].numpy())

    def _combinations(self) -> list[dict[int, float]]:
        """Every combination of the integers, in the unit cube."""
        return [
            dict(zip(self._levels, values, strict=True))
            for values in product(*self._levels.values())
        ]

    def _encode(self, params: Params) -> list[float]:
        return [d.to_unit(params[d.name]) for d in self.dimensions]

    def _decode(self, point: Any) -> Params:
        return {d.name: d.from_unit(u) for u, d in zip(point, self.dimensions, strict=True)}
