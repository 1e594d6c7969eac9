"""`repair` and `backup` on the command line."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine


def damage(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "spearmint.sqlite")) as connection, connection:
        connection.execute("UPDATE jobs SET params = 'nothing' WHERE id = 2")


def test_a_sound_store_needs_no_repair(spearmint: CommandLine, with_results: Path) -> None:
    answer = spearmint("repair", with_results)
    assert (answer.code, answer.out) == (0, "every job can be read\n")


def test_times_that_are_none_are_damage_and_break_no_command(
    spearmint: CommandLine, with_results: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(with_results / "spearmint.sqlite")) as connection, connection:
        connection.execute("UPDATE jobs SET ended = 1e308 WHERE id > 1")
    assert spearmint("status", with_results, "--json").json["damaged"] == [2, 3, 4]
    assert [job["id"] for job in spearmint("jobs", with_results, "--json").json] == [1]
    assert "job 2 can't be read" in spearmint("show", with_results, "2").err
    assert spearmint("report", with_results, "-o", tmp_path / "report.html").code == 0
    assert spearmint("repair", with_results).code == 1


def test_a_damaged_job_is_shown_set_aside_mended_and_put_back(
    spearmint: CommandLine, with_results: Path
) -> None:
    damage(with_results)
    shown = spearmint("repair", with_results)
    assert shown.code == 1
    assert "job 2 can't be read" in shown.out
    assert spearmint("repair", with_results, "--set-aside").code == 0
    file = with_results / "output" / "set-aside" / "2.json"
    assert f"job 2 is in {file}" in spearmint("repair", with_results).out
    raw = json.loads(file.read_text())
    refused = spearmint("repair", with_results, "--restore")
    assert (refused.code, "not put back" in refused.out) == (1, True)
    file.write_text(json.dumps(raw | {"params": '{"x": -0.25, "n": 0}'}))
    assert "put back" in spearmint("repair", with_results, "--restore").out
    assert not file.exists()
    assert len(spearmint("jobs", with_results, "--json").json) == 4


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[]", "must hold one JSON object, got []"),
        ('{"id": 2}', "job 2 can't be read: status is missing"),
        ("{", "Expecting property name"),
    ],
)
def test_a_file_that_holds_no_job_is_one_sentence(
    spearmint: CommandLine, with_results: Path, content: str, reason: str
) -> None:
    aside = with_results / "output" / "set-aside"
    aside.mkdir(parents=True)
    (aside / "2.json").write_text(content)
    answer = spearmint("repair", with_results, "--restore")
    assert answer.code == 1
    assert f"{aside / '2.json'}: not put back: {reason}" in answer.out


def test_a_damaged_job_can_be_deleted_and_the_gap_is_told(
    spearmint: CommandLine, with_results: Path
) -> None:
    damage(with_results)
    answer = spearmint("repair", with_results, "--delete")
    assert answer.code == 0
    assert "job 2 is not there: its row was deleted" in answer.out


@pytest.mark.parametrize(
    "options", [("--set-aside", "--delete"), ("--delete", "--restore"), ("--delete", "--set-aside")]
)
def test_two_ways_of_repair_exclude_each_other_and_nothing_is_lost(
    spearmint: CommandLine, with_results: Path, options: tuple[str, str]
) -> None:
    damage(with_results)
    answer = spearmint("repair", with_results, *options)
    assert answer.code == 2
    assert "exclude each other; give one of them" in answer.err
    assert "job 2 can't be read" in spearmint("repair", with_results).out


def test_export_salvages_what_can_be_read(spearmint: CommandLine, with_results: Path) -> None:
    damage(with_results)
    answer = spearmint("export", with_results)
    assert answer.code == 0
    assert len(answer.out.splitlines()) == 1 + 3


def test_a_backup_is_an_experiment_of_its_own(
    spearmint: CommandLine, with_results: Path, tmp_path: Path
) -> None:
    file = tmp_path / "copy.sqlite"
    assert spearmint("backup", with_results, file).out == f"4 jobs copied to {file}\n"
    before = spearmint("jobs", with_results, "--json").json
    assert "is there already" in spearmint("backup", with_results, file).err
    assert "is a folder: give the name of the copy too" in spearmint("backup", with_results).err
    (with_results / "spearmint.sqlite").unlink()
    file.rename(with_results / "spearmint.sqlite")
    assert spearmint("jobs", with_results, "--json").json == before


def test_status_names_the_damaged_jobs_and_the_remedy(
    spearmint: CommandLine, with_results: Path
) -> None:
    damage(with_results)
    sentence = "damaged     job 2 can't be read; 'spearmint-int repair' shows and mends it\n"
    assert spearmint("status", with_results).out.endswith(sentence)
    assert spearmint("status", with_results, "--json").json["damaged"] == [2]


@pytest.mark.parametrize("command", ["status", "best"])
def test_the_best_job_may_be_the_damaged_one(
    spearmint: CommandLine, with_results: Path, command: str
) -> None:
    damage(with_results)  # the best
    answer = spearmint(command, with_results)
    assert answer.code == 0
    assert "1.25" in answer.out
    assert "job 1" in answer.out


def test_a_run_goes_on_when_its_best_job_is_damaged(
    spearmint: CommandLine, with_results: Path
) -> None:
    damage(with_results)
    answer = spearmint("run", with_results, "--max-finished-jobs", "1", "--plain")
    assert answer.code == 0
    assert "job 2 can't be read" in answer.out


DAMAGED = "job 2 can't be read; 'spearmint-int repair' shows and mends it\n"


def test_jobs_tells_damaged_ones_from_old_ones(spearmint: CommandLine, with_results: Path) -> None:
    damage(with_results)
    assert spearmint("jobs", with_results).out.endswith(f"complete    0  3\n{DAMAGED}")
    assert spearmint("jobs", with_results, "-n", "2").out.endswith(
        "(2 jobs not shown, older: --all)\n"
    )
    assert DAMAGED not in spearmint("jobs", with_results, "--status", "broken").out
    assert spearmint("jobs", with_results, "--json").err == DAMAGED


@pytest.mark.parametrize("part", ["params", "point"])
def test_jobs_behind_a_damaged_one_are_shown(
    spearmint: CommandLine, with_results: Path, part: str
) -> None:
    with closing(sqlite3.connect(with_results / "spearmint.sqlite")) as connection, connection:
        connection.execute(f"UPDATE jobs SET {part} = 'nothing' WHERE id = 3")
    shown = spearmint("jobs", with_results, "-n", "3").out.splitlines()
    assert [line.split()[0] for line in shown[1:4]] == ["1", "2", "4"]


def test_a_report_is_of_the_jobs_that_can_be_read(
    spearmint: CommandLine, with_results: Path, tmp_path: Path
) -> None:
    damage(with_results)
    assert spearmint("report", with_results, "-o", tmp_path / "report.html").code == 0


def test_a_backup_that_fails_names_its_own_place_and_leaves_nothing(
    spearmint: CommandLine, with_results: Path, tmp_path: Path
) -> None:
    answer = spearmint("backup", with_results, tmp_path / "nowhere" / "copy.sqlite")
    assert answer.code == 2
    assert "nowhere/.copy.sqlite." in answer.err
    assert "the copy of" in answer.err


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process")
def test_a_backup_to_a_full_disk_leaves_nothing(with_results: Path, tmp_path: Path) -> None:
    folder = tmp_path / "full"
    folder.mkdir()
    words = [sys.executable, "-m", "spearmint_int", "backup", with_results, folder / "copy.sqlite"]
    # So much the log of the store itself needs; a whole copy is larger.
    limited = ["prlimit", "--fsize=32768", *map(str, words)]
    answer = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "the copy of" in answer.stderr
    assert list(folder.iterdir()) == []
