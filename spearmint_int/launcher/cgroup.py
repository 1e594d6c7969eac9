"""A job's own control group (Linux, cgroup v2): no process gets out of it, whatever it does.

Made below our own group, where we may: as root, in a container that has one to itself, in a user's
session that systemd has delegated. Elsewhere a job's processes are known by session, parents and
environment alone, which a process can leave if it takes the trouble.
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
        """None where there may be none."""
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
        """For the process that is to be in it, before it is anything else."""
        with contextlib.suppress(OSError):
            os.write(self._join, b"0")

    def end(self) -> None:
        """End everything in it, and remove it."""
        os.close(self._join)
        _end(self._path)


def end_groups(mark: str) -> None:
    """End what killed workers have left of the job, wherever on this machine their groups are."""
    mount = mount_point()
    if mount is not None:
        for path in mount.rglob(f"{_prefix(mark)}*"):
            _end(path)


def _end(path: Path) -> None:
    """Nothing happens to a group that is another user's, or gone."""
    until = time.monotonic() + END_SECONDS
    with contextlib.suppress(OSError):
        (path / "cgroup.kill").write_text("1")
        while "populated 1" in (path / "cgroup.events").read_text() and time.monotonic() < until:
            time.sleep(0.001)
        path.rmdir()


def _prefix(mark: str) -> str:
    return f"{PREFIX}-{hashlib.sha256(os.fsencode(mark)).hexdigest()[:16]}-"


def _own_group() -> Path | None:
    """The group that we are in, as a folder."""
    mount = mount_point()
    if mount is None:
        return None
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        inner = next(line[3:] for line in lines if line.startswith("0::"))
        path = mount / inner.lstrip("/")
        # Looked at from inside of a container, the path may be another one's.
        if str(os.getpid()) in (path / "cgroup.procs").read_text().split():
            return path
    return None


@cache
def mount_point() -> Path | None:
    """Where the hierarchy of version 2 is; none outside of Linux."""
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
        fields = (line.partition(" - ")[::2] for line in lines)
        return next(Path(a.split()[4]) for a, b in fields if b.startswith("cgroup2 "))
    return None
