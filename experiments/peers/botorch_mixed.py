"""BoTorch with its mixed search."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any

import torch
from botorch.acquisition import LogExpectedImprovement, PosteriorMean
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf_mixed
from gpytorch.mlls import ExactMarginalLogLikelihood
from scipy.stats import qmc

from experiments.peers.history import History

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from experiments.dimension import Dimension, Params


@contextmanager
def _quiet() -> Iterator[None]:
    """Without its notes on jitter and on restarts of the fit, which it deals with itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class BoTorch(History):
    """SingleTaskGP on standardised outputs, log EI, `optimize_acqf_mixed` over every combination.

    Sobol points first, max(5, 2·D) as Ax does. Without noise the variance is fixed to `NOISELESS`;
    with noise it is inferred, and the acquisition is qLogNoisyExpectedImprovement, as its
    documentation recommends. The recommendation is the posterior mean's minimum by the same search.
    """

    NOISELESS = 1e-6
    RESTARTS = 4
    RAW_SAMPLES = 64

    def __init__(
        self, dimensions: Sequence[Dimension], *, noise_variance: float | None, seed: int
    ) -> None:
        super().__init__(dimensions, noise_variance=noise_variance, seed=seed)
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        start = qmc.Sobol(len(self.dimensions), rng=seed).random_base2(6)
        self._start = start[: max(5, 2 * len(self.dimensions))]
        integers = {i: d for i, d in enumerate(self.dimensions) if d.integer}
        self._combinations: list[dict[int, float]] = [
            dict(zip(integers, ((v - d.low) / (d.high - d.low) for v, d in pairs), strict=True))
            for pairs in product(*([(v, d) for v in d.values()] for d in integers.values()))
        ]

    def ask(self) -> Params:
        if len(self.values) < len(self._start):
            return self._decode(self._start[len(self.values)], cells=True)
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
        candidate, _ = optimize_acqf_mixed(
            acquisition,
            bounds.repeat(1, len(self.dimensions)),
            q=1,
            num_restarts=self.RESTARTS,
            raw_samples=self.RAW_SAMPLES,
            fixed_features_list=self._combinations,
        )
        return self._decode(candidate[0].numpy(), cells=False)

    def _encode(self, params: Params) -> list[float]:
        return [(params[d.name] - d.low) / (d.high - d.low) for d in self.dimensions]

    def _decode(self, point: Any, *, cells: bool) -> Params:
        """`cells`: a uniform u becomes each integer equally often, not the ends half as often."""
        params: Params = {}
        for u, d in zip(point, self.dimensions, strict=True):
            if d.integer and cells:
                params[d.name] = int(d.low) + min(int(u * len(d.values())), len(d.values()) - 1)
            else:
                params[d.name] = d.plain(d.low + float(u) * (d.high - d.low))
        return params
