"""Real batch systems, one of each kind for the session; tests skip where one is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clusters.slurm import SlurmCluster, missing_programs


@pytest.fixture(scope="session")
def slurm_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmCluster]:
    """Slurm with one node."""
    if missing := missing_programs():
        pytest.skip(f"no Slurm here ({', '.join(missing)} not found); 'make test-cluster' has one")
    with SlurmCluster(tmp_path_factory.mktemp("slurm")) as cluster:
        yield cluster


@pytest.fixture
def slurm(slurm_cluster: SlurmCluster, monkeypatch: pytest.MonkeyPatch) -> SlurmCluster:
    """The cluster, known to this process and to those that it starts."""
    for name, value in slurm_cluster.environment.items():
        monkeypatch.setenv(name, value)
    return slurm_cluster


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """With a space, as folders of people have."""
    folder = tmp_path / "an experiment"
    folder.mkdir()
    return folder
