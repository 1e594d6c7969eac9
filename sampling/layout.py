"""The layout of a chain's state: from a state vector to the hyperparameters, and back.

The positions are those of the compiled sampler (`_chain.LAYOUT`); no other module knows them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain as chained

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.kernels import InputWarp
from spearmint_int.model import Hyperparameters
from spearmint_int.sampling._chain import LAYOUT
from spearmint_int.sampling.priors import Priors

MEAN, AMPLITUDE, RATIO, POWER, TREND, LENGTHS = (
    LAYOUT[name] for name in ("mean", "amplitude", "ratio", "power", "trend", "lengths")
)
NO_WARP = 1.0  # the output warp's power, and the a and b of an input's


@dataclass(frozen=True)
class Layout:
    """The layout of the state of a model with `groups` length scales and some columns warped.

    `warped_groups` are the indices of the warped columns' length scales, in the same order.
    """

    groups: int
    noiseless: bool
    warps_outputs: bool = False
    warped_columns: tuple[int, ...] = ()
    warped_groups: tuple[int, ...] = ()
    trends: bool = False

    @property
    def size(self) -> int:
        return LENGTHS + self.groups + 2 * len(self.warped_columns)

    def prior_rows(self, priors: Priors) -> FloatArray:
        """[size, 7], as the compiled chain takes them."""
        levels = [
            priors.mean, priors.amplitude, priors.noise, priors.output_power, priors.trend,
        ]  # fmt: skip
        lengths = [priors.length_scale] * self.groups
        warps = [priors.input_warp] * (2 * len(self.warped_columns))
        return np.array([prior.row for prior in (*levels, *lengths, *warps)])

    def start(self, priors: Priors, *, shrunk: float) -> FloatArray:
        """A typical state, its length scales times `shrunk`, and without warps."""
        state = np.zeros(self.size)
        state[MEAN] = priors.mean.start
        state[AMPLITUDE] = math.log(priors.amplitude.start)
        state[RATIO] = math.log(priors.noise.start / priors.amplitude.start**2)
        state[POWER] = NO_WARP
        if self.warps_outputs and not priors.output_power.contains(NO_WARP):
            state[POWER] = priors.output_power.start
        if self.trends:
            state[TREND] = 2.0 * math.log(priors.trend.start / priors.amplitude.start)
        state[LENGTHS : LENGTHS + self.groups] = math.log(shrunk * priors.length_scale.start)
        return state

    def theta(self, state: FloatArray) -> Hyperparameters:
        """The hyperparameters of a state: all but the mean and the power are logarithms there."""
        amplitude2 = math.exp(2.0 * state[AMPLITUDE])
        values = [float(x) for x in np.exp(state[LENGTHS:])]
        lengths, warps = values[: self.groups], values[self.groups :]
        return Hyperparameters(
            mean=float(state[MEAN]),
            amplitude2=amplitude2,
            noise=0.0 if self.noiseless else amplitude2 * math.exp(state[RATIO]),
            length_scales=tuple(lengths),
            power=float(state[POWER]),
            input_warp=InputWarp(self.warped_columns, tuple(warps[::2]), tuple(warps[1::2])),
            trend=amplitude2 * math.exp(state[TREND]) if self.trends else 0.0,
        )

    def state(self, theta: Hyperparameters) -> FloatArray:
        """The inverse of `theta`; the ratio of a noise or trend that the model lacks is 1."""
        warps = chained.from_iterable(zip(theta.input_warp.a, theta.input_warp.b, strict=True))
        ratio = 1.0 if self.noiseless else theta.noise_ratio
        trend = theta.trend_ratio if self.trends else 1.0
        logarithms = [math.sqrt(theta.amplitude2), ratio, trend, *theta.length_scales, *warps]
        amplitude, log_ratio, log_trend, *rest = np.log(logarithms)
        return np.array([theta.mean, amplitude, log_ratio, theta.power, log_trend, *rest])
