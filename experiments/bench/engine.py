"""The engine's own times: one log posterior, one steady-state suggestion, and its peak memory."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack as scipy_lapack

from experiments.bench import lapack, problem
from experiments.bench.timing import median_seconds, seconds
from spearmint_int import _gp
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser import ChooserOptions, Suggestion, suggest
from spearmint_int.factor import JITTER
from spearmint_int.kernels import packed_squared_differences, rounding
from spearmint_int.kernels.stationary import kernel_named
from spearmint_int.model import Ensemble, Standardizer, TrainingData
from spearmint_int.sampling import Priors
from spearmint_int.sampling._chain import Chain
from spearmint_int.space import FloatArray

BURN_IN = 20  # enough to be in the steady state; it is not what is timed
SUGGESTIONS = 7
# The kernel's own high-water mark: getrusage would count the process that this one was forked from.
PEAK_MEMORY = """
from pathlib import Path
from experiments.bench.engine import SteadyState
SteadyState(1000).suggest()
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) / 1024)
"""


def log_posterior_seconds(n: int) -> float:
    """One evaluation from scratch: all distances, the kernel, the factor, the solve, the priors."""
    observed, space = problem.observations(n), problem.space()
    y = Standardizer.of(observed.values).apply(observed.values)
    data = TrainingData.collapse(space.snap(observed.points), y)
    covariance = rounding(space, kernel_named("matern52"))
    d2 = packed_squared_differences(data.X, covariance.groups)
    rows, bits = Priors().rows(len(covariance.groups)), np.random.PCG64(0)
    capsule = covariance.kernel.capsule
    chain = Chain(d2, data.y, data.counts, data.scatter, rows, capsule, bits, False, JITTER)
    state = np.array([0.0, 0.0, -4.0, *np.log([0.5] * len(covariance.groups))])
    widths = np.ones(len(state))
    with one_blas_thread():
        return seconds(lambda: chain.set_state(state, widths))


class SteadyState:
    """Suggestions at n observations that go on from a chain which is burnt in."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._observed, self._space = problem.observations(n), problem.space()
        self._pending = np.empty((0, self._space.dimensions))
        self._seed = 0
        self._chain = self._ask(ChooserOptions(burn_in=BURN_IN), None).chain

    def suggest(self) -> Suggestion:
        self._seed += 1
        suggestion = self._ask(ChooserOptions(), self._chain)
        self._chain = suggestion.chain
        return suggestion

    def _ask(self, options: ChooserOptions, chain: dict[str, Any] | None) -> Suggestion:
        return suggest(
            self._space, self._observed, self._pending, options, seed=self._seed, chain=chain
        )


@dataclass(frozen=True)
class SuggestionTime:
    """CPU seconds of a suggestion, and of the LAPACK and BLAS calls that it makes."""

    total: float
    linear_algebra: float


def suggestion_time(n: int) -> SuggestionTime:
    """The median suggestion, and what its factorizations and solves cost on their own."""
    steady = SteadyState(n)
    with one_blas_thread():
        total = median_seconds(steady.suggest, repeats=SUGGESTIONS)
        with _Recording() as calls:
            health = steady.suggest().provenance["chain"]
        sampled = health["evaluations"]
        alone = sampled * (lapack.dpotrf_seconds(n) + lapack.dtrsv_seconds(n))
        alone += calls.factorizations * lapack.dpotrf_seconds(n)
        alone += calls.inverses * lapack.inverse_seconds(n)
        for (points, products), times in calls.products.items():
            alone += times * calls.samples * products * lapack.product_seconds(n, points)
    return SuggestionTime(total, alone)


def cold_suggestion_seconds(n: int) -> float:
    """A first suggestion on n results that no chain has seen: the burn-in, and all the rest."""
    observed, space = problem.observations(n), problem.space()
    nothing = np.empty((0, space.dimensions))
    with one_blas_thread():
        return median_seconds(
            lambda: suggest(space, observed, nothing, ChooserOptions(), seed=0), repeats=3
        )


def peak_memory_mb() -> float:
    """Of a process of its own that makes two suggestions at n = 1000."""
    run = subprocess.run(
        [sys.executable, "-c", PEAK_MEMORY], capture_output=True, text=True, check=True
    )
    return float(run.stdout)


class _Recording:
    """Counts the linear algebra of a suggestion outside of the sampler.

    `products` has how many points were predicted at once, with how many products by R each.
    """

    def __init__(self) -> None:
        self.products: Counter[tuple[int, int]] = Counter()
        self.samples = self.inverses = self.factorizations = 0
        self._originals: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> _Recording:
        self._replace(Ensemble, "moments", self._predicting(Ensemble.moments, 1))
        gradient = Ensemble.moments_with_gradient
        self._replace(Ensemble, "moments_with_gradient", self._predicting(gradient, 2))
        self._replace(_gp, "inverse_of_factor", self._counting(_gp.inverse_of_factor, "inverses"))
        self._replace(scipy_lapack, "dpotrf", self._counting(scipy_lapack.dpotrf, "factorizations"))
        return self

    def __exit__(self, *exception: object) -> None:
        for owner, name, original in self._originals:
            setattr(owner, name, original)

    def _replace(self, owner: Any, name: str, counted: Any) -> None:
        self._originals.append((owner, name, getattr(owner, name)))
        setattr(owner, name, counted)

    def _counting(self, original: Callable[..., Any], counter: str) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            setattr(self, counter, getattr(self, counter) + 1)
            return original(*arguments, **options)

        return counted

    def _predicting(self, original: Callable[..., Any], products: int) -> Callable[..., Any]:
        def counted(ensemble: Ensemble, U: FloatArray) -> Any:
            self.products[len(U), products] += 1
            self.samples = len(ensemble.posteriors)
            return original(ensemble, U)

        return counted
