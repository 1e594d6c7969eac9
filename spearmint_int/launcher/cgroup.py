"""A job's own control group (Linux, cgroup v2), which no process can leave.

It is made below our own group where that is allowed: as root, in a container that has a group to
itself, in a user's session that systemd has delegated. Elsewhere a job's processes are known only
by session, parents and environment, all of which a process can change.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
import uuid
from functools import cache
from pathlib import Path

END_SECONDS = 5.0  # for the kernel to end everything in a group
PREFIX = "spearmint-int"


class JobGroup:
    """A group that one worker has made for one attempt."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._join = os.open(path / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)

    @classmethod
    def make(cls, mark: str) -> JobGroup | None:
        """A new group for the job; None where that is not possible."""
        own = _own_group()
        if own is None:
            return None
        path = own / f"{_prefix(mark)}{uuid.uuid4().hex[:8]}"
        with contextlib.suppress(OSError):
            path.mkdir()
            if (path / "cgroup.kill").exists():
                return cls(path)
            path.rmdir()
        return None

    def join(self) -> None:
        """Put the calling process into the group, before it becomes anything else."""
        with contextlib.suppress(OSError):
            os.write(self._join, b"0")

    def end(self) -> None:
        """End all processes of the group, and remove it."""
        os.close(self._join)
        _end(self._path)


def end_groups(mark: str) -> None:
    """End the processes that killed workers have left of the job, in any group of this machine."""
    mount = mount_point()
    if mount is not None:
        for path in mount.rglob(f"{_prefix(mark)}*"):
            _end(path)


def _end(path: Path) -> None:
    """End the group at the path; one of another user, or that is gone, is left alone."""
    until = time.monotonic() + END_SECONDS
    with contextlib.suppress(OSError):
        (path / "cgroup.kill").write_text("1")
        while "populated 1" in (path / "cgroup.events").read_text() and time.monotonic() < until:
            time.sleep(0.001)
        path.rmdir()


def _prefix(mark: str) -> str:
    return f"{PREFIX}-{hashlib.sha256(os.fsencode(mark)).hexdigest()[:16]}-"


def _own_group() -> Path | None:
    """The folder of the group that this process is in."""
    mount = mount_point()
    if mount is None:
        return None
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        inner = next(line[3:] for line in lines if line.startswith("0::"))
        path = mount / inner.lstrip("/")
        # Inside of a container the path may lead to another group.
        if str(os.getpid()) in (path / "cgroup.procs").read_text().split():
            return path
    return None


@cache
def mount_point() -> Path | None:
    """The folder of the hierarchy of version 2; None outside of Linux."""
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
        fields = (line.partition(" - ")[::2] for line in lines)
        return next(Path(a.split()[4]) for a, b in fields if b.startswith("cgroup2 "))
    return None
