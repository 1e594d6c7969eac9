"""Objectives for the launcher's tests: written to a folder, called in a real process."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from spearmint_int.jobs import Failure, FailureKind
from spearmint_int.launcher.execution import open_output, run_objective
from spearmint_int.launcher.order import Argument, Launch
from spearmint_int.launcher.outcome import Outcome
from spearmint_int.launcher.output import output_path
from spearmint_int.launcher.wakeup import Wakeup
from spearmint_int.testing.orders import X, launch

ARGUMENTS = (X, Argument("layers", "INT", (3, 4)), Argument("kind", "ENUM", ("relu",)))


def shell_launch(folder: Path, script: str, **changes: Any) -> Launch:
    """An executable objective with this source."""
    path = folder / "objective.sh"
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    shell = {"language": "SHELL", "main_file": "objective.sh"}
    return launch(folder, "", **(shell | changes))


def call(launched: Launch) -> Outcome | None:
    """Run it to its end, with nobody who interrupts."""
    return run(launched, Wakeup())


def run(launched: Launch, interrupt: Wakeup, **options: Any) -> Outcome | None:
    """Run it until it ends or is interrupted."""
    output = open_output(launched)
    if isinstance(output, Failure):
        return output
    with closing(output):
        return run_objective(launched, output, interrupt, **options)


def result(folder: Path, code: str, **changes: Any) -> Outcome | None:
    """The outcome of a Python objective with this source."""
    return call(launch(folder, code, **changes))


def failure(outcome: Outcome | None, kind: FailureKind) -> Failure:
    """The outcome, which must be a failure of this kind."""
    assert isinstance(outcome, Failure), outcome
    assert outcome.kind is kind, outcome
    return outcome


def printed(folder: Path, job_id: int = 7) -> str:
    """What the job printed."""
    return output_path(folder, job_id).read_text(encoding="utf-8", errors="replace")


def eventually(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether the condition becomes true in this time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def is_running(pid: int) -> bool:
    """Whether the process is there, and not a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
