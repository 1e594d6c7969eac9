"""A folder as Spearmint's users have it runs unchanged: config, objective and output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spearmint_int.config import load_config
from spearmint_int.jobs import JobStatus
from spearmint_int.manager import EndReason, Manager, Summary
from spearmint_int.stores import Store, open_store
from tests.manager.experiments import no_estimate

pytestmark = pytest.mark.timeout(120)

OBJECTIVE = """
import numpy as np
import math

def branin(x, y):
    result = np.square(y - (5.1/(4*np.square(math.pi)))*np.square(x) +
         (5/math.pi)*x - 6) + 10*(1-(1./(8*math.pi)))*np.cos(x) + 10
    result = float(result)
    print('Result = %f' % result)
    return result

# Write a function like this called 'main'
def main(job_id, params):
    print('Anything printed here will end up in the output directory for job #%d' % job_id)
    print(params)
    return branin(params['X'][0], params['X'][1]) + abs(params['layers'][0] - 3)
"""


def write_folder(folder: Path, address: str | None) -> None:
    """What a user of Spearmint has: underscores and hyphens mixed, types in any case."""
    config = {
        "language": "PYTHON",
        "experiment-name": f"simple-{folder.name}",
        "main_file": "branin.py",
        "likelihood": "GAUSSIAN",
        "polling-time": 1,
        "max_finished_jobs": 4,
        "variables": {
            "X": {"type": "FLOAT", "size": 2, "min": 0, "max": 15},
            "layers": {"type": "int", "size": 1, "min": 1, "max": 5},
            "activation": {"type": "ENUM", "size": 1, "options": ["relu", "tanh"]},
        },
    }
    if address is not None:
        config["database"] = {"address": address, "name": "spearmint-int-tests"}
    (folder / "config.json").write_text(json.dumps(config, indent=4))
    (folder / "branin.py").write_text(OBJECTIVE)


def run_folder(folder: Path) -> tuple[Summary, Store]:
    config = load_config(folder)
    store = open_store(config)
    return Manager(config, store, recommender=no_estimate).run(), store


@pytest.mark.parametrize("kind", ["embedded", "mongodb"])
def test_a_spearmint_folder_runs_unchanged(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    address = request.getfixturevalue("mongo_uri") if kind == "mongodb" else None
    write_folder(tmp_path, address)
    summary, store = run_folder(tmp_path)
    assert summary.reason is EndReason.BUDGET
    assert store.tally().counts[JobStatus.COMPLETE] == 4
    for job in store.jobs():
        assert len(job.params["X"]) == 2
        assert isinstance(job.params["layers"], int)
        assert job.params["activation"] in ("relu", "tanh")
        assert isinstance((job.values or {})["main"], float)
    store.destroy()


def test_its_output_is_where_spearmint_puts_it(tmp_path: Path) -> None:
    write_folder(tmp_path, None)
    _, store = run_folder(tmp_path)
    text = (tmp_path / "output" / "00000001.out").read_text()
    assert "output directory for job #1" in text
    assert "Result = " in text
    assert (tmp_path / "best_job_and_result.txt").exists()
    store.close()


def test_its_old_config_of_one_integer_and_no_extras_runs(tmp_path: Path) -> None:
    config = {
        "main-file": "f",
        "variables": {"n": {"type": "INT", "min": 0, "max": 9}},
        "max-finished-jobs": 3,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "f.py").write_text("def main(job_id, params): return (params['n'] - 4) ** 2")
    summary, store = run_folder(tmp_path)
    assert summary.reason is EndReason.BUDGET
    assert summary.progress.best is not None
    store.close()
