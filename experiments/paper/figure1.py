"""Figure 1: the three treatments on one integer, before and after the next evaluation.

The GP (Matérn-5/2, mean 0, amp2 1, length scale 0.25 of the cube, no noise) has seen four of the
five values. The objective is lowest at 1 and 2, which draws a standard GP's EI to a point between
them: naive evaluates 2 again and learns nothing, basic evaluates near 2 and learns what it knew,
proposed evaluates the one value that is left, after which nothing is uncertain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from spearmint_int.acquisition.improvement import LogExpectedImprovement
from spearmint_int.kernels import (
    Covariance,
    InputTransform,
    kernel_named,
    rounding,
    unrounded,
)
from spearmint_int.model import Hyperparameters, Posterior, TrainingData
from spearmint_int.space import Space
from spearmint_int.variables import Int

FloatArray = NDArray[np.float64]

OBJECTIVE = np.array([0.3, -0.9, -1.0, 0.6, 1.1])
SEEN = (0, 1, 2, 4)
SPACE = Space({"x": Int(0, 4)})
THETA = Hyperparameters(mean=0.0, amplitude2=1.0, noise=0.0, length_scales=(0.25,))
TREATMENTS = ("naive", "basic", "proposed")
# Fine enough for a smooth curve; an odd number a cell, so that every centre is in it.
GRID = ((np.arange(505) + 0.5) / 505)[:, None]


@dataclass(frozen=True)
class State:
    """What a treatment knows: model points in the cube and values; and what it wants next."""

    treatment: str
    points: FloatArray
    values: FloatArray

    @property
    def transform(self) -> InputTransform:
        return rounding(SPACE) if self.treatment == "proposed" else unrounded

    @property
    def posterior(self) -> Posterior:
        kernel = kernel_named("matern52")
        covariance = Covariance.over(SPACE, kernel)
        data = TrainingData.collapse(self.transform(self.points), self.values)
        return Posterior.fit(data, THETA, covariance, noiseless=True)

    def curves(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean, standard deviation and EI on the grid."""
        posterior = self.posterior
        mean, variance = posterior.moments(self.transform(GRID))
        sd = np.sqrt(variance)
        log_ei = LogExpectedImprovement().value(mean[0], sd, np.full(len(sd), self.values.min()))
        return mean[0], sd, np.exp(log_ei)

    @property
    def suggestion(self) -> FloatArray:
        """The acquisition's maximum [1]; of a whole cell of them proposed takes the centre."""
        best = GRID[int(np.argmax(self.curves()[2]))][None, :]
        return np.asarray(self.transform(best)[0])

    def evaluated(self) -> State:
        """After the suggestion's evaluation; all but basic keep the rounded point."""
        rounded = SPACE.snap(self.suggestion[None, :])[0]
        kept = self.suggestion if self.treatment == "basic" else rounded
        value = OBJECTIVE[_integer(rounded[0])]
        points = np.vstack([self.points, kept[None, :]])
        return State(self.treatment, points, np.append(self.values, value))


def start(treatment: str) -> State:
    """The four values that are seen."""
    points = (np.array(SEEN) + 0.5)[:, None] / len(OBJECTIVE)
    return State(treatment, points, OBJECTIVE[list(SEEN)])


def figure_1() -> Figure:
    """Three rows of treatments; before and after; the GP above, EI below."""
    figure = Figure(figsize=(10, 9.5), layout="constrained")
    axes = figure.subplots(6, 2, height_ratios=[3, 1] * 3, sharex=True)
    for row, treatment in enumerate(TREATMENTS):
        before = start(treatment)
        for column, state in enumerate((before, before.evaluated())):
            _model(axes[2 * row, column], state)
            _acquisition(axes[2 * row + 1, column], state)
        axes[2 * row, 0].set_ylabel(treatment, fontweight="bold")
    axes[0, 0].set_title("before the next evaluation")
    axes[0, 1].set_title("after it")
    axes[0, 0].legend(loc="upper left", fontsize=8, frameon=False)
    return figure


def _model(axes: Any, state: State) -> None:
    x = _axis(GRID[:, 0])
    mean, sd, _ = state.curves()
    axes.fill_between(x, mean - sd, mean + sd, color="#7B3294", alpha=0.25, lw=0)
    axes.plot(x, mean, color="#7B3294", label="posterior mean ± sd")
    steps = OBJECTIVE[[_integer(u) for u in GRID[:, 0]]]
    axes.plot(x, steps, "k--", lw=0.9, label="objective, rounded")
    axes.plot(_axis(state.points[:, 0]), state.values, "ko", ms=5, label="evaluations")
    if len(state.values) > len(SEEN):
        axes.plot(_axis(state.points[-1:, 0]), state.values[-1:], "o", color="#D7191C", ms=7)
    axes.set_ylim(-2.0, 2.0)


def _acquisition(axes: Any, state: State) -> None:
    _, _, ei = state.curves()
    axes.fill_between(_axis(GRID[:, 0]), ei, color="#1A9641", alpha=0.6, lw=0)
    if ei.max() > 0:
        axes.axvline(_axis(state.suggestion)[0], color="#D7191C", lw=1)
    axes.set_ylim(0, max(1.15 * float(ei.max()), 1e-3))
    axes.set_ylabel("EI", fontsize=8)
    axes.tick_params(axis="y", labelsize=7)


def _axis(u: FloatArray) -> FloatArray:
    """From the cube to the integers' own scale, [−½, 4½]."""
    return np.asarray(u * len(OBJECTIVE) - 0.5)


def _integer(u: float) -> int:
    return min(int(u * len(OBJECTIVE)), len(OBJECTIVE) - 1)
