"""Streams that refuse: a run goes on, and a command ends as others do."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spearmint_int.config import load_config
from spearmint_int.jobs import JobStatus
from spearmint_int.stores import open_store

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="/dev/full"),
]
RUN = [sys.executable, "-m", "spearmint_int", "run"]


def complete(folder: Path) -> int:
    store = open_store(load_config(folder))
    number = store.tally().counts[JobStatus.COMPLETE]
    store.close()
    return number


@pytest.mark.parametrize("command", ["run", "status", "jobs", "best", "check"])
def test_commands_work_with_every_standard_file_closed(with_results: Path, command: str) -> None:
    line = f"{sys.executable} -m spearmint_int {command} {with_results} <&- >&- 2>&-"
    assert subprocess.run(line, shell=True, check=False).returncode == 0


@pytest.mark.parametrize("option", ["--plain", "--json"])
@pytest.mark.parametrize("redirection", [">/dev/full", ">&-", ">&- 2>&-", ">/dev/full 2>&1"])
def test_a_run_whose_output_can_not_be_written_goes_on(
    experiment: Path, option: str, redirection: str
) -> None:
    line = f"{' '.join(RUN)} {experiment} {option} {redirection}"
    assert subprocess.run(line, shell=True, check=False).returncode == 0
    assert complete(experiment) == 3


def test_a_run_goes_on_when_its_terminal_is_gone(experiment: Path) -> None:
    leader, follower = pty.openpty()
    run = subprocess.Popen(
        [*RUN, str(experiment)], stdin=follower, stdout=follower, stderr=follower
    )
    os.close(follower)
    until = time.monotonic() + 60
    while not (experiment / "output").exists() and time.monotonic() < until:
        time.sleep(0.05)
    os.close(leader)
    run.send_signal(signal.SIGHUP)
    assert run.wait(60) == 0
    assert complete(experiment) == 3


def test_an_ascii_locale_is_enough(experiment: Path) -> None:
    odd = experiment.rename(experiment.with_name("größe-≤"))
    environment = os.environ | {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    for words in (["run", "--plain"], ["status"], ["jobs"], ["best"]):
        command = [sys.executable, "-m", "spearmint_int", words[0], str(odd), *words[1:]]
        answer = subprocess.run(command, capture_output=True, env=environment, check=False)
        assert (answer.returncode, answer.stderr) == (0, b""), words


def test_a_pipe_whose_reader_has_gone_ends_the_command_without_a_word(with_results: Path) -> None:
    line = f"{sys.executable} -m spearmint_int jobs --json {with_results} | head -1"
    answer = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert answer.stderr == ""


@pytest.mark.parametrize("command", ["status", "jobs", "best", "check"])
def test_a_pipe_whose_reader_has_gone_is_no_fault(with_results: Path, command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "spearmint_int", command, str(with_results)]
    answer = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (answer.returncode, answer.stderr) == (0, b"")


def test_a_full_disk_is_one_sentence(with_results: Path) -> None:
    line = f"{sys.executable} -m spearmint_int jobs {with_results} >/dev/full"
    answer = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert answer.stderr == "error: the output can't be written: No space left on device\n"


def test_what_a_folder_is_called_does_not_control_the_terminal(experiment: Path) -> None:
    red = experiment.rename(experiment.with_name("\x1b[31mred"))
    out = subprocess.run([*RUN, str(red), "--plain"], capture_output=True, check=True).stdout
    assert b"\x1b" not in out


def test_what_an_objective_prints_does_not_control_the_terminal(experiment: Path) -> None:
    (experiment / "objective.py").write_text(
        "def main(job_id, params):\n"
        "    raise ValueError('\\x1b[2J\\x1b]0;owned\\x07 \\x9b2J gone')\n"
    )
    printed = b""
    for words in ([*RUN, str(experiment), "--plain"], [*RUN[:-1], "show", "1", str(experiment)]):
        answer = subprocess.run(words, capture_output=True, check=False)
        printed += answer.stdout + answer.stderr
    assert b"gone" in printed
    assert b"\x1b" not in printed
    assert b"\x9b" not in printed.replace("\u009b".encode(), b"\x9b")


@pytest.mark.parametrize(
    "name", ["a b", "ö'\"ü", "new\nline", "semi;colon", "%d%s", "{x}", "\udcff"]
)
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    for command in ("init", "check", "status"):
        words = [sys.executable, "-m", "spearmint_int", command, str(folder)]
        answer = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (answer.returncode, answer.stderr) == (0, ""), command


def test_a_name_that_is_too_long_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 300)
    for command in ("init", "check", "run", "status"):
        words = [sys.executable, "-m", "spearmint_int", command, str(folder)]
        answer = subprocess.run(words, capture_output=True, text=True, check=False)
        assert answer.returncode == 2
        assert "File name too long" in answer.stderr
        assert len(answer.stderr.splitlines()) == 1


def on_terminal(command: list[str], **variables: str) -> str:
    """What a command prints on a terminal."""
    leader, follower = pty.openpty()
    words = [sys.executable, "-m", "spearmint_int", *command]
    subprocess.run(words, stdout=follower, check=True, env=os.environ | variables)
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    return shown


@pytest.mark.parametrize("command", ["jobs", "check", "status"])
def test_a_terminal_that_wants_no_colours_gets_none(with_results: Path, command: str) -> None:
    words = [command, str(with_results)]
    assert "\x1b[" in on_terminal(words, NO_COLOR="", TERM="xterm")
    assert "\x1b[" not in on_terminal(words, NO_COLOR="1", TERM="xterm")
    assert "\x1b[" not in on_terminal(words, NO_COLOR="", TERM="dumb")


def first_words(command: list[str], folder: Path) -> str:
    """What a command shows first on a terminal; it is ended there."""
    leader, follower = pty.openpty()
    words = [sys.executable, "-m", "spearmint_int", *command, str(folder)]
    process = subprocess.Popen(
        words, stdout=follower, stderr=follower, env=os.environ | {"TERM": "xterm"}
    )
    os.close(follower)
    shown = os.read(leader, 1000).decode()
    process.send_signal(signal.SIGINT)
    process.wait(60)
    os.close(leader)
    return shown


@pytest.mark.usefixtures("listens_to_ctrl_c")
def test_a_run_says_at_once_that_it_loads_the_objective(experiment: Path) -> None:
    (experiment / "objective.py").write_text("import time\ntime.sleep(100)\n")
    assert first_words(["run"], experiment) == "parabola: loading objective"


def test_the_line_on_loading_is_erased(experiment: Path) -> None:
    leader, follower = pty.openpty()
    subprocess.run(
        [*RUN, str(experiment), "--plain"], stderr=follower, stdout=subprocess.PIPE, check=True,
        env=os.environ | {"TERM": "xterm"},
    )  # fmt: skip
    os.close(follower)
    assert os.read(leader, 1000).decode() == "parabola: loading objective\r\x1b[K"
    os.close(leader)
