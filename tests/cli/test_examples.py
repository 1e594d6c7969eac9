"""The folders in configs/, the folder that `init` writes, and one with Spearmint's layout."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

EXAMPLES = sorted(Path(__file__).parents[2].glob("configs/*/config.json"))
BUDGET = 3  # instead of the examples' own, which are for people
SLOW_BUDGET = 1  # for those that train a model

# As Spearmint's users have them; the address is there, and the environment says another one.
SPEARMINT_CONFIG = {
    "language": "PYTHON",
    "experiment-name": "simple-branin-example",
    "main-file": "branin.py",
    "likelihood": "NOISELESS",
    "polling-time": 1,
    "resources": {"machine": {"scheduler": "local", "max-concurrent": 2, "max-finished-jobs": 4}},
    "tasks": {"branin": {"type": "OBJECTIVE", "likelihood": "NOISELESS", "main-file": "branin",
                         "resources": ["machine"]}},
    "variables": {
        "X": {"type": "FLOAT", "size": 2, "min": 0, "max": 1},
        "n": {"type": "INT", "size": 1, "min": 1, "max": 3},
        "kind": {"type": "ENUM", "size": 1, "options": ["foo", "bar"]},
    },
    "database": {"name": "spearmint_int_tests", "address": "localhost"},
}  # fmt: skip
SPEARMINT_OBJECTIVE = """import numpy as np

def main(job_id, params):
    assert params['X'].shape == (2,) and params['X'].dtype == np.float64
    assert params['n'].shape == (1,) and params['n'].dtype.kind == 'i'
    assert params['kind'][0] in ('foo', 'bar')
    return {'branin': float(np.sum(params['X'] ** 2) + params['n'][0])}
"""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.parent.name)
def test_every_example_is_ready_and_runs(
    example: Path, spearmint: CommandLine, tmp_path: Path
) -> None:
    folder = tmp_path / example.parent.name
    shutil.copytree(
        example.parent, folder, ignore=shutil.ignore_patterns("output", "*.sqlite*", "*.csv")
    )
    assert spearmint("check", folder, "--json").json == {"ok": True, "faults": [], "advice": []}
    config = json.loads(example.read_text())
    budget = SLOW_BUDGET if "digits" in folder.name else BUDGET
    (folder / "config.json").write_text(json.dumps(config | {"max-finished-jobs": budget}))
    answer = spearmint("run", folder)
    assert (answer.code, answer.err) == (0, "")
    assert spearmint("status", folder, "--json").json["jobs"]["complete"] == budget


@pytest.mark.parametrize("options", [[], ["--shell"]])
def test_what_init_writes_runs_as_it_is(
    spearmint: CommandLine, tmp_path: Path, options: list[str]
) -> None:
    folder = tmp_path / "mine"
    spearmint("init", folder, *options)
    text = (folder / "config.json").read_text()
    (folder / "config.json").write_text(
        text.replace('"max-finished-jobs": 30', f'"max-finished-jobs": {BUDGET}')
    )
    assert spearmint("run", folder).code == 0
    assert spearmint("status", folder, "--json").json["jobs"]["complete"] == BUDGET


def test_a_folder_with_spearmints_layout_runs_unchanged(
    spearmint: CommandLine, tmp_path: Path, mongo_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPEARMINT_DB_ADDRESS", mongo_uri)
    (tmp_path / "config.json").write_text(json.dumps(SPEARMINT_CONFIG))
    (tmp_path / "branin.py").write_text(SPEARMINT_OBJECTIVE)
    try:
        assert spearmint("run", tmp_path).code == 0
        status = spearmint("status", tmp_path, "--json").json
        assert status["jobs"] == {"new": 0, "pending": 0, "complete": 4, "broken": 0}
        assert set(status["best"]["params"]) == {"X", "n", "kind"}
        assert (tmp_path / "output" / "00000001.out").exists()
    finally:
        spearmint("clean", tmp_path, "--yes")
