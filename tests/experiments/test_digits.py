"""The tabulated digits objective against the real training, and its stated error."""

from __future__ import annotations

import json
import runpy

import numpy as np
import pytest

from experiments.paper.digits import DIMENSIONS, error_quantiles, tabulated_loss
from experiments.paper.digits_table import (
    CHECK,
    DEPTHS,
    NODES,
    OBJECTIVE_FILE,
    TABLE,
    check_points,
    table_points,
)


def test_the_table_is_complete() -> None:
    assert len(TABLE.read()) == len(table_points()) == 255
    assert len(CHECK.read()) == len(check_points())


def test_the_job_of_the_config_folder_gives_the_tables_number() -> None:
    main = runpy.run_path(str(OBJECTIVE_FILE))["main"]
    params = {"log10_learning_rate": np.array([-1.0]), "max_depth": np.array([1])}
    expected = tabulated_loss()({"log10_learning_rate": -1.0, "max_depth": 1})
    assert main(1, params) == pytest.approx(expected, abs=1e-6)


def test_the_smallest_number_of_the_table_is_the_minimum_of_the_function() -> None:
    loss = tabulated_loss()
    rates = np.linspace(NODES[0], NODES[-1], 5001)
    dense = [loss({"log10_learning_rate": float(r), "max_depth": d}) for d in DEPTHS for r in rates]
    assert min(dense) >= loss.minimum - 1e-12
    assert min(dense) - loss.minimum < 1e-3


def test_the_config_declares_the_variables_of_the_table() -> None:
    config = json.loads((OBJECTIVE_FILE.parent / "config.json").read_text())
    declared = {
        name: (variable["type"], variable["min"], variable["max"])
        for name, variable in config["variables"].items()
    }
    expected = {d.name: ("INT" if d.integer else "FLOAT", d.low, d.high) for d in DIMENSIONS}
    assert declared == expected


def test_the_interpolation_error_is_the_stated_one() -> None:
    median, _ = error_quantiles()
    assert median < 0.005
