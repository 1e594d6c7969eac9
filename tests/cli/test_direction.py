"""Maximisation: the user's sign everywhere, and the same points as of the negative function."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spearmint_int import Float, Int, Optimizer
from spearmint_int.config import config_from
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.jobs import JobDraft
from spearmint_int.stores import Store
from tests.cli.conftest import CommandLine
from tests.manager.experiments import experiment as config_at
from tests.places import Place

VARIABLES = {"x": {"type": "FLOAT", "min": -1, "max": 1}, "n": {"type": "INT", "min": 0, "max": 4}}
RESULTS = "x,n,value\n0.5,1,-1.25\n-0.25,0,-0.0625\n1,4,-5\n0.1,0,-0.01\n0.9,3,-4\n"


@pytest.fixture
def maximized(experiment: Path, spearmint: CommandLine) -> Path:
    config = json.loads((experiment / "config.json").read_text())
    (experiment / "config.json").write_text(json.dumps(config | {"maximize": True}))
    (experiment / "results.csv").write_text(RESULTS)
    assert spearmint("add", experiment, experiment / "results.csv").code == 0
    return experiment


def test_status_and_best_show_the_largest_value_in_its_own_sign(
    spearmint: CommandLine, maximized: Path
) -> None:
    assert "best        -0.01 at x=0.1 n=0 (job 4)" in spearmint("status", maximized).out
    shown = spearmint("best", maximized).out
    assert "highest value    -0.01 (job 4)" in shown
    assert "model's maximum" in shown
    answer = spearmint("best", maximized, "--json").json
    assert answer["observed"]["value"] == -0.01
    assert -0.5 < answer["model"]["mean"] < 0.5
    assert answer["model"]["params"]["n"] == 0


def test_a_run_finds_and_tells_the_largest_value(spearmint: CommandLine, experiment: Path) -> None:
    objective = "def main(job_id, params):\n    return 100 - params['x'][0] ** 2 - params['n'][0]\n"
    (experiment / "objective.py").write_text(objective)
    config = json.loads((experiment / "config.json").read_text())
    config |= {"maximize": True, "max-finished-jobs": 8}
    (experiment / "config.json").write_text(json.dumps(config))
    out = spearmint("run", experiment).out
    values = [job["value"] for job in spearmint("jobs", experiment, "--json").json]
    assert f"best: {max(values):.6g} at " in out
    assert max(values) > 98
    assert (
        (experiment / "best_job_and_result.txt")
        .read_text()
        .startswith(f"Best result: {max(values)!r}")
    )


def test_maximising_asks_for_the_points_of_minimising_the_negative() -> None:
    space: dict[str, Any] = {"x": Float(-1, 1), "n": Int(0, 4)}
    up, down = Optimizer(space, direction="maximize"), Optimizer(space)
    for _ in range(6):
        params = up.ask()[0]
        assert params == down.ask()[0]
        value = params["x"] ** 2 + params["n"]
        up.tell(params, -value)
        down.tell(params, value)
    best, least = up.best(), down.best()
    found, mirrored = up.recommend(), down.recommend()
    assert best is not None
    assert least is not None
    assert found is not None
    assert mirrored is not None
    assert best.value == -least.value
    assert (found.mean, found.params) == (-mirrored.mean, mirrored.params)
    assert up.predict(params).mean[0] == -down.predict(params).mean[0]


def test_the_models_optimum_of_a_store_is_in_the_users_sign(place: Place, store: Store) -> None:
    config = config_at(place, maximize=True)
    for x in (-0.9, -0.2, 0.4, 0.9):
        params = {"x": x, "k": 2}
        point = tuple(config.space().encode(params).tolist())
        store.add_complete(JobDraft(params, point), {"main": 7.0 - x * x})
    found = StoredExperiment.read(config, store).recommend()
    assert found is not None
    assert 6.0 < found.mean < 8.0


def test_the_config_takes_true_or_false_only() -> None:
    keys = {"main-file": "m", "variables": VARIABLES}
    assert config_from(keys | {"maximize": True}, Path("e")).maximize
    assert not config_from(keys, Path("e")).maximize


def test_a_change_of_direction_is_told_by_check_and_by_a_run(
    spearmint: CommandLine, with_results: Path
) -> None:
    assert "maximize" not in spearmint("check", with_results).out
    config = json.loads((with_results / "config.json").read_text())
    config |= {"maximize": True, "max-finished-jobs": 1}
    (with_results / "config.json").write_text(json.dumps(config))
    sentence = "was false in the first run, and is true now: results so far are read in this light"
    assert f"advice: maximize: {sentence}" in spearmint("check", with_results).out
    assert f"maximize {sentence}" in spearmint("run", with_results).out


def test_a_change_of_the_likelihood_is_told_by_check(
    spearmint: CommandLine, with_results: Path
) -> None:
    config = json.loads((with_results / "config.json").read_text()) | {"likelihood": "GAUSSIAN"}
    (with_results / "config.json").write_text(json.dumps(config))
    assert "likelihood: was NOISELESS in the first run" in spearmint("check", with_results).out
