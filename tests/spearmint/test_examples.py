"""Folders in the style of Spearmint's examples, Python 2 but for its prints, run unchanged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from spearmint_int.cli.program import exit_code
from spearmint_int.config import load_config
from spearmint_int.jobs import Job
from spearmint_int.stores import open_store

FOLDERS = Path(__file__).parent
pytestmark = pytest.mark.timeout(120)


def copied(name: str, target: Path) -> Path:
    return shutil.copytree(FOLDERS / name, target / name)


def jobs_of(folder: Path) -> list[Job]:
    store = open_store(load_config(folder), create=False)
    jobs = store.jobs()
    store.close()
    return jobs


@pytest.mark.parametrize("name", ["simple", "noisy"])
def test_an_example_runs_to_its_end_with_a_number_from_every_job(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = copied(name, tmp_path)
    assert exit_code(["run", str(folder)]) == 0, capfd.readouterr().err
    jobs = jobs_of(folder)
    assert [job.status.value for job in jobs] == ["complete"] * 5
    assert all(-1e3 < (job.values or {})["main"] < 1e3 for job in jobs)


def test_the_constrained_example_runs_with_a_number_of_each_task(tmp_path: Path) -> None:
    """Its `except Exception` would make a NaN of every array that does not convert."""
    folder = copied("constrained", tmp_path)
    assert exit_code(["run", str(folder)]) == 0
    jobs = jobs_of(folder)
    assert [set(job.values or {}) for job in jobs] == [{"branin", "disk"}] * 5
    assert jobs[0].tasks == ("branin", "disk")


def test_the_distributed_example_wants_a_machine_of_its_cluster(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert exit_code(["check", str(copied("distributed", tmp_path))]) == 2
    said = capfd.readouterr().err
    assert "resources.my-cluster.scheduler: sbatch is not on PATH; Slurm needs a machine" in said


def test_the_distributed_example_runs_on_two_resources_of_this_machine(tmp_path: Path) -> None:
    folder = copied("distributed", tmp_path)
    config = folder / "config.json"
    config.write_text(config.read_text().replace("SLURM", "local"))
    assert exit_code(["run", str(folder)]) == 0
    resources = sorted(job.resource for job in jobs_of(folder))
    assert resources == ["my-cluster"] * 2 + ["my-machine"] * 3
