"""Commands of batch systems: run to their end, or in the background; never through a shell.

Each has a session of its own: Ctrl-C is for the manager, and must not cut off a submission. Each
runs without the secret variables, which batch systems would write down with the job's environment.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from spearmint_int.errors import SchedulerError
from spearmint_int.launcher.environment import public_environment
from spearmint_int.launcher.process import pidfd_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PREFIX = re.compile(r"^(\w+: )?(error: )?")  # of a command's messages: its own name
LONGEST_SECONDS = 60.0  # of a command in the background; one that hangs is ended


@dataclass(frozen=True)
class Answer:
    """What a command printed, and its exit status."""

    status: int
    printed: str
    errors: str = ""

    @property
    def complaint(self) -> str:
        """Why the command failed, in one line, from the last ones that it printed."""
        lines = [
            PREFIX.sub("", line.strip()) for line in (self.errors or self.printed).splitlines()
        ]
        return "; ".join([line for line in lines if line][-2:]) or f"exit status {self.status}"


def run_command(
    words: Sequence[str], *, given: str = "", seconds: float, directory: Path | None = None
) -> Answer:
    """Run a command to its end; SchedulerError when it can't be started or takes longer."""
    try:
        done = subprocess.run(
            list(words),
            input=given.encode(),
            capture_output=True,
            timeout=seconds,
            check=False,
            env=public_environment(),
            cwd=directory,
            start_new_session=True,
        )
    except OSError as error:
        raise SchedulerError(f"{words[0]} can't be started: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise SchedulerError(f"{words[0]} has not answered in {seconds:g} s") from None
    return Answer(done.returncode, _text(done.stdout), _text(done.stderr))


class RunningCommand:
    """A command that runs in the background; `answer` is None until it has ended."""

    def __init__(self, words: Sequence[str], *, directory: Path | None = None) -> None:
        self._name = words[0]
        self._until = time.monotonic() + LONGEST_SECONDS
        self._answer: Answer | None = None
        self.wakeup: int | None = None  # readable when it has ended; None: look
        self._files = ExitStack()
        try:
            self._printed = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
            self._errors = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
            self._process = self._started(words, directory)
        except OSError as error:
            self._files.close()
            raise SchedulerError(f"{words[0]} can't be started: {error.strerror}") from None
        self.wakeup = pidfd_of(self._process.pid)
        if self.wakeup is not None:
            self._files.callback(os.close, self.wakeup)

    def _started(self, words: Sequence[str], directory: Path | None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=self._printed,
            stderr=self._errors,
            env=public_environment(),
            cwd=directory,
            start_new_session=True,
        )

    def answer(self) -> Answer | None:
        """The answer, once the command has ended; one that hangs is ended, and its answer says
        so."""
        if self._answer is None and self._process.poll() is not None:
            self._take(_read(self._errors))
        elif self._answer is None and time.monotonic() > self._until:
            self.kill()
        return self._answer

    def wait(self, seconds: float) -> None:
        """Wait for the command's end; it is ended when it takes longer."""
        if self._answer is None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        if self.answer() is None:
            self.kill()

    def kill(self) -> None:
        """End the command; its answer says that it had none."""
        if self._answer is None:
            self._process.kill()
            self._process.wait()
            self._take(f"{self._name} has not answered in {LONGEST_SECONDS:g} s")

    def _take(self, errors: str) -> None:
        self._answer = Answer(self._process.returncode, _read(self._printed), errors)
        self._files.close()
        self.wakeup = None


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return _text(file.read())


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
