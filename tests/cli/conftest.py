"""The command line in this process, and experiments for it to work on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from spearmint_int.cli.program import exit_code

OBJECTIVE = "def main(job_id, params):\n    return float(params['x'][0]) ** 2 + params['n'][0]\n"
CONFIG: dict[str, Any] = {
    "main-file": "objective",
    "likelihood": "NOISELESS",
    "max-finished-jobs": 3,
    "variables": {
        "x": {"type": "FLOAT", "min": -1, "max": 1},
        "n": {"type": "INT", "min": 0, "max": 4},
    },
}
RESULTS = "x,n,value\n0.5,1,1.25\n-0.25,0,0.0625\n1,4,5\n0,3,\n"


@dataclass(frozen=True)
class Answer:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class CommandLine(Protocol):
    def __call__(self, *arguments: str | Path) -> Answer: ...


@pytest.fixture
def spearmint(capfd: pytest.CaptureFixture[str]) -> CommandLine:
    """Run one command line in this process."""

    def run(*arguments: str | Path) -> Answer:
        capfd.readouterr()
        code = exit_code([str(argument) for argument in arguments])
        return Answer(code, *capfd.readouterr())

    return run


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """A folder with a config and an objective, and no jobs yet."""
    folder = tmp_path / "parabola"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "objective.py").write_text(OBJECTIVE)
    return folder


@pytest.fixture
def with_results(experiment: Path, spearmint: CommandLine) -> Path:
    """An experiment with four results that were brought; the last one failed there."""
    file = experiment / "results.csv"
    file.write_text(RESULTS)
    assert spearmint("add", experiment, file).code == 0
    return experiment


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make stdout a terminal of so many columns."""

    def set_columns(number: int) -> None:
        monkeypatch.setattr("spearmint_int.cli.output.terminal_width", lambda: number)

    return set_columns
