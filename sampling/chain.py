"""Samples of the hyperparameters from p(θ | data): the chain's start, its run and its health.

A chain goes on from where the last one ended (`ChainState`), so that burn-in is paid once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels._stationary import packed_squared_differences
from spearmint_int.kernels.covariance import Covariance
from spearmint_int.model import Hyperparameters, Posterior, TrainingData
from spearmint_int.model.factor import JITTER, LEAST_JITTER, Factor
from spearmint_int.sampling._chain import Chain
from spearmint_int.sampling.diagnostics import mixing
from spearmint_int.sampling.layout import Layout
from spearmint_int.sampling.priors import Priors

TRACE_LENGTH = 60  # draws kept for the diagnostics: six suggestions of ten
START_SHRINKS = 12  # halvings of the length scales in search of a start that can be factored
# With more than 1.5 times as many rows a chain burns in on a subsample of this size, which leads to
# the same region at a fraction of the cost, and then makes a few sweeps with all rows.
BURN_IN_ROWS = 100
SETTLING_SWEEPS = 10


@dataclass(frozen=True)
class ChainState:
    """Where the chains stand: the states s and slice widths [chains, |s|], and the trace of the
    last draws [k, chains, |s|]."""

    states: FloatArray
    widths: FloatArray
    trace: FloatArray

    def to_json(self) -> dict[str, Any]:
        return {
            "states": self.states.tolist(),
            "widths": self.widths.tolist(),
            "trace": self.trace.tolist(),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], *, chains: int, size: int) -> ChainState | None:
        """None where the stored chain is of another model or damaged: it then starts anew."""
        try:
            states, widths, trace = (
                np.array(stored[key], dtype=np.float64) for key in ("states", "widths", "trace")
            )
        except (KeyError, TypeError, ValueError):
            return None
        shape = (chains, size)
        if states.shape != shape or widths.shape != shape or trace.shape[1:] != shape:
            return None
        usable = np.all(np.isfinite(states)) and np.all(widths > 0)
        return cls(states, widths, trace) if usable else None


@dataclass(frozen=True)
class ChainHealth:
    """Diagnostics of the sampling; `fallback` says that a chain could not be started at all."""

    evaluations: int
    stuck: int
    split_rhat: float
    effective_samples: float
    resumed: bool
    fallback: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "evaluations": self.evaluations,
            "stuck_moves": self.stuck,
            "split_rhat": _json_number(self.split_rhat),
            "effective_samples": _json_number(self.effective_samples),
            "resumed": self.resumed,
            "fallback": self.fallback,
        }


@dataclass(frozen=True)
class Draws:
    """The posterior of each hyperparameter sample, the chains' new state, and its diagnostics."""

    posteriors: tuple[Posterior, ...]
    state: ChainState
    health: ChainHealth


@dataclass(frozen=True)
class SamplerOptions:
    """How many samples, and how they are drawn."""

    samples: int = 10
    burn_in: int = 100
    thinning: int = 0
    chains: int = 1
    threads: int = 1


@dataclass(frozen=True)
class Model:
    """A GP before it has data: its covariance, the priors of its hyperparameters, its warps."""

    covariance: Covariance
    priors: Priors
    noiseless: bool
    warps_outputs: bool = False
    warped_columns: tuple[int, ...] = ()

    @property
    def layout(self) -> Layout:
        """Where its hyperparameters stand in a chain's state."""
        groups = self.covariance.groups
        group_of = {column: g for g, columns in enumerate(groups) for column in columns}
        return Layout(
            groups=len(groups),
            noiseless=self.noiseless,
            warps_outputs=self.warps_outputs,
            warped_columns=self.warped_columns,
            warped_groups=tuple(group_of[column] for column in self.warped_columns),
            trends=len(self.covariance.trend.columns) > 0,
        )

    def chain(
        self, data: TrainingData, d2: FloatArray, bits: np.random.BitGenerator, *, jitter: float
    ) -> Chain:
        layout = self.layout
        features = self.covariance.trend.features(data.X)
        return Chain(
            d2,
            np.ascontiguousarray(data.y),
            data.rows,
            data.counts,
            data.reference,
            np.ascontiguousarray(data.X[:, list(layout.warped_columns)].T),
            np.array(layout.warped_groups, dtype=np.int64),
            np.ascontiguousarray(features.T),
            features @ self.covariance.trend.leaning,
            layout.prior_rows(self.priors),
            self.covariance.kernel.capsule,
            bits,
            noiseless=self.noiseless,
            warps_outputs=self.warps_outputs,
            jitter=jitter,
        )


def sample_posteriors(
    data: TrainingData,
    model: Model,
    options: SamplerOptions,
    *,
    rng: np.random.Generator,
    start: ChainState | None = None,
) -> Draws:
    """`options.samples` draws of θ, each with its posterior, which is factored already."""
    if model.noiseless:
        data = data.without_replicates()
    d2 = packed_squared_differences(data.X, model.covariance.groups)

    def new_runs() -> list[_Run]:
        count = -(-options.samples // options.chains)
        bits = rng.bit_generator.spawn(options.chains)
        return [_Run(model, data, d2, each, count) for each in bits]

    runs = [] if start is None else new_runs()
    if start is None or not all(run.resumes(start, i) for i, run in enumerate(runs)):
        start, warm = None, _burnt_in_on_subsample(data, model, options, rng)
        runs = new_runs()

    def go(index: int, run: _Run) -> None:
        if start is None:
            run.burn_in(options.burn_in, warm, index)
        run.draw(1 + options.thinning)

    if options.chains == 1:
        go(0, runs[0])
    else:
        with ThreadPoolExecutor(min(options.threads, options.chains)) as pool:
            list(pool.map(go, range(options.chains), runs))
    posteriors = [
        Posterior.fit(data, theta, model.covariance, noiseless=model.noiseless, factor=factor)
        for draw in zip(*(run.draws for run in runs), strict=True)
        for theta, factor in draw
    ]
    state = _next_state(runs, start)
    return Draws(tuple(posteriors[: options.samples]), state, _health(runs, state, start))


def _burnt_in_on_subsample(
    data: TrainingData, model: Model, options: SamplerOptions, rng: np.random.Generator
) -> ChainState | None:
    """Where chains stand after a burn-in on a subsample; None where there are too few rows."""
    if options.burn_in == 0 or len(data.X) <= 1.5 * BURN_IN_ROWS:
        return None
    subsample, one_each = (
        data.subsample(BURN_IN_ROWS, rng),
        replace(options, samples=options.chains),
    )
    return sample_posteriors(subsample, model, one_each, rng=rng).state


class _Run:
    """One chain: resumed, or started and burnt in; then drawn from.

    Its jitter is the least with which the covariance can be factored at the state it begins in.
    """

    def __init__(
        self,
        model: Model,
        data: TrainingData,
        d2: FloatArray,
        bits: np.random.BitGenerator,
        count: int,
    ) -> None:
        self._model, self._data, self._d2, self._bits = model, data, d2, bits
        self._layout = model.layout
        self._count = count
        self._jitter = LEAST_JITTER if model.noiseless else JITTER
        self.chain = model.chain(data, d2, bits, jitter=self._jitter)
        self.draws: list[tuple[Hyperparameters, Factor | None]] = []
        self.states: list[FloatArray] = []
        self.fallback = False

    def resumes(self, start: ChainState, index: int) -> bool:
        """Whether it can go on from where an earlier chain ended."""
        return self._stand(start.states[index], start.widths[index], most=JITTER)

    def burn_in(self, sweeps: int, warm: ChainState | None, index: int) -> None:
        """From the state `warm`, which was burnt in on a subsample, or else from the priors."""
        if warm is not None and self.resumes(warm, index):
            self.chain.sweep(min(sweeps, SETTLING_SWEEPS), True)
        elif self._begin():
            self.chain.sweep(sweeps, True)
        else:
            self.fallback = True

    def draw(self, sweeps: int) -> None:
        """All draws, each after so many sweeps; a chain that could not start repeats its state."""
        for _ in range(self._count):
            if not self.fallback:
                self.chain.sweep(sweeps, False)
            factor = None if self.fallback else Factor(self.chain.factor(), jitter=self._jitter)
            self.draws.append((self._layout.theta(self.chain.state), factor))
            self.states.append(self.chain.state)

    def _begin(self) -> bool:
        """Start in a typical state, with shorter length scales where the covariance can't be
        factored: they make it better conditioned. False where none is short enough."""
        for shrink in range(START_SHRINKS):
            state = self._layout.start(self._model.priors, shrunk=0.5**shrink)
            if self._stand(state, np.ones(len(state)), most=self._jitter):
                return True
        return False

    def _stand(self, state: FloatArray, widths: FloatArray, *, most: float) -> bool:
        """Put the chain into a state, with up to `most` jitter; False where that is not enough."""
        while not math.isfinite(self.chain.set_state(state, widths)):
            if self._jitter >= most:
                return False
            self._jitter *= 10.0
            self.chain = self._model.chain(self._data, self._d2, self._bits, jitter=self._jitter)
        return True


def _next_state(runs: list[_Run], start: ChainState | None) -> ChainState:
    fresh = np.array([run.states for run in runs]).transpose(1, 0, 2)
    trace = fresh if start is None else np.concatenate([start.trace, fresh])
    return ChainState(
        np.array([run.chain.state for run in runs]),
        np.array([run.chain.slice_widths for run in runs]),
        trace[-TRACE_LENGTH:],
    )


def _health(runs: list[_Run], state: ChainState, start: ChainState | None) -> ChainHealth:
    # the worst coordinate speaks for all; the noise of a noiseless model never moves
    draws = state.trace.transpose(2, 1, 0)
    rhat, sizes = mixing(draws[np.ptp(draws, axis=(1, 2)) > 0])
    return ChainHealth(
        evaluations=sum(run.chain.evaluations for run in runs),
        stuck=sum(run.chain.stuck for run in runs),
        split_rhat=float(np.max(rhat)) if len(rhat) else math.nan,
        effective_samples=float(np.min(sizes)) if len(sizes) else math.nan,
        resumed=start is not None,
        fallback=any(run.fallback for run in runs),
    )


def _json_number(x: float) -> float | None:
    return round(x, 4) if math.isfinite(x) else None
