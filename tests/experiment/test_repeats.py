"""What is concluded from results at one point."""

from __future__ import annotations

import numpy as np
import pytest

from spearmint_int.experiment.repeats import agreeing_repeats


@pytest.mark.parametrize(
    ("points", "values", "repeats"),
    [
        ([], [], 0),
        ([0.1, 0.2, 0.3], [1.0, 1.0, 1.0], 0),
        ([0.1, 0.1, 0.2, 0.1, 0.2], [1.0, 1.0, 5.0, 1.0, 5.0], 3),
        ([0.1, 0.1, 0.2, 0.2], [1.0, 1.0, 5.0, 5.1], 0),
        ([0.1, 0.1, 0.1], [1.0, np.nan, 1.0], 1),
    ],
)
def test_repeats_that_agree_are_counted_unless_one_differs(
    points: list[float], values: list[float], repeats: int
) -> None:
    assert agreeing_repeats(np.reshape(points, (-1, 1)), np.array(values)) == repeats
