"""A pipe to oneself: from a signal handler or another thread to whoever waits on files."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


# Signals that a batch system sends, where it is asked to warn, before it kills or suspends.
QUEUE_SIGNALS = (signal.SIGUSR1, signal.SIGUSR2)
LONGEST_SELECT_SECONDS = 86_400.0  # the kernel counts milliseconds in 32 bits


class Wakeup:
    """A flag with a file that is readable while it is set."""

    def __init__(self) -> None:
        self._read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._read_fd, False)
        os.set_blocking(self._write_fd, False)
        self._is_set = False
        # Closed no sooner than that: a late signal must not write into a file of the same number.
        weakref.finalize(self, _close, self._read_fd, self._write_fd)

    def set(self) -> None:
        """Set the flag; safe in a signal handler and from any thread."""
        self._is_set = True
        with contextlib.suppress(BlockingIOError):  # full: it is readable anyway
            os.write(self._write_fd, b"!")

    def is_set(self) -> bool:
        return self._is_set

    def fileno(self) -> int:
        return self._read_fd

    def wait(self, files: Sequence[int], timeout: float) -> None:
        """Wait until the flag is set, one of the files is readable, or the time is over; then clear
        the flag."""
        with selectors.DefaultSelector() as selector:
            for file in (self._read_fd, *files):
                selector.register(file, selectors.EVENT_READ)
            selector.select(min(max(timeout, 0.0), LONGEST_SELECT_SECONDS))
        self._is_set = False
        with contextlib.suppress(BlockingIOError):
            os.read(self._read_fd, 4096)


def set_by_signals(*more: signal.Signals) -> Wakeup:
    """A wakeup that SIGTERM and SIGINT (and more) set, in place of what they did before."""
    wakeup = Wakeup()
    for number in (signal.SIGTERM, signal.SIGINT, *more):
        signal.signal(number, lambda *_: wakeup.set())
    return wakeup


def _close(*files: int) -> None:
    for file in files:
        os.close(file)
