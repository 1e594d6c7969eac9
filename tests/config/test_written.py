"""Settings as somebody would write them: short, and they mean the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spearmint_int.config import Config, config_from
from spearmint_int.config.written import as_written, written_text

K = {"type": "INT", "min": 1, "max": 8}
SMALL: dict[str, Any] = {"main-file": "f.py", "variables": {"snake_k": K}}
OTHERS: list[dict[str, Any]] = [
    {},
    {"max-finished-jobs": 30, "max-concurrent": 4, "seed": 3, "maximize": True},
    {"resources": {"Main": {"max-finished-jobs": 9}, "big": {"max-concurrent": 2}}},
    {"resources": {"big": {"max-concurrent": 2}}},
    {"tasks": {"loss": {"type": "OBJECTIVE", "likelihood": "NOISELESS", "mcmc-iters": 5}}},
    {"likelihood": "NOISELESS", "tasks": {
        "main": {"type": "OBJECTIVE"}, "a": {"type": "CONSTRAINT"},
        "b": {"type": "CONSTRAINT", "likelihood": "GAUSSIAN", "min-confidence": 0.5}}},
    {"lease-time": 60}, {"lease-time": 60, "heartbeat-time": "5s"},
    {"chains": 4, "threads": 2, "num-initial-points": 0},
    {"grid-size": 50, "chooser-args": {"burnin": 7}},
    {"priors": {"length-scale": {"type": "lognormal", "mu": 0.0, "sigma": 1.0}}},
    {"initial-points": [{"snake_k": 3}], "job-time-limit": "2h"},
    {"stop-when": "regret below 0.01 with 95 %", "integer-treatment": "naive"},
    {"variables": {"e": {"type": "ENUM", "options": ["ü", 1]}, "k": {**K, "log": True, "size": 2}}},
]  # fmt: skip


def dumped(config: Config) -> dict[str, Any]:
    left_out = {"directory", "file_name", "database", "experiment_name"}
    values = config.model_dump(mode="json", exclude=left_out)
    return {key.replace("_", "-"): value for key, value in values.items()}


def read(document: dict[str, Any], tmp_path: Path) -> Config:
    return config_from(document, tmp_path)


@pytest.mark.parametrize("others", OTHERS, ids=[", ".join(others) for others in OTHERS])
def test_what_is_written_means_the_same(others: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "f.py").touch()
    config = read(SMALL | others, tmp_path)
    text = written_text(as_written(dumped(config)))
    assert read(json.loads(text), tmp_path) == config


def test_what_is_a_default_is_left_out(tmp_path: Path) -> None:
    config = read(SMALL | {"seed": 0, "kernel": "matern52", "scheduler": "local"}, tmp_path)
    assert as_written(dumped(config)) == SMALL


def test_a_variable_stands_in_one_line(tmp_path: Path) -> None:
    assert written_text(SMALL).splitlines() == [
        "{",
        '  "main-file": "f.py",',
        '  "variables": {',
        '    "snake_k": {"type": "INT", "min": 1, "max": 8}',
        "  }",
        "}",
    ]
