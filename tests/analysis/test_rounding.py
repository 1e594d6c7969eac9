"""What rounding would have wasted."""

from __future__ import annotations

import numpy as np

from spearmint_int.analysis.rounding import waste_of_rounding
from spearmint_int.chooser import ChooserOptions, Observations, Problem
from spearmint_int.space import Space
from spearmint_int.variables import Int


def test_where_nearly_all_is_known_rounding_comes_back() -> None:
    """Six of seven integers are known: only the proposed treatment must find the seventh."""
    space = Space({"k": Int(0, 6)})
    points = space.lattice()[:6]
    values = (points[:, 0] - 0.5) ** 2
    options = ChooserOptions(samples=4, burn_in=40, likelihood="NOISELESS")
    moments = [
        Problem(space, Observations.of(points, values), options=options, seed=seed)
        for seed in range(3)
    ]
    naive, basic = waste_of_rounding(moments)
    assert (naive.treatment, naive.asked) == ("naive", 3)
    assert naive.repeats + basic.repeats >= 1
    assert np.all([waste.repeats <= waste.asked for waste in (naive, basic)])
