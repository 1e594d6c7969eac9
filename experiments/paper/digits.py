"""The digits experiment in tabulated form: the loss between the nodes of a committed table.

For each depth the loss is PCHIP in log₁₀ of the learning rate: between two nodes it is monotone, so
the interpolant invents no minimum, and its true minimum is the smallest number of the table. The
interpolation error is measured at points trained between the nodes (`interpolation_errors`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import PchipInterpolator

from experiments.dimension import Dimension
from experiments.paper.digits_table import CHECK, DEPTHS, NODES, TABLE, table_points

if TYPE_CHECKING:
    from experiments.dimension import Params
    from experiments.rows import RowFile

DIMENSIONS = (
    Dimension("log10_learning_rate", NODES[0], NODES[-1]),
    Dimension("max_depth", DEPTHS[0], DEPTHS[-1], integer=True),
)
EVALUATIONS = 100


@dataclass(frozen=True, eq=False)
class TabulatedLoss:
    """The held-out loss of gradient boosting, as a function of the two parameters."""

    curves: dict[int, PchipInterpolator]
    minimum: float

    def __call__(self, params: Params) -> float:
        return float(self.curves[int(params["max_depth"])](params["log10_learning_rate"]))

    def distance(self, params: Params) -> float:
        """To the best number of the table, never below zero."""
        return max(self(params) - self.minimum, 0.0)


@cache
def tabulated_loss() -> TabulatedLoss:
    """The committed table as a function; refuses one that is not complete."""
    table = _losses(TABLE)
    missing = [point for point in table_points() if point not in table]
    if missing:
        raise ValueError(
            f"{TABLE.path.name}: {len(missing)} entries are missing; "
            "run python -m experiments.paper.digits_table."
        )
    curves = {
        depth: PchipInterpolator(NODES, [table[node, depth] for node in NODES]) for depth in DEPTHS
    }
    return TabulatedLoss(curves, min(table.values()))


def interpolation_errors() -> dict[tuple[float, int], float]:
    """Interpolated minus trained loss at every point that was trained between the nodes."""
    loss = tabulated_loss()
    return {
        (rate, depth): loss({"log10_learning_rate": rate, "max_depth": depth}) - trained
        for (rate, depth), trained in _losses(CHECK).items()
    }


def _losses(file: RowFile) -> dict[tuple[float, int], float]:
    return {
        (float(row["log10_learning_rate"]), int(row["max_depth"])): float(row["loss"])
        for row in file.read()
    }


def error_quantiles(level: float = np.inf) -> tuple[float, float]:
    """The median and the largest absolute error where the trained loss is below `level`."""
    trained = _losses(CHECK)
    errors = [abs(e) for point, e in interpolation_errors().items() if trained[point] < level]
    return float(np.median(errors)), float(np.max(errors))
