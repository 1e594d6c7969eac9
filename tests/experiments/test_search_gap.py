"""The brute force that the search is held against."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.search_gap import true_maximum
from spearmint_int import Float, Int
from spearmint_int.arrays import FloatArray
from spearmint_int.space import Space


class Hill:
    """One narrow hill in the third cell, off the grid of the reals, beside a broad lower one."""

    def value(self, U: FloatArray) -> FloatArray:
        x, cell = U[:, 0], np.round(4 * U[:, 1] - 0.5)
        narrow = np.where(cell == 2, np.exp(-(((x - 0.4371) / 0.01) ** 2)), 0.0)
        return np.maximum(narrow, 0.5 * np.exp(-((x - 0.8) ** 2)))


def test_the_top_of_a_hill_is_found_between_the_points_of_the_grid() -> None:
    space = Space({"x": Float(0, 1), "n": Int(0, 3)})
    assert true_maximum(Hill(), space) == pytest.approx(1.0, abs=1e-9)
