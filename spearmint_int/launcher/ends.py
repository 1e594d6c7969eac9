"""What the end of a process means when there is no result; pure functions."""

from __future__ import annotations

import errno
import signal
from typing import TYPE_CHECKING

from spearmint_int.errors import ObjectiveError
from spearmint_int.jobs import Failure, FailureKind
from spearmint_int.launcher.launch import Launch, main_path

if TYPE_CHECKING:
    from spearmint_int.launcher.process import ProcessEnd


def outcome_without_result(end: ProcessEnd, launch: Launch) -> Failure | None:
    """What the end of a process without a result means; None for one that we ended on request."""
    if end.cancelled:
        return None
    kind, message = _kind_and_message(end, launch)
    return Failure(kind, message, exit_status=end.returncode, stderr_tail=end.stderr_tail)


def _kind_and_message(end: ProcessEnd, launch: Launch) -> tuple[FailureKind, str]:
    if end.timed_out:
        return FailureKind.TIME_LIMIT, f"ended after the time limit of {launch.time_limit:g} s"
    if end.returncode >= 0:
        last = _last_line(end.stderr_tail)
        said = f": {last}" if last else " without a result"
        return FailureKind.EXIT, f"the process ended with exit status {end.returncode}{said}"
    if -end.returncode == signal.SIGKILL and end.oom_kills != 0:
        known = "by the kernel for want of memory" if end.oom_kills else "by SIGKILL"
        return FailureKind.OUT_OF_MEMORY, f"killed {known}; give the job more memory or fewer peers"
    return FailureKind.SIGNAL, f"killed by signal {_signal_name(-end.returncode)}"


def not_started(launch: Launch, error: Exception) -> Failure:
    """The failure of an objective that could not even be started."""
    return Failure(kind=FailureKind.LAUNCH, message=_reason(launch, error))


def _reason(launch: Launch, error: Exception) -> str:
    name = launch.main_file
    if isinstance(error, ObjectiveError):
        return str(error)
    if isinstance(error, PermissionError):
        return f"{name} is not executable; run 'chmod +x {main_path(launch)}'"
    if isinstance(error, FileNotFoundError) and main_path(launch).exists():
        return f"{name} can't be started: its first line names an interpreter that is not there"
    if isinstance(error, FileNotFoundError):
        return f"there is no {name} in {launch.directory}"
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        return f"{name} can't be started: its first line must be one like #!/bin/sh"
    return f"{name} can't be started: {error}"


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip()[:300] if lines else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
