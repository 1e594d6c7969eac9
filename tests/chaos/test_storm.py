"""A short storm of each kind; `make chaos` has long ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.storm import can_unshare, run_storm
from tests.mongo_server import MongoServerProcess

pytestmark = [
    pytest.mark.timeout(400),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MongoServerProcess]:
    with MongoServerProcess(tmp_path / "server") as server:
        yield server


def test_two_managers_get_through_a_storm(tmp_path: Path) -> None:
    report = run_storm(tmp_path / "storm", managers=2, faults=10, seed="test")
    assert report.violations == ()
    assert sum(report.faults.values()) > 3


def test_two_managers_on_a_server_get_through_a_storm(
    tmp_path: Path, server: MongoServerProcess
) -> None:
    report = run_storm(tmp_path / "storm", managers=2, faults=8, seed="test", server=server)
    assert report.violations == ()


@pytest.mark.slow
def test_containers_with_one_hostname_take_nothing_from_each_other(tmp_path: Path) -> None:
    if not can_unshare():
        pytest.skip("no PID namespace can be made here")
    report = run_storm(tmp_path / "storm", managers=2, faults=10, seed="test", containers=True)
    assert report.violations == ()
