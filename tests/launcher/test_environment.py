"""NAME=value lines for jobs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from spearmint_int.errors import ObjectiveError
from spearmint_int.launcher.environment import read_environment
from tests.launcher.launches import result


def test_lines_quotes_comments_and_export_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "job.env"
    path.write_text("# a comment\n\nA=1\nexport B='two words'\nC=\"x=y\"  # why\nEMPTY=\n")
    expected = {"A": "1", "B": "two words", "C": "x=y", "EMPTY": ""}
    assert read_environment(path, {}) == expected


LINES = {
    "PATH=$PATH:/opt/x": "/bin:/opt/x",
    "A=${HOME}/data": "/home/ann/data",
    "A=~/x:~:a~": "/home/ann/x:/home/ann:a~",
    "A=--dir=~/x": "--dir=~/x",
    'A="$HOME/two words"': "/home/ann/two words",
    "A='$HOME `date`'": "$HOME `date`",
    r"A=\$HOME": "$HOME",
    r'A="\$HOME \"x\" \n"': '$HOME "x" \\n',
    "A=$NONESUCH.": ".",
    "A=5$": "5$",
    "A=x#y # why": "x#y",
    "A=a'b c'\"d\"": "ab cd",
    "A='a;b&c'": "a;b&c",
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_what_bash_makes_of_it(tmp_path: Path, line: str) -> None:
    path = tmp_path / "job.env"
    path.write_text(f"{line}\n")
    known = {"PATH": "/bin", "HOME": "/home/ann"}
    (value,) = read_environment(path, known).values()
    assert value == LINES[line]
    script = f'{line}\nprintf %s "${line.partition("=")[0]}"'
    bash = subprocess.run(["/bin/sh", "-c", script], env=known, capture_output=True, check=True)
    assert bash.stdout.decode() == value


def test_a_line_sees_those_before_it(tmp_path: Path) -> None:
    path = tmp_path / "job.env"
    path.write_text("A=1\nA=${A}2\nexport B=$A\n")
    assert read_environment(path, {"A": "0"}) == {"A": "12", "B": "12"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("A=$(date)", "runs a command"), ("A=`date`", "runs a command"),
        ('A="x `date`"', "runs a command"), ("A=${B:-1}", "has \\$\\{: only"),
        ("A=$1", "has \\$1: only"), ("A=1; B=2", "has ; outside of quotes"),
        ("A=1\\", "ends with a backslash"), ("unset A", "expected NAME=value"),
        ("A=~root", "has ~ with a name"), ("A=x:~+", "has ~ with a name"),
    ],
)  # fmt: skip
def test_what_only_a_shell_could_read_is_refused(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "job.env"
    path.write_text(f"# first\n{line}\n")
    with pytest.raises(ObjectiveError, match=rf"job\.env:2: {reason}"):
        read_environment(path, {})


@pytest.mark.parametrize("line", ["source other.sh", "A = 1", "1A=2", "A='open"])
def test_a_line_that_is_no_assignment_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "job.env"
    path.write_text(f"{line}\n")
    with pytest.raises(ObjectiveError, match=r"job\.env:1: "):
        read_environment(path, {})


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ObjectiveError, match=r"none\.env can't be read"):
        read_environment(tmp_path / "none.env", {})


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
        read_environment(tmp_path / "job.env", {})
