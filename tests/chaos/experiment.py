"""A small experiment whose objective keeps its own log, as a witness beside the job store."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spearmint_int.config import load_config
from spearmint_int.jobs import Job
from spearmint_int.stores import open_store

BUDGET = 8

# Real suggestions, but cheap ones: what is tried here is the jobs' safety.
CONFIG: dict[str, Any] = {
    "main-file": "objective.py",
    "likelihood": "NOISELESS",
    "max-finished-jobs": BUDGET,
    "max-concurrent": 2,
    "polling-time": 1,
    "seed": 1,
    "mcmc_iters": 2,
    "burnin": 5,
    "grid_size": 200,
    "variables": {
        "x": {"type": "INT", "min": 0, "max": 50},
        "y": {"type": "FLOAT", "min": -1, "max": 1},
    },
}

OBJECTIVE = '''
import json, os, time

def tell(**entry):
    """One write to a file opened for appending: whole lines, whoever else writes."""
    line = json.dumps(entry) + "\\n"
    log = os.open("calls.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(log, line.encode())
    os.close(log)

def main(job_id, params):
    x, y = int(params["x"][0]), float(params["y"][0])
    tell(job_id=job_id, x=x, y=y, pid=os.getpid(), parent=os.getppid(), at="begin")
    time.sleep(0.2)
    tell(job_id=job_id, x=x, y=y, pid=os.getpid(), parent=os.getppid(), at="end")
    return (x - 17) ** 2 / 100 + y**2
'''


def true_value(params: dict[str, Any]) -> float:
    """What the objective answers, computed here."""
    return float((params["x"] - 17) ** 2 / 100 + params["y"] ** 2)


@dataclass(frozen=True)
class Call:
    """A line of the objective's log."""

    job_id: int
    x: int
    y: float
    pid: int
    parent: int
    at: str  # begin | end | beside: another call of the job is running


@dataclass(frozen=True)
class ChaosExperiment:
    """The folder, and what can be seen of its run from outside."""

    folder: Path

    @staticmethod
    def make(
        folder: Path, *, address: str | None, objective: str = OBJECTIVE, **settings: Any
    ) -> ChaosExperiment:
        folder.mkdir(parents=True, exist_ok=True)
        database = {} if address is None else {"database": {"address": address, "name": "chaos"}}
        config = {**CONFIG, "experiment-name": f"{folder.parent.name}-{folder.name}"}
        config |= database | settings
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "objective.py").write_text(objective)
        return ChaosExperiment(folder)

    @property
    def events(self) -> Path:
        """What the managers print; beside the folder, whose disk may be full."""
        return self.folder.with_name(f"{self.folder.name}-events.log")

    def start_manager(self) -> subprocess.Popen[bytes]:
        """A manager whose events go to a file; more of them append to it."""
        with self.events.open("ab") as events:
            return subprocess.Popen(
                [sys.executable, "-m", "spearmint_int", "run", str(self.folder), "--json"],
                stdout=events,
                stderr=events,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            )

    def calls(self) -> list[Call]:
        """What the objective has told so far."""
        log = self.folder / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        calls = []
        for line in lines:
            with contextlib.suppress(ValueError):  # half a line, written to a full disk
                calls.append(Call(**json.loads(line)))
        return calls

    def told_results(self) -> dict[int, float]:
        """The results that managers have told of: from then on they must never be lost."""
        told = {}
        for event in self._events():
            job = event.get("job", {})
            if event["event"] == "job-ended" and job["status"] == "complete":
                told[int(job["id"])] = float(job["values"]["main"])
        return told

    def jobs(self) -> list[Job]:
        """All jobs in the store."""
        store = open_store(load_config(self.folder), create=False)
        try:
            return store.jobs()
        finally:
            store.close()

    def last_words(self) -> str:
        """The end of what the managers printed, for the report of a violation."""
        return self.events.read_text(errors="replace")[-2_000:]

    def _events(self) -> Iterator[dict[str, Any]]:
        for line in self.events.read_text(errors="replace").splitlines():
            # Others are cut off by the kill, or messages on stderr.
            if line.startswith('{"event"') and line.endswith("}"):
                yield json.loads(line)
