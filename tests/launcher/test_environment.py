"""NAME=value lines for jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from spearmint_int.errors import ObjectiveError
from spearmint_int.launcher.execution import read_environment


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
