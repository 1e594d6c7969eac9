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
from spearmint_int.model.factor import JITTER, Factor
from spearmint_int.sampling._chain import Chain
from spearmint_int.sampling.diagnostics import effective_sample_size, split_rhat
from spearmint_int.sampling.priors import Priors

LEVELS = 3  # mean, amplitude and noise stand before the length scales in a state
TRACE_LENGTH = 60  # draws kept for the diagnostics: six suggestions of ten
START_SHRINKS = 12  # halvings of the length scales in search of a start that can be factored
# Where there are half as many rows again as this, a chain burns in on so many of them, which is
# where all rows would have led it at a fraction of the cost, and then settles among all of them.
BURN_IN_ROWS = 100
SETTLING_SWEEPS = 10


@dataclass(frozen=True)
class ChainState:
    """Where the chains stand: s and slice widths of each, and the last draws [k, chains, |s|]."""

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
    def from_json(cls, stored: Mapping[str, Any], *, chains: int, groups: int) -> ChainState | None:
        """None where the stored chain is of another model, or was damaged: it starts anew then."""
        try:
            states, widths, trace = (
                np.array(stored[key], dtype=np.float64) for key in ("states", "widths", "trace")
            )
        except (KeyError, TypeError, ValueError):
            return None
        shape = (chains, LEVELS + groups)
        if states.shape != shape or widths.shape != shape or trace.shape[1:] != shape:
            return None
        usable = np.all(np.isfinite(states)) and np.all(widths > 0)
        return cls(states, widths, trace) if usable else None


@dataclass(frozen=True)
class ChainHealth:
    """How the sampling went, in numbers that a person can judge."""

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
    """The posterior of each sample, where the chains stand now, and their health."""

    posteriors: tuple[Posterior, ...]
    state: ChainState
    health: ChainHealth


@dataclass(frozen=True)
class SamplerOptions:
    """How many samples, and how they are had."""

    samples: int = 10
    burn_in: int = 100
    thinning: int = 0
    chains: int = 1
    threads: int = 1


def sample_posteriors(
    data: TrainingData,
    covariance: Covariance,
    priors: Priors,
    options: SamplerOptions,
    *,
    noiseless: bool,
    rng: np.random.Generator,
    start: ChainState | None = None,
) -> Draws:
    """`options.samples` draws of θ, each with its posterior already factored."""
    warm = None
    if start is None and options.burn_in > 0 and len(data.y) > 1.5 * BURN_IN_ROWS:
        some, few = data.subsample(BURN_IN_ROWS, rng), replace(options, samples=options.chains)
        warm = sample_posteriors(some, covariance, priors, few, noiseless=noiseless, rng=rng).state
    d2 = packed_squared_differences(data.X, covariance.groups)
    capsule, rows = covariance.kernel.capsule, priors.rows(len(covariance.groups))
    runs = [
        _Run(
            Chain(d2, data.y, data.counts, data.scatter, rows, capsule, bits, noiseless, JITTER),
            priors,
            -(-options.samples // options.chains),
            noiseless,
        )
        for bits in rng.bit_generator.spawn(options.chains)
    ]
    if options.chains == 1:
        runs[0].go(options, start, warm, 0)
    else:
        with ThreadPoolExecutor(min(options.threads, options.chains)) as pool:
            list(pool.map(lambda pair: pair[1].go(options, start, warm, pair[0]), enumerate(runs)))
    posteriors = [
        Posterior.fit(data, theta, covariance, noiseless=noiseless, factor=factor)
        for draw in zip(*(run.draws for run in runs), strict=True)
        for theta, factor in draw
    ]
    state = _next_state(runs, start)
    return Draws(tuple(posteriors[: options.samples]), state, _health(runs, state, start))


class _Run:
    """One chain on its way: started, burnt in where it must, then drawn from."""

    def __init__(self, chain: Chain, priors: Priors, count: int, noiseless: bool) -> None:
        self.chain, self.priors, self.count = chain, priors, count
        self.noiseless = noiseless
        self.draws: list[tuple[Hyperparameters, Factor | None]] = []
        self.states: list[FloatArray] = []
        self.fallback = False

    def go(
        self, options: SamplerOptions, start: ChainState | None, warm: ChainState | None, index: int
    ) -> None:
        """From `start`, where an earlier chain ended; else from `warm`, which was burnt in on some
        of the rows; else from the priors."""
        if start is not None and self._resume(start, index):
            pass
        elif warm is not None and self._resume(warm, index):
            self.chain.sweep(min(options.burn_in, SETTLING_SWEEPS), True)
        elif self._begin():
            self.chain.sweep(options.burn_in, True)
        else:
            self.fallback = True
        for _ in range(self.count):
            if not self.fallback:
                self.chain.sweep(1 + options.thinning, False)
            factor = None if self.fallback else Factor(self.chain.factor())
            self.draws.append((_theta(self.chain.state, self.noiseless), factor))
            self.states.append(self.chain.state)

    def _resume(self, start: ChainState, index: int) -> bool:
        return math.isfinite(self.chain.set_state(start.states[index], start.widths[index]))

    def _begin(self) -> bool:
        """Stand at a typical point; shorter length scales are better conditioned."""
        groups = len(self.chain.state) - LEVELS
        priors = self.priors
        ratio = priors.noise.start / priors.amplitude.start**2
        for shrink in range(START_SHRINKS):
            length = priors.length_scale.start * 0.5**shrink
            levels = [priors.mean.start, math.log(priors.amplitude.start), math.log(ratio)]
            state = np.array([*levels, *[math.log(length)] * groups])
            if math.isfinite(self.chain.set_state(state, np.ones(len(state)))):
                return True
        return False


def _theta(state: FloatArray, noiseless: bool) -> Hyperparameters:
    amplitude2 = math.exp(2.0 * state[1])
    noise = 0.0 if noiseless else amplitude2 * math.exp(state[2])
    lengths = tuple(float(length) for length in np.exp(state[LEVELS:]))
    return Hyperparameters(float(state[0]), amplitude2, noise, lengths)


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
    moving = [coordinate for coordinate in draws if np.ptp(coordinate) > 0]
    return ChainHealth(
        evaluations=sum(run.chain.evaluations for run in runs),
        stuck=sum(run.chain.stuck for run in runs),
        split_rhat=max((split_rhat(d) for d in moving), default=float("nan")),
        effective_samples=min((effective_sample_size(d) for d in moving), default=float("nan")),
        resumed=start is not None,
        fallback=any(run.fallback for run in runs),
    )


def _json_number(x: float) -> float | None:
    return round(x, 4) if math.isfinite(x) else None
