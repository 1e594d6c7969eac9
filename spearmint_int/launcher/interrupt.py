"""A request to end the running objective, from a signal, another thread or the manager."""

from __future__ import annotations

import os
import signal


class Interrupt:
    """A flag with a file that becomes readable when it is set."""

    def __init__(self) -> None:
        self._read_fd, self._write_fd = os.pipe()
        self._is_set = False

    def set(self) -> None:
        """Safe in a signal handler and from any thread."""
        self._is_set = True
        os.write(self._write_fd, b"!")

    def is_set(self) -> bool:
        return self._is_set

    def fileno(self) -> int:
        return self._read_fd

    def close(self) -> None:
        os.close(self._read_fd)
        os.close(self._write_fd)


def interrupted_by_signals() -> Interrupt:
    """An interrupt that SIGTERM and SIGINT set, in place of what they did before."""
    interrupt = Interrupt()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: interrupt.set())
    return interrupt
