"""Figure 2: what the posterior looks like over one five-valued integer and one real.

Twenty-five values are drawn from the GP with the squared-exponential k' (mean 0, amp2 1, length
scale 0.25 in both dimensions of the cube) at random points. The proposed covariance has them at
the rounded points, the standard GP (the basic approach) where they were asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from spearmint_int.kernels import Covariance, InputTransform, kernel_named, rounding, unrounded
from spearmint_int.model import Hyperparameters, Posterior, TrainingData
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int

if TYPE_CHECKING:
    pass

FloatArray = NDArray[np.float64]

SPACE = Space({"x1": Int(0, 4), "x2": Float(0, 1)})
THETA = Hyperparameters(mean=0.0, amplitude2=1.0, noise=1e-6, length_scales=(0.25, 0.25))
OBSERVATIONS = 25
PER_AXIS = 101
ROWS: tuple[tuple[str, InputTransform], ...] = (
    ("proposed approach", rounding(SPACE)),
    ("standard GP", unrounded),
)


@dataclass(frozen=True)
class Surfaces:
    """The posterior on a grid [PER_AXIS, PER_AXIS]: first axis x1, second x2."""

    mean: FloatArray
    sd: FloatArray


def sample(seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Random points of the cube, and values of one draw from the k' prior there."""
    rng = np.random.default_rng(seed)
    points = rng.random((OBSERVATIONS, 2))
    covariance = Covariance.over(SPACE, kernel_named("squared_exponential"))
    Z = rounding(SPACE)(points)
    K = THETA.amplitude2 * covariance.correlation(Z, Z, THETA.length_scales)
    K[np.diag_indices_from(K)] += THETA.noise
    return points, np.asarray(np.linalg.cholesky(K) @ rng.standard_normal(OBSERVATIONS))


def grid() -> tuple[FloatArray, FloatArray]:
    """The two coordinates on the grid."""
    axis = (np.arange(PER_AXIS) + 0.5) / PER_AXIS
    x1, x2 = np.meshgrid(axis, axis, indexing="ij")
    return x1, x2


def surfaces(transform: InputTransform, seed: int = 0) -> Surfaces:
    """The posterior with this T before the kernel, given the sample."""
    points, values = sample(seed)
    covariance = Covariance.over(SPACE, kernel_named("squared_exponential"))
    data = TrainingData.collapse(transform(points), values)
    posterior = Posterior.fit(data, THETA, covariance, noiseless=False)
    X = np.column_stack([part.ravel() for part in grid()])
    mean, variance = posterior.moments(transform(X))
    shape = (PER_AXIS, PER_AXIS)
    return Surfaces(mean[0].reshape(shape), np.sqrt(variance).reshape(shape))


def figure_2(seed: int = 0) -> Figure:
    """Proposed above, standard below; mean left, standard deviation right."""
    figure = Figure(figsize=(10, 9))
    for row, (name, transform) in enumerate(ROWS):
        found = surfaces(transform, seed)
        for column, (title, surface) in enumerate(
            (("posterior mean", found.mean), ("posterior standard deviation", found.sd))
        ):
            axes = figure.add_subplot(2, 2, 2 * row + column + 1, projection="3d")
            _surface(axes, surface, f"{name}: {title}")
    figure.subplots_adjust(left=0.02, right=0.96, bottom=0.03, top=0.96, wspace=0.08, hspace=0.1)
    return figure


def _surface(axes: Any, surface: FloatArray, title: str) -> None:
    x1, x2 = grid()
    axes.plot_surface(
        5 * x1 - 0.5, x2, surface, cmap="viridis", rcount=101, ccount=51, lw=0, antialiased=False
    )
    axes.set_xlabel("x1 (integer)")
    axes.set_ylabel("x2 (real)")
    axes.set_xticks(range(5))
    axes.set_title(title, fontsize=10)
    axes.view_init(elev=35, azim=-55)
