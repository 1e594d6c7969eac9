"""A real Slurm on this machine's loopback: munged, slurmctld and slurmd, stopped by their ids."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.mongo_server import dying_with_parent, free_port

START_SECONDS = 60.0
STOP_SECONDS = 20.0  # for jobs to be gone: their processes would outlive the daemons
PROGRAMS = ("sbatch", "squeue", "scancel", "munged", "slurmctld", "slurmd")
SYSTEM_PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"  # where daemons are, also for plain users

CONFIG = """\
ClusterName=spearmint-int-tests
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=1,batch_sched_delay=0
MinJobAge=10
KillWait={kill_wait}
MessageTimeout=10
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs() -> list[str]:
    """What a real Slurm would need and is not installed."""
    return [name for name in PROGRAMS if shutil.which(name, path=SYSTEM_PATH) is None]


class SlurmCluster:
    """One controller and one node with eight processors, whatever the machine has.

    `environment` is what a command needs to talk to it.
    """

    def __init__(self, folder: Path, *, kill_wait: int = 15) -> None:
        self._folder = folder
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        key = folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        self._config = folder / "slurm.conf"
        text = CONFIG.format(
            host=socket.gethostname().partition(".")[0],
            controller=free_port(),
            node=free_port(),
            user=pwd.getpwuid(os.getuid()).pw_name,
            folder=folder,
            kill_wait=kill_wait,
        )
        self._config.write_text(text, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        return {"SLURM_CONF": str(self._config), "PATH": SYSTEM_PATH}

    def start(self) -> None:
        """Start all three, and wait until the node takes jobs."""
        self._start("munged", *self._munge_options())
        self._wait("munged", (self._folder / "munge.socket").exists)
        self.start_controller()
        self._start("slurmd", "-D", "-f", str(self._config))
        self._wait("slurmd", lambda: self.run("sinfo", "-h", "-o", "%t") in ("idle", "mix"))

    def start_controller(self) -> None:
        self._start("slurmctld", "-D", "-f", str(self._config))
        self._wait("slurmctld", lambda: "UP" in self.run("scontrol", "ping"))

    def kill_controller(self) -> None:
        self._kill("slurmctld")

    @property
    def submissions(self) -> int:
        """How many jobs were ever submitted."""
        told = self.run("scontrol", "show", "config")
        return int(told.partition("NEXT_JOB_ID")[2].split()[1]) - 1

    def run(self, *command: str) -> str:
        """What a command of Slurm's prints."""
        done = subprocess.run(
            command, env=os.environ | self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def stop(self) -> None:
        """Cancel what runs, and end the daemons."""
        if "slurmctld" in self._daemons:
            self.run("scancel", "--state=PENDING", "--user", str(os.getuid()))
            self.run("scancel", "--signal=KILL", "--full", "--user", str(os.getuid()))
            give_up = time.monotonic() + STOP_SECONDS
            while self.run("squeue", "--noheader") and time.monotonic() < give_up:
                time.sleep(0.2)
        for name in ("slurmd", "slurmctld", "munged"):
            self._kill(name)

    def _munge_options(self) -> list[str]:
        files = {
            "key-file": "munge.key",
            "socket": "munge.socket",
            "pid-file": "munge.pid",
            "log-file": "munge.log",
            "seed-file": "munge.seed",
        }
        options = [f"--{option}={self._folder / name}" for option, name in files.items()]
        return ["--foreground", "--force", *options]

    def _start(self, name: str, *options: str) -> None:
        program = shutil.which(name, path=SYSTEM_PATH)
        assert program is not None
        with (self._folder / f"{name}.out").open("ab") as log:
            self._daemons[name] = subprocess.Popen(
                dying_with_parent([program, *options]),
                env=os.environ | self.environment,
                stdout=log,
                stderr=log,
            )

    def _wait(self, name: str, is_there: Callable[[], bool]) -> None:
        give_up = time.monotonic() + START_SECONDS
        while not is_there():
            if self._daemons[name].poll() is not None or time.monotonic() > give_up:
                said = (self._folder / f"{name}.out").read_text(errors="replace")
                self.stop()
                raise RuntimeError(f"{name} did not start:\n{said}")
            time.sleep(0.2)

    def _kill(self, name: str) -> None:
        daemon = self._daemons.pop(name, None)
        if daemon is not None:
            daemon.terminate()
            try:
                daemon.wait(20.0)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def __enter__(self) -> SlurmCluster:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
