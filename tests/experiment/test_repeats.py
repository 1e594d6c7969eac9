"""What is concluded from results at one point."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from spearmint_int.chooser import Observations
from spearmint_int.config import load_config
from spearmint_int.experiment.history import StoreHistory
from spearmint_int.experiment.repeats import RepeatWatch, agreeing_repeats


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


class Watched:
    """A history that counts how often it is read."""

    def __init__(self) -> None:
        self.finished = self.reads = 0

    def observations(self) -> Observations:
        self.reads += 1
        points = np.arange(self.finished, dtype=float)[:, None]
        return Observations.of(points, np.zeros(self.finished))


def test_looking_for_repeats_costs_a_long_run_little(tmp_path: Path) -> None:
    config = {"main-file": "f.py", "variables": {"x": {"type": "FLOAT", "min": 0, "max": 1}}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    watch, history = RepeatWatch(load_config(tmp_path)), Watched()
    for history.finished in range(2000):
        assert watch.look(cast(StoreHistory, history)) is None
    assert history.reads <= 35
