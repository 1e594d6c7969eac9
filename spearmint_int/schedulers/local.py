"""Scheduler `local`: workers are processes of this machine, forked by a server process."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from spearmint_int import worker
from spearmint_int.errors import SchedulerError
from spearmint_int.launcher.forkserver import LifePipe, send_order
from spearmint_int.launcher.output import worker_is_alive
from spearmint_int.schedulers.protocol import WorkerState
from spearmint_int.stores.clock import boot_id

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from spearmint_int.config import Resource
    from spearmint_int.launcher.order import Order

CLOSE_SECONDS = 5.0


class LocalScheduler:
    """A `Scheduler` whose workers' exits are seen at once, by the kernel closing their pipes.

    Its id `boot:job:token` says which output file the worker holds: whether it does, every process
    of the machine can see.
    """

    def __init__(self, directory: Path, resource: Resource | None = None) -> None:  # noqa: ARG002
        self._directory = directory
        self._log = directory / "output" / "workers.log"
        self._workers: dict[str, LifePipe] = {}
        self._channel, self._server = self._start_server()

    def submit(self, order: Order) -> str:
        read_fd, write_fd = os.pipe()
        try:
            self._send(order, write_fd)
        except OSError as error:
            os.close(read_fd)
            raise SchedulerError(f"no worker could be started: {error}") from None
        finally:
            os.close(write_fd)
        proc_id = f"{boot_id()}:{order.claim.job_id}:{order.token}"
        self._workers[proc_id] = LifePipe(read_fd, mark=order.launch.mark)
        return proc_id

    def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
        return {proc_id: self._state(proc_id) for proc_id in ids}

    def cancel(self, proc_id: str) -> None:
        if proc_id in self._workers:
            self._workers[proc_id].cancel()

    def wakeups(self) -> Sequence[int]:
        return [pipe.fd for pipe in self._workers.values()]

    def close(self) -> None:
        self._stop_server()
        for pipe in self._workers.values():
            pipe.close()
        self._workers.clear()
        with contextlib.suppress(OSError):
            if self._log.stat().st_size == 0:  # as it should be
                self._log.unlink()

    def _state(self, proc_id: str) -> WorkerState:
        pipe = self._workers.get(proc_id)
        if pipe is None:
            return self._state_of_other(proc_id)
        if pipe.is_open():
            return WorkerState.RUNNING
        self._workers.pop(proc_id).bury()
        return WorkerState.GONE if pipe.has_begun else WorkerState.REFUSED

    def _state_of_other(self, proc_id: str) -> WorkerState:
        """Of a worker that another manager has started, or that is gone since the last question."""
        boot, job_id = (*proc_id.split(":"), "")[:2]
        if not boot or boot != boot_id() or not job_id.isdigit():
            return WorkerState.UNKNOWN
        alive = worker_is_alive(self._directory, int(job_id))
        return WorkerState.RUNNING if alive else WorkerState.GONE

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
