"""A process that starts workers by forking: Python and the store's client are loaded once.

The manager itself has threads (BLAS, pymongo), so that it can't fork safely; this process has none.
It reads orders from a socket, each with the file that the new worker holds open while it lives, and
ends when the manager closes the socket or dies. The workers live on.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import struct
import sys
import tempfile
import traceback
from functools import cache, partial
from typing import TYPE_CHECKING, NoReturn

from spearmint_int.launcher.cgroup import mount_point
from spearmint_int.launcher.order import Order
from spearmint_int.launcher.process import (
    adopt_orphans,
    end_children,
    end_marked,
    kernel_oom_kills,
    signal_group,
)
from spearmint_int.launcher.supervisor import supervise
from spearmint_int.launcher.wakeup import Wakeup, set_by_signals
from spearmint_int.stores import load_client

if TYPE_CHECKING:
    from spearmint_int.stores import StoreAddress

DONE = b"done"
HEADER = struct.Struct("!Q")  # the length of the order that follows


class LifePipe:
    """The manager's end of the pipe that a worker holds open while it lives.

    The worker writes words to it: its process id, as soon as a signal would make it hand the job
    back; the objective's process group; and DONE.
    """

    def __init__(self, fd: int, *, mark: str) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self._mark = mark
        self._words = b""
        self._is_cancelled = False

    @property
    def has_begun(self) -> bool:
        """Whether a worker has started, as far as `is_open` has read."""
        return bool(self._words)

    def is_open(self) -> bool:
        """Read what the worker has written; False when the worker is gone, however it ended."""
        try:
            data = os.read(self.fd, 64)
        except BlockingIOError:
            return True
        self._words += data
        if data and self._is_cancelled:
            self._terminate()
        return bool(data)

    def cancel(self) -> None:
        """Ask the worker to hand its job back, as soon as it can receive a signal."""
        self._is_cancelled = True
        if self.is_open():
            self._terminate()

    def close(self) -> None:
        """Close our end; the worker runs on."""
        os.close(self.fd)

    def bury(self) -> None:
        """End the objective that a killed worker has left, so that it does not run beside the next
        attempt."""
        self.close()
        words = self._words.split(b" ")
        if len(words) > 2 and words[-1] != DONE:
            signal_group(int(words[1]), signal.SIGKILL)
            end_marked(self._mark)

    def _terminate(self) -> None:
        """Send SIGTERM to the worker: while the pipe is open, the process id is still its own."""
        pid, space, _ = self._words.partition(b" ")
        if space:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGTERM)


def send_order(channel: socket.socket, order: Order, life_fd: int) -> None:
    """Send an order to the server, with the worker's end of the pipe."""
    text = order.to_json().encode()
    socket.send_fds(channel, [HEADER.pack(len(text))], [life_fd])
    channel.sendall(text)


def serve(channel: socket.socket) -> None:
    """Fork a worker for each order, until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the manager's business
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the workers
    while (received := _receive(channel)) is not None:
        order, life_fd = received
        _prepare(order.store)
        if _is_forked(order.claim.job_id):
            channel.close()
            _work(order, life_fd)
        os.close(life_fd)


def _is_forked(job_id: int) -> bool:
    """Fork; True in the child. Where the system refuses, the manager sees its pipe closed."""
    try:
        return os.fork() == 0
    except OSError as error:
        sys.stderr.write(f"no worker could be forked for job {job_id}: {error}\n")
        sys.stderr.flush()
        return False


@cache
def _prepare(place: StoreAddress) -> None:
    """Do once what every worker would have to do: late imports, codecs, searched paths.

    A fault here (a full disk, no files left) is ignored: the worker will have it too, and reports
    it.
    """
    client = partial(load_client, place)
    for step in (client, kernel_oom_kills, mount_point, tempfile.gettempdir, Wakeup):
        with contextlib.suppress(Exception):
            step()
    gc.freeze()  # or a worker's first collection copies every page that it shares with us


def _receive(channel: socket.socket) -> tuple[Order, int] | None:
    try:
        header, fds, _, _ = socket.recv_fds(channel, HEADER.size, 1)
        if len(header) < HEADER.size or not fds:
            return None
        text = _read_exactly(channel, HEADER.unpack(header)[0])
    except ConnectionError:
        return None
    return None if text is None else (Order.from_json(text.decode()), fds[0])


def _read_exactly(channel: socket.socket, length: int) -> bytes | None:
    data = bytearray()
    while len(data) < length:
        part = channel.recv(length - len(data))
        if not part:
            return None
        data += part
    return bytes(data)


def _work(order: Order, life_fd: int) -> NoReturn:
    """Run the forked worker, in its own session, so that it survives the manager's terminal."""
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        adopt_orphans()
        interrupt = set_by_signals()
        _send_words(life_fd, b"%d " % os.getpid())  # from now on a signal hands the job back
        supervise(order, interrupt, announce=lambda group: _send_words(life_fd, b"%d " % group))
        end_children()
        _send_words(life_fd, DONE)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _send_words(life_fd: int, words: bytes) -> None:
    """Write to the manager, if there still is one: the job does not depend on it."""
    with contextlib.suppress(BrokenPipeError):
        os.write(life_fd, words)
