"""NAME=value lines for jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from spearmint_int.errors import ObjectiveError
from spearmint_int.launcher.execution import read_environment
from tests.launcher.launches import result


def test_lines_quotes_comments_and_export_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "job.env"
    path.write_text("# a comment\n\nA=1\nexport B='two words'\nC=\"x=y\"  # why\nEMPTY=\n")
    expected = {"A": "1", "B": "two words", "C": "x=y", "EMPTY": ""}
    assert read_environment(path) == expected


@pytest.mark.parametrize("line", ["source other.sh", "A = 1", "1A=2", "A='open"])
def test_a_line_that_is_no_assignment_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "job.env"
    path.write_text(f"{line}\n")
    with pytest.raises(ObjectiveError, match=r"job\.env:1: "):
        read_environment(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ObjectiveError, match=r"none\.env can't be read"):
        read_environment(tmp_path / "none.env")


def test_an_objective_does_not_see_the_databases_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPEARMINT_DB_ADDRESS", "mongodb://ann:hunter2@host")
    code = """
        import os
        def main(job_id, params):
            return float("hunter2" in str(os.environ))
    """
    assert result(tmp_path, code) == {"main": 0.0}


def test_a_nul_in_an_environment_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "job.env").write_bytes(b"A=1\nB=x\0y\n")
    with pytest.raises(ObjectiveError, match=r"job.env:2: has a NUL character"):
        read_environment(tmp_path / "job.env")
