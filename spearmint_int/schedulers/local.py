"""Scheduler `local`: workers are processes of this machine, forked by a server process."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spearmint_int import worker
from spearmint_int.errors import SchedulerError
from spearmint_int.launcher.forkserver import DONE, send_order
from spearmint_int.launcher.process import signal_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spearmint_int.launcher.launch import Order

CLOSE_SECONDS = 5.0


@dataclass
class _Worker:
    """A running worker: its job, our end of the pipe that it holds, and what came through it."""

    job_id: int
    life_fd: int
    told: bytes = b""
    is_cancelled: bool = False

    @property
    def pid(self) -> int | None:
        """Known from the moment on at which the worker can be cancelled."""
        words = self.told.split(b" ")
        return int(words[0]) if len(words) > 1 else None

    @property
    def abandoned_group(self) -> int | None:
        """The objective's processes, if the worker did not live to see their end."""
        words = self.told.split(b" ")
        return int(words[1]) if len(words) > 2 and words[-1] != DONE else None


class LocalScheduler:
    """A `Scheduler` whose workers' exits are seen at once, by the kernel closing their pipes."""

    def __init__(self, directory: Path) -> None:
        self._log = directory / "output" / "workers.log"
        self._workers: dict[int, _Worker] = {}  # by job
        self._channel, self._server = self._start_server()

    def submit(self, order: Order) -> None:
        read_fd, write_fd = os.pipe()
        try:
            self._send(order, write_fd)
        except OSError as error:
            os.close(read_fd)
            raise SchedulerError(f"no worker could be started: {error}") from None
        finally:
            os.close(write_fd)
        os.set_blocking(read_fd, False)
        self._workers[order.launch.job_id] = _Worker(order.launch.job_id, read_fd)

    def poll(self) -> list[int]:
        gone = [found.job_id for found in self._workers.values() if _has_ended(found)]
        for job_id in gone:
            _bury(self._workers.pop(job_id))
        return gone

    def cancel(self, job_id: int) -> None:
        found = self._workers.get(job_id)
        if found is not None and not _has_ended(found):
            found.is_cancelled = True
            _terminate(found)

    def wakeups(self) -> Sequence[int]:
        return [found.life_fd for found in self._workers.values()]

    def close(self) -> None:
        self._stop_server()
        for found in self._workers.values():
            os.close(found.life_fd)
        self._workers.clear()
        with contextlib.suppress(OSError):
            if self._log.stat().st_size == 0:  # as it should be
                self._log.unlink()

    def _send(self, order: Order, write_fd: int) -> None:
        try:
            send_order(self._channel, order, write_fd)
        except (BrokenPipeError, ConnectionError):  # the server was killed: workers don't need it
            self._stop_server()
            self._channel, self._server = self._start_server()
            send_order(self._channel, order, write_fd)

    def _start_server(self) -> tuple[socket.socket, subprocess.Popen[bytes]]:
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            log_file = self._log.open("ab")
        except OSError as error:
            raise SchedulerError(
                f"{self._log.parent} can't be written, for the jobs' output: {error.strerror}"
            ) from None
        ours, theirs = socket.socketpair()
        with theirs, log_file as log:
            words = [sys.executable, str(Path(worker.__file__)), "serve", str(theirs.fileno())]
            server = subprocess.Popen(
                words,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return ours, server

    def _stop_server(self) -> None:
        self._channel.close()
        try:
            self._server.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()


def _has_ended(found: _Worker) -> bool:
    """Read the pipe, which gives nothing more when the worker's end of it was closed."""
    try:
        data = os.read(found.life_fd, 64)
    except BlockingIOError:
        return False
    if data:
        found.told += data
        if found.is_cancelled:
            _terminate(found)
    return not data


def _terminate(found: _Worker) -> None:
    """Signal a worker whose pipe is open, so that the process id is still its own."""
    if found.pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(found.pid, signal.SIGTERM)


def _bury(found: _Worker) -> None:
    """What a killed worker leaves behind must not run beside the next attempt."""
    os.close(found.life_fd)
    if found.abandoned_group is not None:
        signal_group(found.abandoned_group, signal.SIGKILL)
