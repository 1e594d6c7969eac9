"""`check` on experiments for a cluster, whose commands are scripts."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from tests.check.test_check import advice
from tests.schedulers.slurm_commands import Commands, commands_on_path

MANY: dict[str, Any] = {
    "max-concurrent": 500
}  # more than any machine's cores: the nodes have others


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    return commands_on_path(tmp_path, monkeypatch)


def advice_for(folder: Path, nodes: str, commands: Commands, **keys: Any) -> list[str]:
    commands.write("sinfo", f"echo {nodes}")
    return advice(folder, scheduler="SLURM", **MANY, **keys)


def test_a_cluster_of_this_machine_alone_gets_no_advice(tmp_path: Path, commands: Commands) -> None:
    assert advice_for(tmp_path, socket.gethostname(), commands) == []


@pytest.mark.parametrize("nodes", ["node1 node2", "", "; exit 1"])
def test_an_embedded_database_is_advised_against_where_nodes_are_elsewhere(
    tmp_path: Path, commands: Commands, nodes: str
) -> None:
    (line,) = advice_for(tmp_path, nodes, commands)
    assert line.startswith("database: the jobs of resource Main run on other machines, and the")
    assert "MongoDB" in line


@pytest.mark.parametrize(
    ("address", "is_fine"),
    [
        ("localhost", False),
        ("mongodb://me:word@127.0.0.1:27017/?w=majority", False),
        ("mongodb://head-node", True),
        ("localhost.site.example", True),
    ],
)
def test_an_address_that_means_this_machine_is_told(
    tmp_path: Path, commands: Commands, address: str, is_fine: bool
) -> None:
    said = advice_for(tmp_path, "node1", commands, database={"address": address})
    assert ([] if is_fine else ["database.address"]) == [line.split(":")[0] for line in said]
    assert "word" not in "".join(said).replace("password", "")
