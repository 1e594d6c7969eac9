"""`output/<8-digit id>.out`: what a job prints, as it prints it, up to a size."""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_OUTPUT = 10_000_000  # bytes of one attempt; an objective that prints for ever fills no disk
KEPT_END = 64_000  # bytes of the end that are written after the cut: errors stand at the end
LOCK_TRIES = 20


class Tail:
    """The last bytes of a stream, in bounded memory."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._bytes = bytearray()
        self.dropped = 0

    def add(self, data: bytes) -> None:
        self._bytes += data
        excess = len(self._bytes) - self._size
        if excess > 0:
            del self._bytes[:excess]
            self.dropped += excess

    def text(self) -> str:
        return bytes(self._bytes).decode("utf-8", errors="replace")

    def __bytes__(self) -> bytes:
        return bytes(self._bytes)


class OutputFile:
    """The file of one attempt, locked while its worker lives.

    The lock is how a manager on the same machine sees that a worker is gone: the kernel drops it
    with the process, however that ended.
    """

    def __init__(self, path: Path, *, append: bool, largest: int = LARGEST_OUTPUT) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._fd = os.open(path, flags, 0o644)
        self._room = largest
        self._end = Tail(KEPT_END)
        # A manager that checks whether a worker lives holds the lock for a moment: try again.
        for _ in range(LOCK_TRIES):
            if take_lock(self._fd):
                break
            time.sleep(0.01)
        if not append:
            os.ftruncate(self._fd, 0)

    def write(self, data: bytes) -> None:
        head, rest = data[: self._room], data[self._room :]
        if head:
            self._room -= len(head)
            self._put(head)
        if rest:
            self._end.add(rest)

    def finish(self) -> None:
        """Write what is left: after a cut, its length and the end of the output."""
        end, dropped = bytes(self._end), self._end.dropped
        self._end = Tail(KEPT_END)
        if end:
            self._put(f"\n[spearmint-int: {dropped} bytes left out here]\n".encode() + end)

    def close(self) -> None:
        """Finish, and release the lock."""
        self.finish()
        os.close(self._fd)

    def _put(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._fd, data) :]
        except OSError:
            self._room = 0  # a full disk costs the rest of the output, not the job


def output_path(directory: Path, job_id: int) -> Path:
    """The file of a job's output, where Spearmint's users look for it."""
    return directory / "output" / f"{job_id:08d}.out"


def worker_is_alive(directory: Path, job_id: int) -> bool:
    """Whether a worker on this machine holds the job's output file."""
    try:
        fd = os.open(output_path(directory, job_id), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not take_lock(fd)
    finally:
        os.close(fd)


def take_lock(fd: int) -> bool:
    """Take the lock if it is free. True also on a file system without locks, which is no reason
    not to run."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
