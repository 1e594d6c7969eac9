"""The package bayesian-optimization."""

from __future__ import annotations

import warnings
from contextlib import redirect_stdout
from io import StringIO
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np
from bayes_opt import BayesianOptimization, acquisition

from experiments.peers.history import History

if TYPE_CHECKING:
    from collections.abc import Mapping

    from experiments.dimension import Dimension, Params
    from experiments.peers.history import Assignment


class BayesOpt(History):
    """BayesianOptimization with typed integer parameters (its kernel rounds them) and EI.

    Five random points first, its default; repeated points are allowed, and under noise `alpha` is
    the noise's share of the variance, told truly where it is known; it has no log scale, so a real
    on one is given as its logarithm. Of its acquisitions EI without a margin was the
    best on the whole (UCB, its default, and EI with a margin of 0.01 were tried).
    """

    START = 5

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment)
        bounds = {
            d.name: (d.low, d.high, int) if d.integer else self._scaled_bounds(d)
            for d in self.dimensions
        }
        self._optimizer = BayesianOptimization(
            None,
            bounds,
            acquisition_function=acquisition.ExpectedImprovement(xi=0.0),
            random_state=self.seed,
            verbose=0,
            allow_duplicate_points=True,
        )

    def ask(self) -> Params:
        if len(self.values) < self.START:
            return self._params(self._optimizer.random_sample(1)[0])
        if self.noise_variance:
            share = self.noise_variance / max(float(np.var(self.values)), 1e-12)
            self._optimizer.set_gp_params(alpha=max(share, 1e-6))
        with warnings.catch_warnings():
            # scikit-learn's notes on fits that end at a bound; nothing that a user would act on.
            warnings.simplefilter("ignore")
            return self._params(self._optimizer.suggest())

    def tell(self, params: Params, value: float) -> None:
        super().tell(params, value)
        # It prints a line for each repeated point, whatever its verbosity.
        with redirect_stdout(StringIO()):
            self._optimizer.register(self._scaled(params), -value)

    @staticmethod
    def _scaled_bounds(d: Dimension) -> tuple[float, float]:
        return (log(d.low), log(d.high)) if d.log else (d.low, d.high)

    def _scaled(self, params: Params) -> Params:
        return {d.name: log(params[d.name]) if d.log else params[d.name] for d in self.dimensions}

    def _params(self, scaled: Mapping[str, float]) -> Params:
        return {
            d.name: d.plain(exp(scaled[d.name]) if d.log else scaled[d.name])
            for d in self.dimensions
        }
