"""One call of the objective in its own process: numbers, a failure, or nothing when interrupted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spearmint_int.errors import ObjectiveError
from spearmint_int.jobs import Failure, FailureKind
from spearmint_int.launcher import objective
from spearmint_int.launcher.environment import objective_environment
from spearmint_int.launcher.outcome import (
    not_started,
    outcome_of_output,
    outcome_of_report,
    outcome_without_result,
)
from spearmint_int.launcher.output import OutputFile, output_path
from spearmint_int.launcher.process import (
    MARK_VARIABLE,
    Command,
    ProcessEnd,
    Watch,
    end_marked,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spearmint_int.launcher.order import Launch
    from spearmint_int.launcher.outcome import Outcome
    from spearmint_int.launcher.wakeup import Wakeup

LARGEST_REPORT = 10_000_000  # bytes; a dict of numbers is far below
TOO_LARGE = f"main() returned more than {LARGEST_REPORT // 1_000_000} MB; return numbers, not data"


def open_output(launch: Launch) -> OutputFile | Failure:
    """The file for what the objective prints, which this worker holds while it lives."""
    path = output_path(Path(launch.directory), launch.job_id)
    try:
        return OutputFile(path, append=launch.attempt > 1)
    except OSError as error:
        return Failure(FailureKind.START, f"{path} can't be written: {error.strerror}")


def run_objective(
    launch: Launch,
    output: OutputFile,
    interrupt: Wakeup,
    *,
    started: Callable[[int], object] = lambda _: None,
) -> Outcome | None:
    """Call the objective and wait for its end; None when it was interrupted without a result.

    `started` is called with the id of the process group once it runs; until then no other thread
    may run.
    """
    if launch.attempt > 1:
        end_marked(launch.mark)  # processes that a killed worker has left must not run beside ours
        output.write(f"[spearmint-int: attempt {launch.attempt}]\n".encode())
    call = _python_call if launch.language == "PYTHON" else _shell_call
    try:
        with ExitStack() as files:
            command, outcome_of = call(launch, files)
            watch = Watch(command, output)
            started(watch.group)
            return outcome_of(watch.run(time_limit=launch.time_limit, interrupt=interrupt))
    except (OSError, ObjectiveError) as error:
        failure = not_started(launch, error)
        output.write(f"{failure.message}\n".encode())
        return failure


def _python_call(
    launch: Launch, files: ExitStack
) -> tuple[Command, Callable[[ProcessEnd], Outcome | None]]:
    """Run a Python objective; the request and the result travel through files without a name."""
    request = _nameless_file(files, launch.to_json())
    result = _nameless_file(files, "")
    fds = (request, result)
    words = [sys.executable, objective.__file__, *map(str, fds)]

    def outcome_of(end: ProcessEnd) -> Outcome | None:
        report = _read_report(os.pread(result, LARGEST_REPORT + 1, 0))
        outcome = None if report is None else outcome_of_report(report, launch.tasks)
        was_ended = end.cancelled or end.timed_out  # and may have answered that by an exception
        if outcome is None or (was_ended and isinstance(outcome, Failure)):
            return outcome_without_result(end, launch)
        return _with_process(outcome, end)

    return _command(launch, words, pass_fds=fds), outcome_of


def _shell_call(
    launch: Launch, files: ExitStack
) -> tuple[Command, Callable[[ProcessEnd], Outcome | None]]:
    """Run a SHELL objective, with the parameters as arguments and as JSON on stdin, which is a
    file, so that an objective that doesn't read it blocks nobody."""
    stdin = _nameless_file(files, json.dumps(plain_params(launch)) + "\n")
    words = [os.path.abspath(launch.main_path), *shell_arguments(launch)]

    def outcome_of(end: ProcessEnd) -> Outcome | None:
        if end.returncode != 0 or end.timed_out or end.cancelled:
            return outcome_without_result(end, launch)
        printed = outcome_of_output(end.stdout_tail, launch.tasks, is_cut=end.stdout_is_cut)
        return _with_process(printed, end)

    return _command(launch, words, stdin=stdin), outcome_of


def _nameless_file(files: ExitStack, text: str) -> int:
    """A file that goes away with `files`, open at the beginning of the text."""
    file = files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (`files` closes it)
    file.write(text.encode())
    file.seek(0)
    return file.fileno()


def _command(
    launch: Launch,
    words: list[str],
    *,
    stdin: int = subprocess.DEVNULL,
    pass_fds: tuple[int, ...] = (),
) -> Command:
    environment = job_environment(launch)
    return Command(words, launch.directory, environment, stdin=stdin, pass_fds=pass_fds)


def shell_arguments(launch: Launch) -> list[str]:
    """The arguments of a SHELL objective: `--name value`, and `--name value value …` for a
    vector."""
    words = []
    for argument in launch.arguments:
        words += [f"--{argument.name}", *map(str, argument.values)]
    if any("\0" in word for word in words):
        raise ObjectiveError("an option has a NUL character, which no argument can have")
    return words


def plain_params(launch: Launch) -> dict[str, Any]:
    """The parameters as the job has them: a scalar for size 1, else a list."""
    return {a.name: a.values[0] if len(a.values) == 1 else list(a.values) for a in launch.arguments}


def _read_report(data: bytes) -> dict[str, Any] | None:
    """The report, if all of it was written: its last byte is the end of the line."""
    if len(data) > LARGEST_REPORT:
        return {"kind": FailureKind.BAD_RESULT, "message": TOO_LARGE}
    if not data.endswith(b"\n"):
        return None
    report: dict[str, Any] = json.loads(data)
    return report


def _with_process(outcome: Outcome, end: ProcessEnd) -> Outcome:
    if isinstance(outcome, Failure):
        return replace(outcome, exit_status=end.returncode, stderr_tail=end.stderr_tail)
    return outcome


def job_environment(launch: Launch) -> dict[str, str]:
    """The environment of an objective: the job's own variables too, and no buffered output."""
    return {
        **objective_environment(Path(launch.directory), launch.environment_file),
        "SPEARMINT_JOB_ID": str(launch.job_id),
        MARK_VARIABLE: launch.mark,
        "PYTHONUNBUFFERED": "1",  # `tail -f` on the output shows what happens now
    }
