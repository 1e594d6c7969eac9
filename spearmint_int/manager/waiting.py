"""Sleep that ends early: by a worker's exit, another thread, or a signal."""

from __future__ import annotations

import contextlib
import os
import selectors
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Waker:
    """A pipe to oneself; `wake` is safe in signal handlers and from any thread."""

    def __init__(self) -> None:
        self._read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._read_fd, False)
        os.set_blocking(self._write_fd, False)
        # Not sooner: a late signal must not write into a file that took over the number.
        weakref.finalize(self, _close, self._read_fd, self._write_fd)

    def wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # full: it is awake anyway
            os.write(self._write_fd, b"!")

    def wait(self, files: Sequence[int], timeout: float) -> None:
        """Until one of the files is readable, somebody wakes us, or the time is over."""
        with selectors.DefaultSelector() as selector:
            for file in (self._read_fd, *files):
                selector.register(file, selectors.EVENT_READ)
            selector.select(max(timeout, 0.0))
        with contextlib.suppress(BlockingIOError):
            os.read(self._read_fd, 4096)


def _close(*files: int) -> None:
    for file in files:
        os.close(file)
