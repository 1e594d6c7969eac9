"""`dashboard`: what it says before there is a page, and how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("dash")

from tests.cli.conftest import CommandLine, experiment, spearmint

__all__ = ["experiment", "spearmint"]


def test_a_folder_that_is_not_there_is_a_sentence(spearmint: CommandLine, tmp_path: Path) -> None:
    answer = spearmint("dashboard", tmp_path / "nowhere")
    assert (answer.code, answer.err) == (2, f"error: {tmp_path}/nowhere: no such folder\n")


def test_a_port_that_is_taken_is_told_with_the_remedy(
    spearmint: CommandLine, experiment: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = spearmint("dashboard", experiment, "--port", str(taken.getsockname()[1]))
    assert answer.code == 2
    assert answer.err.endswith("Address already in use; choose another with --port\n")


def test_an_address_of_another_machine_is_no_fault_of_the_port(
    spearmint: CommandLine, experiment: Path
) -> None:
    answer = spearmint("dashboard", experiment, "--port", "0", "--host", "192.0.2.1")
    assert answer.code == 2
    assert answer.err.endswith("choose another with --host\n")


def test_a_token_and_none_exclude_each_other(spearmint: CommandLine, experiment: Path) -> None:
    answer = spearmint("dashboard", experiment, "--token", "x", "--no-token")
    assert (answer.code, "exclude each other" in answer.err) == (2, True)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, -15)])
def test_it_ends_at_a_signal_without_a_word(
    experiment: Path, number: signal.Signals, code: int
) -> None:
    """A folder that is named twice is one experiment. Ctrl-C is how it is meant to end."""
    words = ["-m", "spearmint_int", "dashboard", str(experiment), f"{experiment}/.", "--port", "0"]
    # tests that a shell runs in the background inherit from it that Ctrl-C is ignored
    command = ["env", "--default-signal=INT", sys.executable, *words, "--no-token"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address, advice = process.stdout.readline().strip(), process.stdout.readline()
        assert urllib.request.urlopen(address, timeout=60).status == 200
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (advice, out, err) == ("Ctrl-C ends it\n", "", "")
    assert process.returncode == code
