"""SHELL objectives in real processes."""

from __future__ import annotations

import math
import signal
import subprocess
from pathlib import Path

import pytest

from spearmint_int.jobs import FailureKind
from spearmint_int.launcher.order import Argument
from spearmint_int.launcher.process import MARK_VARIABLE
from tests.launcher.launches import ARGUMENTS, call, failure, shell_launch

pytestmark = pytest.mark.timeout(60)


def test_parameters_come_as_json_on_stdin(tmp_path: Path) -> None:
    launched = shell_launch(tmp_path, "#!/bin/sh\ncat > got.json; echo 1\n", arguments=ARGUMENTS)
    assert call(launched) == {"main": 1.0}
    expected = '{"x": 2.0, "layers": [3, 4], "kind": "relu"}\n'
    assert (tmp_path / "got.json").read_text() == expected


def test_parameters_come_as_arguments_vectors_as_several_values(tmp_path: Path) -> None:
    script = '#!/bin/sh\nprintf "%s\\n" "$@" > got.txt; echo 1\n'
    assert call(shell_launch(tmp_path, script, arguments=ARGUMENTS)) == {"main": 1.0}
    words = (tmp_path / "got.txt").read_text().split()
    assert words == ["--x", "2.0", "--layers", "3", "4", "--kind", "relu"]


def test_no_shell_looks_at_the_values(tmp_path: Path) -> None:
    nasty = Argument("kind", "ENUM", ("$(touch pwned); `touch pwned`",))
    call(shell_launch(tmp_path, "#!/bin/sh\necho 1\n", arguments=(nasty,)))
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("line", ["2.5", "  2.5  ", '{"main": 2.5}', "25e-1"])
def test_the_last_line_is_the_result(tmp_path: Path, line: str) -> None:
    script = f"#!/bin/sh\necho 'epoch 1'; echo 99; echo '{line}'; echo\n"
    assert call(shell_launch(tmp_path, script)) == {"main": 2.5}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("echo done", "the last line is 'done'"),
        ("true", "printed nothing"),
        ("echo '[1, 2]'", "the last line is '[1, 2]'"),
        ('echo \'{"main": "x"}\'', "not a number"),
        ("echo '{\"loss\": 1}'", 'return a number, or {"main": …}'),
        ("head -c 200000 /dev/urandom", "the last line is"),
    ],
)
def test_garbage_is_a_bad_result(tmp_path: Path, command: str, words: str) -> None:
    outcome = call(shell_launch(tmp_path, f"#!/bin/sh\n{command}\n"))
    assert words in failure(outcome, FailureKind.BAD_RESULT).message


def test_nan_means_failed_here(tmp_path: Path) -> None:
    outcome = call(shell_launch(tmp_path, "#!/bin/sh\necho nan\n"))
    assert isinstance(outcome, dict)
    assert math.isnan(outcome["main"])


def test_an_exit_status_is_a_failure_whatever_was_printed(tmp_path: Path) -> None:
    outcome = call(shell_launch(tmp_path, "#!/bin/sh\necho 1; echo 'no licence' >&2; exit 3\n"))
    found = failure(outcome, FailureKind.EXIT)
    assert found.exit_status == 3
    assert found.message.endswith("no licence")
    assert found.stderr_tail == "no licence\n"


def test_a_result_that_does_not_count_for_its_exit_status_is_told(tmp_path: Path) -> None:
    outcome = call(shell_launch(tmp_path, "#!/bin/sh\necho 2; exit 3\n"))
    expected = "the process ended with exit status 3; it must be 0 for the result, 2, to count"
    assert failure(outcome, FailureKind.EXIT).message == expected


def test_a_time_limit_ends_the_script_and_what_it_started(tmp_path: Path) -> None:
    launched = shell_launch(tmp_path, "#!/bin/sh\nsleep 100\necho 1\n", time_limit=0.5)
    failure(call(launched), FailureKind.TIME_LIMIT)


def test_a_file_that_is_not_executable_says_what_to_do(tmp_path: Path) -> None:
    launched = shell_launch(tmp_path, "#!/bin/sh\necho 1\n")
    (tmp_path / "objective.sh").chmod(0o644)
    assert "chmod +x" in failure(call(launched), FailureKind.LAUNCH).message


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 1\n", "#!/bin/sh"),
        ("#!/no/such/interpreter\n", "its first line names /no/such/interpreter, which does not"),
        (
            "#!/bin/sh\r\necho 1\r\n",
            r"carriage return, as on Windows; mend it with: sed -i 's/\r$//'",
        ),
    ],
)
def test_a_first_line_that_does_not_work_is_explained(
    tmp_path: Path, script: str, words: str
) -> None:
    outcome = call(shell_launch(tmp_path, script))
    assert words in failure(outcome, FailureKind.LAUNCH).message


def test_a_missing_executable_is_named(tmp_path: Path) -> None:
    launched = shell_launch(tmp_path, "", main_file="nowhere.sh")
    assert "there is no nowhere.sh" in failure(call(launched), FailureKind.START).message


def test_stdin_that_nobody_reads_blocks_nobody(tmp_path: Path) -> None:
    long = Argument("x", "FLOAT", tuple(float(i) for i in range(3000)))
    assert call(shell_launch(tmp_path, "#!/bin/sh\necho 1\n", arguments=(long,))) == {"main": 1.0}


def test_what_a_killed_attempt_left_running_is_ended_before_the_next(tmp_path: Path) -> None:
    launched = shell_launch(tmp_path, "#!/bin/sh\necho 1\n", attempt=2)
    child = subprocess.Popen(
        ["sleep", "300"], env={MARK_VARIABLE: launched.mark}, start_new_session=True
    )
    other = subprocess.Popen(["sleep", "300"], env={MARK_VARIABLE: f"1{launched.mark}"})
    assert call(launched) == {"main": 1.0}
    assert child.wait(1) == -signal.SIGKILL
    assert other.poll() is None, "of another job"
    other.kill()
    other.wait()


def test_a_child_that_prints_after_the_end_does_not_change_the_result(tmp_path: Path) -> None:
    script = "#!/bin/sh\n(sleep 0.2; echo 2) &\necho 1\n"
    assert call(shell_launch(tmp_path, script)) == {"main": 1.0}


def test_a_last_line_beyond_what_is_kept_is_refused_and_not_cut(tmp_path: Path) -> None:
    script = "#!/bin/sh\nhead -c 70000 /dev/zero | tr '\\0' 1; echo\n"
    found = failure(call(shell_launch(tmp_path, script)), FailureKind.BAD_RESULT)
    assert "the last line is longer than" in found.message


def test_an_objective_does_not_ignore_the_hangups_that_a_run_ignores(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        outcome = call(shell_launch(tmp_path, "#!/bin/sh\nkill -HUP $$; echo 1\n"))
    finally:
        signal.signal(signal.SIGHUP, before)
    assert "SIGHUP" in failure(outcome, FailureKind.SIGNAL).message


def test_a_time_limit_of_a_year_is_one(tmp_path: Path) -> None:
    script = "#!/bin/sh\nsleep 0.2; echo 1\n"
    assert call(shell_launch(tmp_path, script, time_limit=3e7)) == {"main": 1.0}


def test_an_option_with_a_nul_is_named(tmp_path: Path) -> None:
    launched = shell_launch(
        tmp_path, "#!/bin/sh\necho 1\n", arguments=(Argument("kind", "ENUM", ("a\0b",)),)
    )
    assert "NUL" in failure(call(launched), FailureKind.LAUNCH).message
