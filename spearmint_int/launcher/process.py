"""One process, watched to its end: its output, its time limit, and everything that it started.

The process leads its own session, and is in its own control group where that may be, so that it can
be ended together with its children. Where the kernel allows it (Linux), it dies with its worker: a
killed worker leaves no second run behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spearmint_int.launcher.cgroup import JobGroup, end_groups
from spearmint_int.launcher.output import OutputFile, Tail
from spearmint_int.launcher.wakeup import LONGEST_SELECT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spearmint_int.launcher.wakeup import Wakeup

KEPT_STDERR = 8_000  # bytes of the end, for the job's failure
KEPT_STDOUT = 64_000  # bytes of the end; the last line may be a result
GRACE_SECONDS = 5.0  # between SIGTERM and SIGKILL
MOST_READS = 16  # of 64 kB: a pipe holds one; more is a child that goes on printing
DRAIN_SECONDS = 0.5  # for output of children that outlive the process
EXIT_LOOK_SECONDS = 0.05  # between looks where the kernel has no pidfd
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
MARK_VARIABLE = "SPEARMINT_JOB_MARK"


@dataclass(frozen=True)
class Command:
    """What to start: a list of words, never a shell string."""

    words: Sequence[str]
    directory: str
    environment: dict[str, str]
    stdin: int = subprocess.DEVNULL
    pass_fds: tuple[int, ...] = ()


@dataclass(frozen=True)
class ProcessEnd:
    """How a process ended, and the end of what it printed."""

    returncode: int  # negative: the signal that ended it
    seconds: float
    timed_out: bool
    cancelled: bool
    stdout_tail: str  # up to the process's own end: what its children print later is not its
    stdout_is_cut: bool
    stderr_tail: str
    oom_kills: int | None  # by the kernel meanwhile; None where they are not known


class Watch:
    """A running process with its streams, of which only `run` is to be called."""

    def __init__(self, command: Command, output: OutputFile) -> None:
        self._output = output
        self._stdout, self._stderr = Tail(KEPT_STDOUT), Tail(KEPT_STDERR)
        self._ooms = kernel_oom_kills()
        self._begin = time.monotonic()
        self._job_group = JobGroup.make(command.environment.get(MARK_VARIABLE, ""))
        self._process = self._start(command)
        self._selector = selectors.DefaultSelector()
        for stream, tail in (
            (self._process.stdout, self._stdout),
            (self._process.stderr, self._stderr),
        ):
            assert stream is not None
            self._selector.register(stream, selectors.EVENT_READ, tail)
        self._pidfd = pidfd_of(self._process.pid)
        if self._pidfd is not None:
            self._selector.register(self._pidfd, selectors.EVENT_READ)
        self._kill_at: float | None = None
        self._ended = False

    def _start(self, command: Command) -> subprocess.Popen[bytes]:
        try:
            return _start(command, self._job_group)
        except BaseException:
            if self._job_group is not None:
                self._job_group.end()
            raise

    @property
    def group(self) -> int:
        """The process group, which is the session that the process leads."""
        return self._process.pid

    def run(self, *, time_limit: float | None, interrupt: Wakeup) -> ProcessEnd:
        """Watch the process until its end; the time limit or the interrupt ends it early."""
        self._selector.register(interrupt, selectors.EVENT_READ)
        limit_at = None if time_limit is None else self._begin + time_limit
        timed_out = cancelled = False
        while not self._ended:
            self._look(interrupt, self._kill_at or limit_at)
            now = time.monotonic()
            if self._kill_at is not None:
                if now >= self._kill_at:
                    self._signal(signal.SIGKILL)
                    self._kill_at = now + GRACE_SECONDS
            elif interrupt.is_set():
                cancelled = True
                self._terminate()
            elif limit_at is not None and now >= limit_at:
                timed_out = True
                self._terminate()
        self._take_what_is_there(interrupt)
        stdout, is_cut = self._stdout.text(), self._stdout.dropped > 0
        self._drain()
        end = self._end(timed_out=timed_out, cancelled=cancelled)
        return replace(end, stdout_tail=stdout, stdout_is_cut=is_cut)

    def _terminate(self) -> None:
        self._signal(signal.SIGTERM)
        self._kill_at = time.monotonic() + GRACE_SECONDS

    def _signal(self, number: signal.Signals) -> None:
        signal_group(self.group, number)

    def _look(self, interrupt: Wakeup, until: float | None) -> None:
        """Read what was printed, and notice the exit. Returns at `until` at the latest."""
        wait = None if until is None else max(until - time.monotonic(), 0.0)
        wait = None if wait is None else min(wait, LONGEST_SELECT_SECONDS)
        if self._pidfd is None:
            wait = EXIT_LOOK_SECONDS if wait is None else min(wait, EXIT_LOOK_SECONDS)
        for key, _ in self._selector.select(wait):
            if isinstance(key.data, Tail):
                self._move(key.fd, key.fileobj, key.data)
            elif key.fileobj is interrupt:
                self._selector.unregister(interrupt)  # it stays readable
            else:
                self._ended = True
        if self._pidfd is None and self._process.poll() is not None:
            self._ended = True

    def _move(self, fd: int, stream: object, tail: Tail) -> None:
        data = os.read(fd, 65_536)
        if data:
            self._output.write(data)
            tail.add(data)
        else:
            self._selector.unregister(stream)  # type: ignore[arg-type]

    def _take_what_is_there(self, interrupt: Wakeup) -> None:
        """Read what is in the pipes, which is all that was printed before the process's end."""
        for other in (interrupt, self._pidfd):
            if other is not None and other in self._selector.get_map():
                self._selector.unregister(other)
        for _ in range(MOST_READS):
            ready = self._selector.select(0) if self._selector.get_map() else []
            for key, _ in ready:
                self._move(key.fd, key.fileobj, key.data)
            if not ready:
                break

    def _drain(self) -> None:
        """Read what children print a little later; one that keeps the pipes open is not awaited."""
        until = time.monotonic() + DRAIN_SECONDS
        while self._selector.get_map() and time.monotonic() < until:
            for key, _ in self._selector.select(max(until - time.monotonic(), 0.0)):
                self._move(key.fd, key.fileobj, key.data)

    def _end(self, *, timed_out: bool, cancelled: bool) -> ProcessEnd:
        # Before the wait: the zombie keeps the group's number from being given to others.
        self._signal(signal.SIGKILL)
        if self._job_group is not None:
            self._job_group.end()
        returncode = self._process.wait()
        self._close()
        now = kernel_oom_kills()
        return ProcessEnd(
            returncode=returncode,
            seconds=time.monotonic() - self._begin,
            timed_out=timed_out,
            cancelled=cancelled,
            stdout_tail=self._stdout.text(),
            stdout_is_cut=self._stdout.dropped > 0,
            stderr_tail=self._stderr.text(),
            oom_kills=None if now is None or self._ooms is None else now - self._ooms,
        )

    def _close(self) -> None:
        self._selector.close()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()
        if self._pidfd is not None:
            os.close(self._pidfd)


def signal_group(group: int, number: signal.Signals) -> None:
    """Signal a process and all that it started; nothing happens when they are gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def end_marked(mark: str) -> None:
    """End every process of a job, by its control group and its environment, and wait for that.

    This finds also children that have left the job's session and lost their parents.
    """
    end_groups(mark)
    wanted = os.fsencode(f"{MARK_VARIABLE}={mark}")
    until = time.monotonic() + GRACE_SECONDS
    while (left := _marked(wanted)) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def _marked(wanted: bytes) -> list[int]:
    """The processes with this in their environment; none where the system has no /proc."""
    own = os.getpid()
    pids = [int(entry) for entry in _entries("/proc") if entry.isdigit() and int(entry) != own]
    return [pid for pid in pids if wanted in _environment(pid)]


def _environment(pid: int) -> list[bytes]:
    """A process's environment; empty for one that is gone, a zombie, or another user's."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def adopt_orphans() -> None:
    """Become the parent of whatever our children leave behind (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_children() -> None:
    """End every process that we are the parent of; for a worker that has nothing more to do."""
    until = time.monotonic() + GRACE_SECONDS
    while (left := _children()) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


def _children() -> list[int]:
    found: list[int] = []
    for task in _entries("/proc/self/task"):
        with (
            contextlib.suppress(OSError),
            open(f"/proc/self/task/{task}/children", encoding="ascii") as file,
        ):
            found += map(int, file.read().split())
    return found


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def kernel_oom_kills() -> int | None:
    """How many processes the kernel has ended for want of memory since the machine started."""
    try:
        with open("/proc/vmstat", encoding="ascii") as counters:
            return next(
                (int(line.split()[1]) for line in counters if line.startswith("oom_kill ")), None
            )
    except OSError:
        return None


def _start(command: Command, group: JobGroup | None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command.words),
        cwd=command.directory,
        env=command.environment,
        stdin=command.stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        pass_fds=command.pass_fds,
        start_new_session=True,
        preexec_fn=_prepared(os.getpid(), group),  # noqa: PLW1509 (the worker has one thread here)
    )


def _prepared(parent: int, group: JobGroup | None) -> Callable[[], None]:
    """What the child calls between fork and exec: it joins its group, and asks for SIGKILL when its
    parent ends."""
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None

    def prepare() -> None:
        # A run ignores SIGHUP, and so do its workers; an objective may send it to its own children.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        if libc is None:
            return
        if group is not None:
            group.join()
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was gone before we asked
            os._exit(1)

    return prepare


def pidfd_of(pid: int) -> int | None:
    """A file that is readable when the process has ended; None where the kernel has no pidfd."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
