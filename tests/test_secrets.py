"""A run on a server with a password: it is in nothing that was printed or written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pymongo
import pytest

from tests.mongo_server import MongoServerProcess

PASSWORD = "hunter2-7f3a"
OBJECTIVE = """
import os, subprocess
def main(job_id, params):
    print(dict(os.environ))
    subprocess.run("env; cat /proc/self/cmdline", shell=True)
    if job_id == 1:
        raise ValueError("broken")
    return 1.0
"""
CONFIG = {
    "main-file": "objective",
    "chooser": "random_chooser",
    "max-finished-jobs": 3,
    "max-attempts": 1,
    "variables": {"x": {"type": "FLOAT", "min": 0, "max": 1}},
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with MongoServerProcess(tmp_path_factory.mktemp("server")) as server:
        with pymongo.MongoClient[dict[str, object]](server.uri) as client:
            roles = [{"role": "readWrite", "db": "spearmint"}]
            client.admin.command("createUser", "ann", pwd=PASSWORD, roles=roles)
        yield server.uri.replace("://", f"://ann:{PASSWORD}@")


def spearmint(folder: Path, *words: str, address: str) -> str:
    """What a command prints, on both streams."""
    answer = subprocess.run(
        [sys.executable, "-m", "spearmint_int", *words, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"SPEARMINT_DB_ADDRESS": address},
    )
    return answer.stdout + answer.stderr


def test_nothing_that_a_run_writes_or_prints_has_the_password(tmp_path: Path, address: str) -> None:
    folder = tmp_path / "experiment"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "objective.py").write_text(OBJECTIVE)
    printed = [
        spearmint(folder, *words, address=address)
        for words in (["check"], ["run", "--json"], ["status"], ["jobs", "--json"], ["export"])
    ]
    wrong = address.replace(PASSWORD, f"{PASSWORD}-wrong")
    printed += [spearmint(folder, *words, address=wrong) for words in (["run"], ["status"])]
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert '"complete": 2' in printed[1] or '"status": "complete"' in printed[1]
    assert "refused the user or password" in printed[-1]
    assert not [text for text in printed if PASSWORD in text]
    assert not [data for data in written if PASSWORD.encode() in data]
