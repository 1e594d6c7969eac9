"""Another package's parts, installed by pip and used by runs from the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).parent / "package"
CONFIG: dict[str, Any] = {
    "main-file": "objective",
    "max-finished-jobs": 4,
    "burnin": 5,
    "variables": {
        "x": {"type": "FLOAT", "min": -1, "max": 1},
        "n": {"type": "INT", "min": 0, "max": 4},
    },
}
OBJECTIVE = "def main(job_id, params):\n    return params['x'][0] ** 2 + params['n'][0]\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package in it: its module, and the metadata with its entry points."""
    source = shutil.copytree(PACKAGE, tmp_path_factory.mktemp("source") / "package")
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--no-index", "--target", target, source], check=True)
    return target


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    (tmp_path / "objective.py").write_text(OBJECTIVE)
    return tmp_path


def spearmint(
    site: Path, experiment: Path, *arguments: str, **keys: Any
) -> subprocess.CompletedProcess[str]:
    """One command line, in a Python that has the package."""
    (experiment / "config.json").write_text(json.dumps(CONFIG | keys))
    command = [sys.executable, "-m", "spearmint_int", *arguments, str(experiment)]
    environment = os.environ | {"PYTHONPATH": str(site)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def jobs(site: Path, experiment: Path, **keys: Any) -> list[dict[str, Any]]:
    answer = spearmint(site, experiment, "export", "--json", **keys)
    return list(json.loads(answer.stdout))


def test_parts_of_every_kind_are_found_by_a_run(installed: Path, experiment: Path) -> None:
    keys: dict[str, Any] = {
        "kernel": "rational_quadratic",
        "acquisition": "wide_lcb",
        "priors": {"length-scale": {"type": "exponential", "rate": 2}},
        "scheduler": "counted",
        "database": {"address": f"beside://{experiment / 'elsewhere.sqlite'}"},
    }
    run = spearmint(installed, experiment, "run", **keys)
    assert run.returncode == 0, run.stderr
    assert (experiment / "submitted.txt").read_text() == "job\n" * 4
    assert (experiment / "elsewhere.sqlite").exists()
    assert not (experiment / "spearmint.sqlite").exists()
    assert [job["status"] for job in jobs(installed, experiment, **keys)] == ["complete"] * 4


def test_a_chooser_is_found_by_a_run(installed: Path, experiment: Path) -> None:
    run = spearmint(installed, experiment, "run", chooser="corner_first")
    assert run.returncode == 0, run.stderr
    shown = spearmint(installed, experiment, "show", "1", "--json", chooser="corner_first")
    assert json.loads(shown.stdout)["provenance"]["source"] == "corner first"


def test_a_plot_is_on_the_page_of_all_figures(installed: Path, experiment: Path) -> None:
    pytest.importorskip("plotly")
    assert spearmint(installed, experiment, "run").returncode == 0
    page = experiment / "all.html"
    answer = spearmint(installed, experiment, "plot", "--output", str(page))
    assert answer.returncode == 0, answer.stderr
    assert "<h3>4 jobs, light</h3>" in page.read_text()


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        ("without_a_module", "ModuleNotFoundError: No module named 'spearmint_int_nowhere'"),
        ("without_an_attribute", "AttributeError: "),
    ],
)
def test_a_part_that_cant_be_loaded_is_named_in_one_sentence(
    installed: Path, experiment: Path, kernel: str, reason: str
) -> None:
    run = spearmint(installed, experiment, "run", kernel=kernel)
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
    where = f"kernel '{kernel}' of package spearmint-int-sample 1.2"
    assert run.stderr.startswith(f"error: {where}")
    assert reason in run.stderr
    assert not (experiment / "spearmint.sqlite").exists()


def test_nothing_else_fails_beside_a_part_that_cant_be_loaded(
    installed: Path, experiment: Path
) -> None:
    assert spearmint(installed, experiment, "run", kernel="rational_quadratic").returncode == 0
    status = spearmint(installed, experiment, "status", kernel="without_a_module")
    assert status.returncode == 0, status.stderr
    assert "4 of 4" in status.stdout


def test_a_name_of_no_package_lists_those_of_all(installed: Path, experiment: Path) -> None:
    answer = spearmint(installed, experiment, "check", kernel="cosine")
    assert answer.returncode == 2
    assert "there are matern32, matern52, squared_exponential, rational_quadratic" in answer.stderr
