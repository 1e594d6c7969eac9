"""The engine's own times: one log posterior, one steady-state suggestion, and its peak memory."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import lapack as scipy_lapack

from experiments.bench import lapack, problem
from experiments.bench.timing import median_seconds, seconds
from spearmint_int.arrays import FloatArray
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser import (
    OBJECTIVE,
    Answer,
    ChooserOptions,
    Problem,
    model_of,
    suggest,
)
from spearmint_int.kernels import packed_squared_differences
from spearmint_int.model import Ensemble, Hyperparameters, OutputScale, TrainingData, _predict
from spearmint_int.model.factor import JITTER

BURN_IN = 20  # enough to be in the steady state; it is not what is timed
SUGGESTIONS = 7
# The kernel's own high-water mark: getrusage would count the process that this one was forked from.
PEAK_MEMORY = """
from pathlib import Path
from experiments.bench.engine import SteadyState
SteadyState.at(1000).suggest()
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) / 1024)
"""


def log_posterior_seconds(n: int) -> float:
    """One evaluation from scratch: all distances, the kernel, the factor, the solve, the priors."""
    observed, space = problem.observations(n), problem.space()
    values = observed.values[OBJECTIVE]
    y = OutputScale.of(values).apply(values)
    data = TrainingData.collapse(space.snap(observed.points), y, reference=y)
    model = model_of(space, ChooserOptions(), trend=True)
    d2 = packed_squared_differences(data.X, model.covariance.groups)
    chain = model.chain(data, d2, np.random.PCG64(0), jitter=JITTER)
    lengths = (0.5,) * len(model.covariance.groups)
    theta = Hyperparameters(0.0, 1.0, math.exp(-4.0), lengths, trend=1.0)
    state = model.layout.state(theta)
    widths = np.ones(len(state))
    with one_blas_thread():
        return seconds(lambda: chain.set_state(state, widths))


class SteadyState:
    """Suggestions that go on from a chain which is burnt in."""

    def __init__(self, given: Problem) -> None:
        self._problem = given
        burning = replace(self._problem, options=ChooserOptions(burn_in=BURN_IN))
        self._chain = suggest(burning).chain

    @classmethod
    def at(cls, n: int) -> SteadyState:
        """On n observations of the problem."""
        return cls(Problem(problem.space(), problem.observations(n)))

    def suggest(self, count: int = 1) -> Answer:
        seed = self._problem.seed + 1
        self._problem = replace(self._problem, seed=seed, chain=self._chain)
        answer = suggest(self._problem, count)
        self._chain = answer.chain
        return answer


@dataclass(frozen=True)
class SuggestionTime:
    """CPU seconds of a suggestion, and of the LAPACK and BLAS calls that it makes."""

    total: float
    linear_algebra: float


def suggestion_time(n: int) -> SuggestionTime:
    """The median suggestion, and what its factorizations and solves cost on their own."""
    steady = SteadyState.at(n)
    with one_blas_thread():
        total = median_seconds(steady.suggest, repeats=SUGGESTIONS)
        with _Recording() as calls:
            chosen = steady.suggest().suggestions[0].provenance.acquired
        sampled = chosen.chain.evaluations if chosen else 0
        alone = sampled * (lapack.dpotrf_seconds(n) + lapack.dtrsv_seconds(n))
        alone += calls.factorizations * lapack.dpotrf_seconds(n)
        alone += calls.inverses * lapack.inverse_seconds(n)
        for (points, products), times in calls.products.items():
            alone += times * calls.samples * products * lapack.product_seconds(n, points)
        for points, times in calls.means.items():
            alone += times * calls.samples * lapack.mean_seconds(n, points, *calls.shape)
    return SuggestionTime(total, alone)


def batch_seconds(n: int, count: int) -> float:
    """`count` points asked for at once."""
    steady = SteadyState.at(n)
    with one_blas_thread():
        return median_seconds(lambda: steady.suggest(count), repeats=SUGGESTIONS)


def wide_suggestion_seconds(dimensions: int) -> float:
    """A suggestion in many dimensions, with ten results for each."""
    space, observed = problem.wide(dimensions)
    steady = SteadyState(Problem(space, observed))
    with one_blas_thread():
        return median_seconds(steady.suggest, repeats=SUGGESTIONS)


def cold_suggestion_seconds(n: int) -> float:
    """A first suggestion on n results that no chain has seen: the burn-in, and all the rest."""
    cold = Problem(problem.space(), problem.observations(n))
    with one_blas_thread():
        return median_seconds(lambda: suggest(cold), repeats=3)


def peak_memory_mb() -> float:
    """Of a process of its own that makes two suggestions at n = 1000."""
    run = subprocess.run(
        [sys.executable, "-c", PEAK_MEMORY], capture_output=True, text=True, check=True
    )
    return float(run.stdout)


class _Recording:
    """Counts the linear algebra of a suggestion outside of the sampler.

    `products` has how many points were predicted at once, with how many products by R each; `means`
    how many had their mean by dgemm, and `shape` is of that: fantasies, and features of the trend.
    """

    def __init__(self) -> None:
        self.products: Counter[tuple[int, int]] = Counter()
        self.means: Counter[int] = Counter()
        self.shape = (1, 0)
        self.samples = self.inverses = self.factorizations = 0
        self._originals: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> _Recording:
        self._replace(Ensemble, "moments", self._predicting(Ensemble.moments, 1))
        self._replace(Ensemble, "moments_bound", self._predicting(Ensemble.moments_bound, 0))
        gradient = Ensemble.moments_with_gradient
        self._replace(Ensemble, "moments_with_gradient", self._predicting(gradient, 2))
        self._replace(
            _predict, "inverse_of_factor", self._counting(_predict.inverse_of_factor, "inverses")
        )
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
            self.means[len(U)] += products < 2  # with a gradient they are not BLAS's
            first, *_ = ensemble.posteriors
            self.samples = len(ensemble.posteriors)
            self.shape = (len(first.values), first.features.shape[1])
            return original(ensemble, U)

        return counted
