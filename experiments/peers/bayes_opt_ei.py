"""The package bayesian-optimization."""

from __future__ import annotations

import warnings
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING

import numpy as np
from bayes_opt import BayesianOptimization, acquisition

from experiments.peers.history import History

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.dimension import Dimension, Params


class BayesOpt(History):
    """BayesianOptimization with typed integer parameters (its kernel rounds them) and EI.

    Five random points first, its default; repeated points are allowed, and under noise `alpha` is
    the noise's share of the variance, told truly. Of its acquisitions EI without a margin was the
    best on the whole (UCB, its default, and EI with a margin of 0.01 were tried).
    """

    START = 5

    def __init__(
        self, dimensions: Sequence[Dimension], *, noise_variance: float, seed: int
    ) -> None:
        super().__init__(dimensions, noise_variance=noise_variance, seed=seed)
        bounds = {
            d.name: (d.low, d.high, int) if d.integer else (d.low, d.high) for d in self.dimensions
        }
        self._optimizer = BayesianOptimization(
            None,
            bounds,
            acquisition_function=acquisition.ExpectedImprovement(xi=0.0),
            random_state=seed,
            verbose=0,
            allow_duplicate_points=True,
        )

    def ask(self) -> Params:
        if len(self.values) < self.START:
            return self.plain(self._optimizer.random_sample(1)[0])
        if self.noisy:
            share = self.noise_variance / max(float(np.var(self.values)), 1e-12)
            self._optimizer.set_gp_params(alpha=max(share, 1e-6))
        with warnings.catch_warnings():
            # scikit-learn's notes on fits that end at a bound; nothing that a user would act on.
            warnings.simplefilter("ignore")
            return self.plain(self._optimizer.suggest())

    def tell(self, params: Params, value: float) -> None:
        super().tell(params, value)
        # It prints a line for each repeated point, whatever its verbosity.
        with redirect_stdout(StringIO()):
            self._optimizer.register(params, -value)
