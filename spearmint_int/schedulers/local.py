"""Scheduler `local`: workers are processes of this machine, forked by a server process."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

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

    From the id `boot:job:token` follows the output file that the worker locks; whether it is locked
    every process of the machine can see.
    """

    has_queue = False
    trouble = None

    def __init__(self, directory: Path, resource: Resource | None = None) -> None:  # noqa: ARG002
        self._directory = directory
        self._log = directory / "output" / "workers.log"
        self._workers: dict[str, LifePipe] = {}
        self._server: ForkServer | None = ForkServer(self._log)

    def submit(self, order: Order) -> str:
        proc_id = f"{boot_id()}:{order.claim.job_id}:{order.token}"
        try:
            self._workers[proc_id] = self._started(order)
        except OSError as error:
            raise SchedulerError(f"no worker could be started: {error}") from None
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

    def _started(self, order: Order) -> LifePipe:
        read_fd, write_fd = os.pipe()
        try:
            self._send(order, write_fd)
        except BaseException:
            os.close(read_fd)
            raise
        finally:
            os.close(write_fd)
        return LifePipe(read_fd, mark=order.launch.mark)

    def _state(self, proc_id: str) -> WorkerState:
        pipe = self._workers.get(proc_id)
        if pipe is None:
            return self._state_of_other(proc_id)
        if pipe.is_open():
            return WorkerState.RUNNING
        self._workers.pop(proc_id).bury()
        return WorkerState.GONE if pipe.has_begun else WorkerState.REFUSED

    def _state_of_other(self, proc_id: str) -> WorkerState:
        """The state of a worker that another manager has started, or that was gone before."""
        boot, job_id = (*proc_id.split(":"), "")[:2]
        if not boot or boot != boot_id() or not job_id.isdigit():
            return WorkerState.UNKNOWN
        alive = worker_is_alive(self._directory, int(job_id))
        return WorkerState.RUNNING if alive else WorkerState.GONE

    def _send(self, order: Order, write_fd: int) -> None:
        """Send the order to the server, or to a new one where the last was killed: workers live on
        without it."""
        if self._server is not None:
            with contextlib.suppress(ConnectionError):
                self._send_once(self._server, order, write_fd)
                return
        self._server = ForkServer(self._log)
        self._send_once(self._server, order, write_fd)

    def _send_once(self, server: ForkServer, order: Order, write_fd: int) -> None:
        try:
            send_order(server.channel, order, write_fd)
        except BaseException:  # half of an order may be on its way
            self._stop_server()
            raise

    def _stop_server(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.stop()


class ForkServer:
    """The process that forks the workers, and our end of the socket to it."""

    def __init__(self, log_path: Path) -> None:
        with _opened(log_path) as log:
            try:
                self.channel, theirs = socket.socketpair()
                with theirs:
                    self.process = self._started(theirs.fileno(), log)
            except OSError as error:
                raise SchedulerError(f"no worker could be started: {error}") from None

    def _started(self, fd: int, log: BinaryIO) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [sys.executable, str(Path(worker.__file__)), "serve", str(fd)],
                pass_fds=[fd],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        except BaseException:
            self.channel.close()
            raise

    def stop(self) -> None:
        """Close the socket, at which the server ends."""
        self.channel.close()
        try:
            self.process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _opened(log_path: Path) -> BinaryIO:
    try:
        log_path.parent.mkdir(parents=True, exist_ok=True)
        return log_path.open("ab")
    except OSError as error:
        raise SchedulerError(
            f"{log_path.parent} can't be written, for the jobs' output: {error.strerror}"
        ) from None
