"""A storm: one experiment under several managers, hurt again and again until it is through.

Faults come at random from a seed: processes of every kind are killed or stopped, for longer than a
lease too; the database is killed or paused, SQLite's log is deleted; the disk fills up; clocks are
set; the objective's file is away; managers live in PID namespaces of their own under one hostname.
In the end everything that was ever confirmed must be there, once.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spearmint_int.errors import StoreError
from spearmint_int.jobs import FailureKind, Job
from spearmint_int.launcher.process import MARK_VARIABLE
from spearmint_int.stores import SQLITE_FILE
from tests.chaos.experiment import ChaosExperiment
from tests.chaos.invariants import violations
from tests.mongo_server import MongoServerProcess

LEASE = 3.0
PACE = 0.6  # seconds between faults, in the mean
END_SECONDS = 240.0  # for the run to end when the storm is over
DISK_BYTES = 24_000_000

SETTINGS: dict[str, Any] = {
    "chooser": "random_chooser",
    "max-attempts": 60,
    "polling-time": 0.5,
    "lease-time": LEASE,
    "heartbeat-time": 1,
}
# Managers read how far their clock is off from a file, whenever they ask for the time.
CLOCK_SHIM = """
import os, time
_right = time.time
def _wrong():
    try:
        with open(os.environ["CHAOS_CLOCK"]) as file:
            return _right() + float(file.read() or 0)
    except (OSError, ValueError, KeyError):
        return _right()
time.time = _wrong
"""
# Whoever holds the lock runs the job; the kernel drops it with the process.
OBJECTIVE = """
import fcntl, json, os, random, time

def tell(**entry):
    line = "\\n" + json.dumps(entry) + "\\n"  # a full disk may have left half a line before
    log = os.open("calls.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    if os.write(log, line.encode()) < len(line):
        raise OSError("the disk is full")
    os.close(log)

def main(job_id, params):
    x, y = int(params["x"][0]), float(params["y"][0])
    me = dict(job_id=job_id, x=x, y=y, pid=os.getpid(), parent=os.getppid())
    lock = os.open(f"{job_id}.lock", os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        tell(**me, at="beside")
    tell(**me, at="begin")
    time.sleep(random.uniform(0.2, 1.5))
    tell(**me, at="end")
    return (x - 17) ** 2 / 100 + y**2
"""


@dataclass
class Storm:
    """The experiment, its managers, and what can be done to them."""

    experiment: ChaosExperiment
    managers: int
    rng: random.Random
    server: MongoServerProcess | None = None
    containers: bool = False
    has_disk: bool = False
    faults: dict[str, int] = field(default_factory=dict)
    _running: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    _undo: list[tuple[float, Callable[[], object]]] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.experiment.folder

    def rage(self, faults: int) -> None:
        """So many faults, or until the run is through."""
        while sum(self.faults.values()) < faults and not self._is_through():
            self._keep_managers()
            time.sleep(self.rng.uniform(0.0, 2 * PACE))
            self._undo_what_is_over()
            name = self.rng.choice(sorted(self._kinds()))
            if self._kinds()[name]():
                self.faults[name] = self.faults.get(name, 0) + 1

    def calm(self) -> str | None:
        """Undo everything and wait for the end; what went wrong with that."""
        self._undo_what_is_over(at_once=True)
        until = time.monotonic() + END_SECONDS
        while not self._is_through():
            self._keep_managers()
            if time.monotonic() > until:
                return f"the run did not end: {self.experiment.last_words()}"
            time.sleep(0.2)
        for manager in self._running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                manager.wait(30)
            manager.kill()
            manager.wait()
        return None

    # --- managers ---

    def _keep_managers(self) -> None:
        """As many as there should be; those that ended for a fault are followed by others."""
        self._follow_the_remedy()
        for number in range(self.managers):
            manager = self._running.get(number)
            if manager is None or manager.poll() is not None:
                self._running[number] = self._start(number)

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        shim = self.folder.parent / f"{self.folder.name}-shim"
        shim.mkdir(exist_ok=True)
        (shim / "sitecustomize.py").write_text(CLOCK_SHIM)
        environment = os.environ | {
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(shim), os.environ.get("PYTHONPATH")])),
            "CHAOS_CLOCK": str(self._clock(number)),
        }
        prefix = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
        words = [sys.executable, "-m", "spearmint_int", "run", str(self.folder), "--json"]
        with self.experiment.events.open("ab") as events:
            return subprocess.Popen(
                [*(prefix if self.containers else []), *words],
                stdout=events,
                stderr=events,
                env=environment,
            )

    def _clock(self, number: int) -> Path:
        return self.folder.parent / f"{self.folder.name}-clock-{number}"

    def _is_through(self) -> bool:
        return any(manager.poll() == 0 for manager in self._running.values())

    # --- faults ---

    def _kinds(self) -> dict[str, Callable[[], bool]]:
        kinds: dict[str, Callable[[], bool]] = {
            "manager killed": lambda: self._signal(self._a_manager(), signal.SIGKILL),
            "manager stopped": lambda: self._stop(self._a_manager(), 2 * LEASE),
            "worker killed": lambda: self._signal(self._of_a_job("parent"), signal.SIGKILL),
            "worker stopped": lambda: self._stop(self._of_a_job("parent"), 3 * LEASE),
            "objective killed": lambda: self._signal(self._of_a_job("pid"), signal.SIGKILL),
            "objective stopped": lambda: self._stop(self._of_a_job("pid"), LEASE),
            "fork server killed": lambda: self._signal(self._a_fork_server(), signal.SIGKILL),
            "clock set": self._set_clock,
            "objective's file away": self._hide_objective,
        }
        if self.server is not None:
            kinds["database killed"] = self._kill_server
            kinds["database paused"] = lambda: self._stop(self._server_pid(), LEASE)
        else:
            kinds["-wal removed"] = self._remove_log
        if self.has_disk:
            kinds["disk full"] = self._fill_disk
        return kinds

    def _signal(self, pid: int | None, number: signal.Signals) -> bool:
        if pid is None:
            return False
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return False
        return True

    def _stop(self, pid: int | None, longest: float) -> bool:
        if not self._signal(pid, signal.SIGSTOP):
            return False
        self._later(longest, lambda: self._signal(pid, signal.SIGCONT))
        return True

    def _a_manager(self) -> int | None:
        pids = [manager.pid for manager in self._running.values() if manager.poll() is None]
        return self.rng.choice(pids) if pids else None

    def _of_a_job(self, which: str) -> int | None:
        """A process of a job that runs; in a namespace its number means another one here."""
        if self.containers:
            return None
        calls = self.experiment.calls()
        ended = {call.pid for call in calls if call.at == "end"}
        pids = [
            getattr(call, which)
            for call in calls
            if call.pid not in ended and Path(f"/proc/{call.pid}").exists()
        ]
        return self.rng.choice(pids) if pids else None

    def _a_fork_server(self) -> int | None:
        parents = {manager.pid for manager in self._running.values()}
        servers = [pid for pid, parent in _parents().items() if parent in parents]
        return self.rng.choice(servers) if servers else None

    def _set_clock(self) -> bool:
        number = self.rng.randrange(self.managers)
        self._clock(number).write_text(str(self.rng.uniform(-300, 300)))
        return True

    def _hide_objective(self) -> bool:
        here, away = self.folder / "objective.py", self.folder / "away.py"
        if not here.exists():
            return False
        here.rename(away)
        self._later(2.0, lambda: away.rename(here))
        return True

    def _kill_server(self) -> bool:
        assert self.server is not None
        self.server.kill()
        time.sleep(self.rng.uniform(0.0, 2.0))
        self.server.start()
        return True

    def _server_pid(self) -> int | None:
        assert self.server is not None
        return self.server.pid

    def _fill_disk(self) -> bool:
        filler = self.folder / "filler"
        if filler.exists() or self._is_log_missing():
            return False
        fill(self.folder)
        self._later(2.0, lambda: filler.unlink(missing_ok=True))
        return True

    def _remove_log(self) -> bool:
        """Where the main file does not need it to be sound: a full disk, or a kill in the midst,
        may have let only half of the log go over. Nothing can be promised then."""
        if not is_sound(self._database()):
            return False
        try:
            self._database("-wal").unlink()
        except FileNotFoundError:
            return False
        return True

    def _follow_the_remedy(self) -> None:
        """What the sentence on a missing -wal says, when processes were killed that held it."""
        if self._is_log_missing() and not _users(self._database()):
            self._database("-shm").unlink(missing_ok=True)

    def _is_log_missing(self) -> bool:
        return self._database("-shm").exists() and not self._database("-wal").exists()

    def _database(self, suffix: str = "") -> Path:
        return self.folder / f"{SQLITE_FILE}{suffix}"

    def _later(self, longest: float, undo: Callable[[], object]) -> None:
        self._undo.append((time.monotonic() + self.rng.uniform(0.0, longest), undo))

    def _undo_what_is_over(self, *, at_once: bool = False) -> None:
        now = time.monotonic()
        over = [one for one in self._undo if at_once or one[0] <= now]
        self._undo = [one for one in self._undo if one not in over]
        for _, undo in over:
            undo()


@dataclass(frozen=True)
class StormReport:
    """What a storm came to."""

    faults: dict[str, int]
    jobs: int
    ran_again: int
    beside: int  # calls that ran beside another one of the same job
    violations: tuple[str, ...]
    seconds: float


def run_storm(
    folder: Path,
    *,
    managers: int,
    faults: int,
    seed: str,
    server: MongoServerProcess | None = None,
    containers: bool = False,
) -> StormReport:
    """One experiment from its beginning to its end, with so many faults in between."""
    begin = time.monotonic()
    rng = random.Random(seed)
    with disk(folder) as has_disk:
        address = None if server is None else server.uri
        budget = max(faults, 6)
        settings = SETTINGS | {"max-finished-jobs": budget}
        experiment = ChaosExperiment.make(folder, address=address, objective=OBJECTIVE, **settings)
        storm = Storm(experiment, managers, rng, server, containers, has_disk)
        storm.rage(faults)
        fault = storm.calm()
        found = [fault] if fault else _violations(experiment, budget)
        jobs, calls = [] if fault else experiment.jobs(), experiment.calls()
    begun = [call.job_id for call in calls if call.at == "begin"]
    return StormReport(
        storm.faults,
        len(jobs),
        len(begun) - len(set(begun)),
        sum(call.at == "beside" for call in calls),
        tuple(found),
        time.monotonic() - begin,
    )


def _violations(experiment: ChaosExperiment, budget: int) -> list[str]:
    try:
        jobs = experiment.jobs()
    except StoreError as error:
        return [str(error)]
    calls = [call for call in experiment.calls() if call.at != "beside"]
    found = violations(jobs, calls, experiment.told_results(), budget=budget)
    return [*found, *_doubled(experiment, jobs), *_left(experiment.folder)]


def _doubled(experiment: ChaosExperiment, jobs: list[Job]) -> list[str]:
    """Jobs that ran twice at once, though no lease was lost."""
    lost = {
        job.id
        for job in jobs
        if any(failure.kind is FailureKind.LOST_WORKER for failure in job.failures)
    }
    beside = {call.job_id for call in experiment.calls() if call.at == "beside"}
    return [f"job {job_id} ran twice at once" for job_id in sorted(beside - lost)]


def _left(folder: Path) -> list[str]:
    """Processes of jobs that outlived the run."""
    time.sleep(1.0)
    mark = f"{MARK_VARIABLE}=".encode()
    found = []
    for pid in _parents():
        with contextlib.suppress(OSError):
            environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            marks = [value for value in environment if value.startswith(mark)]
            if any(value.endswith(f"@{folder.resolve()}".encode()) for value in marks):
                found.append(f"process {pid} of a job is left")
    return found


def is_sound(path: Path) -> bool:
    """Whether the file can be read without its log."""
    try:
        uri = f"{path.resolve().as_uri()}?immutable=1"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as alone:
            return bool(alone.execute("PRAGMA integrity_check").fetchone()[0] == "ok")
    except (sqlite3.Error, OSError):
        return False


def _users(path: Path) -> list[int]:
    """The processes that have the file open."""
    files = (fd for pid in _parents() for fd in Path(f"/proc/{pid}/fd").glob("*"))
    found = []
    for file in files:
        with contextlib.suppress(OSError):
            if file.readlink() == path.resolve():
                found.append(int(file.parts[2]))
    return found


def _parents() -> dict[int, int]:
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError):
                stat = Path(f"/proc/{entry}/stat").read_text(errors="replace")
                parents[int(entry)] = int(stat.rpartition(")")[2].split()[1])
    return parents


@contextmanager
def disk(folder: Path, *options: str) -> Iterator[bool]:
    """A small disk of its own for the folder, where one may be mounted; whether there is."""
    folder.mkdir(parents=True)
    kind = ",".join([f"size={DISK_BYTES}", *options])
    words = ["mount", "-t", "tmpfs", "-o", kind, "tmpfs", str(folder)]
    mounted = (
        shutil.which("mount") is not None
        and subprocess.run(words, capture_output=True, check=False).returncode == 0
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=False)


def fill(folder: Path) -> None:
    """Leave no room on the folder's disk; the file is called `filler`."""
    with contextlib.suppress(OSError), (folder / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"\0" * 4096)


def can_unshare() -> bool:
    """Whether this machine lets us make PID namespaces."""
    words = ["unshare", "--pid", "--fork", "--mount-proc", "true"]
    found = shutil.which("unshare") is not None
    return found and subprocess.run(words, capture_output=True, check=False).returncode == 0
