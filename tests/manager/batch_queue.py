"""A batch system in a folder: it starts workers after a delay, whatever became of the managers.

python batch_queue.py FOLDER DELAY      serve the queue: one file for each worker, named by its id
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spearmint_int import worker
from spearmint_int.launcher.order import Order
from spearmint_int.schedulers import WorkerState

STATES = {".queued": WorkerState.QUEUED, ".running": WorkerState.RUNNING, ".gone": WorkerState.GONE}


class BatchQueue:
    """A `Scheduler` of that system; every manager has its own, and all see the same queue."""

    has_queue = True
    trouble = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def submit(self, order: Order) -> str:
        proc_id = f"{order.claim.job_id}.{order.token}"
        order.save(self._folder / f"{proc_id}.order")
        (self._folder / f"{proc_id}.queued").touch()
        return proc_id

    def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
        return {proc_id: self._state(proc_id) for proc_id in ids}

    def _state(self, proc_id: str) -> WorkerState:
        for _ in range(2):  # the server renames between two looks
            for suffix, state in STATES.items():
                if (self._folder / f"{proc_id}{suffix}").exists():
                    return state
        return WorkerState.UNKNOWN

    def cancel(self, proc_id: str) -> None:
        queued = self._folder / f"{proc_id}.queued"
        with contextlib.suppress(FileNotFoundError):
            queued.rename(queued.with_suffix(".gone"))
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
            os.kill(int((self._folder / f"{proc_id}.running").read_text()), signal.SIGTERM)

    def wakeups(self) -> Sequence[int]:
        return ()

    def close(self) -> None:
        """There is nothing to let go of."""


@contextmanager
def batch_system(folder: Path, delay: float) -> Iterator[None]:
    """The system in a process of its own, which no manager can take along."""
    folder.mkdir(exist_ok=True)
    root = str(Path(__file__).parents[2])
    server = subprocess.Popen(
        [sys.executable, __file__, str(folder), str(delay)], env=os.environ | {"PYTHONPATH": root}
    )
    try:
        yield
    finally:
        server.terminate()
        server.wait()


def serve(folder: Path, delay: float) -> None:
    """Start what has waited long enough, and notice what has ended."""
    running: dict[Path, subprocess.Popen[bytes]] = {}
    while True:
        for queued in folder.glob("*.queued"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - queued.stat().st_mtime >= delay:
                    start(queued, running)
        for path, process in list(running.items()):
            if process.poll() is not None:
                path.rename(path.with_suffix(".gone"))
                del running[path]
        time.sleep(0.05)


def start(queued: Path, running: dict[Path, subprocess.Popen[bytes]]) -> None:
    path = queued.rename(queued.with_suffix(".running"))
    words = [sys.executable, str(Path(worker.__file__)), "run", str(path.with_suffix(".order"))]
    running[path] = subprocess.Popen(words, start_new_session=True)
    path.write_text(str(running[path].pid))


if __name__ == "__main__":
    serve(Path(sys.argv[1]), float(sys.argv[2]))
