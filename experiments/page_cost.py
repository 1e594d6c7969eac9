"""What the live page costs a run: suggestions per second with and without it.

    python -m experiments.page_cost

One real run goes on while a page is looked at and left alone in turns (A B B A: what changes
slowly, such as the number of results, falls out of the ratio). The page is looked at as the two
tabs of a browser do: once a second for the jobs, and for a figure of the model.

Where others need the processor too, a second is worth more or less by chance. The seconds of the
processor that a suggestion takes, and those that the page takes, depend on them far less. The page
is looked at without a break for the latter: after one, a figure would be drawn at once.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spearmint_int.arrays import FloatArray
from spearmint_int.config import load_config
from spearmint_int.stores import open_store

CYCLES, BLOCK_SECONDS = 8, 6.0
LOOK_SECONDS, WARM_UP_SECONDS, LONG_LOOK_SECONDS = 1.0, 20.0, 180.0
TURNS = (False, True, True, False)
LONGEST = "20m"  # of the run, should nobody be left to end it
FIGURE = "variables"
CONFIG: dict[str, Any] = {
    "experiment-name": "watched",
    "main-file": "objective",
    "max-finished-jobs": 100_000,
    "variables": {
        "x": {"type": "FLOAT", "min": -1, "max": 1},
        "y": {"type": "FLOAT", "min": -1, "max": 1},
        "k": {"type": "INT", "min": 0, "max": 9},
        "n": {"type": "INT", "min": 0, "max": 9},
    },
}
OBJECTIVE = """
import random
def main(job_id, params):
    x, y, k, n = (float(params[name][0]) for name in "xykn")
    noise = random.Random(job_id).gauss(0, 0.05)
    return (x - 0.3) ** 2 + (y + 0.2) ** 2 + 0.02 * (k - 4) ** 2 + 0.02 * (n - 6) ** 2 + noise
"""


@dataclass(frozen=True)
class Part:
    """What happened in the blocks of one cycle in which somebody looked, or nobody did."""

    seconds: float
    jobs: float
    run: float  # seconds of the processor, with its jobs
    page: float

    @property
    def rate(self) -> float:
        return self.jobs / self.seconds

    @property
    def page_share(self) -> float:
        return self.page / self.seconds


@dataclass(frozen=True)
class Cost:
    """The cycles' blocks, those without and those with somebody looking; then one long look."""

    alone: tuple[Part, ...]
    watched: tuple[Part, ...]
    long_look: Part

    def rates(self) -> tuple[float, float]:
        """Suggestions per second with the page over those without it, with its standard error."""
        pairs = zip(self.alone, self.watched, strict=True)
        return _mean_ratio([watched.rate / alone.rate for alone, watched in pairs])

    def efforts(self) -> tuple[float, float]:
        """The run's own seconds of the processor for a suggestion, with over without."""
        pairs = zip(self.alone, self.watched, strict=True)
        return _mean_ratio([(w.run / w.jobs) / (a.run / a.jobs) for a, w in pairs])

    @property
    def page_share(self) -> float:
        """Of one core, while somebody looks."""
        return self.long_look.page_share


def _mean_ratio(ratios: list[float]) -> tuple[float, float]:
    """The geometric mean over the cycles, and its standard error by their spread."""
    logs = np.log(ratios)
    mean = float(np.exp(np.mean(logs)))
    return mean, float(mean * np.std(logs, ddof=1) / np.sqrt(len(logs)))


def measure(
    *, cycles: int = CYCLES, block: float = BLOCK_SECONDS, long_look: float = LONG_LOOK_SECONDS
) -> Cost:
    """A run of `cycles` times four blocks, and a long look."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        (folder / "objective.py").write_text(OBJECTIVE)
        run = _started("run", folder, "--plain", "--max-time", LONGEST)
        page = _started("dashboard", folder, "--port", "0", "--no-token")
        assert page.stdout is not None
        viewer = Viewer(page.stdout.readline().strip().rstrip("/"))
        watch = Watch(folder, run.pid, page.pid)
        try:
            _await_jobs(folder, 10)
            viewer.looks = True  # the first figure loads a library: a page that is left open has it
            time.sleep(WARM_UP_SECONDS)
            alone, watched = _watched_in_turns(watch, viewer, cycles, block)
            viewer.looks = True
            time.sleep(WARM_UP_SECONDS)
            return Cost(alone, watched, Part(*watch.over(long_look)))
        finally:
            viewer.end()
            for process in (run, page):
                process.terminate()
                process.communicate()


def _started(command: str, folder: Path, *options: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "spearmint_int", command, str(folder), *options]
    out = subprocess.PIPE if command == "dashboard" else subprocess.DEVNULL
    # as in a terminal of its own: Linux gives each session its share of the processor
    return subprocess.Popen(
        words, stdout=out, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )


@dataclass(frozen=True)
class Watch:
    """Where to read how far the run is, and what it and the page have taken of the processor."""

    folder: Path
    run: int
    page: int

    def over(self, seconds: float) -> FloatArray:
        """What a Part has, of so many seconds from now on."""
        before = self._read()
        time.sleep(seconds)
        return self._read() - before

    def _read(self) -> FloatArray:
        spent = _processor_seconds(self.run), _processor_seconds(self.page)
        return np.array([time.monotonic(), _jobs(self.folder), *spent])


def _watched_in_turns(
    watch: Watch, viewer: Viewer, cycles: int, block: float
) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    parts: dict[bool, list[Part]] = {False: [], True: []}
    for _ in range(cycles):
        sums = {False: np.zeros(4), True: np.zeros(4)}
        for watched in TURNS:
            viewer.looks = watched
            time.sleep(LOOK_SECONDS)  # what was asked before is answered
            sums[watched] += watch.over(block)
        for watched, total in sums.items():
            parts[watched].append(Part(*total))
    return tuple(parts[False]), tuple(parts[True])


def _processor_seconds(pid: int) -> float:
    """Of all threads of a process so far, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _await_jobs(folder: Path, number: int) -> None:
    while not (folder / "spearmint.sqlite").exists() or _jobs(folder) < number:
        time.sleep(0.2)


def _jobs(folder: Path) -> int:
    store = open_store(load_config(folder))
    try:
        return store.last_id()
    finally:
        store.close()


class Viewer(threading.Thread):
    """Asks as the page of a browser does, while `looks`."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.looks, self._address, self._ended = False, address, threading.Event()
        self._seen: dict[str, Any] = {}
        self.answers = 0
        with urllib.request.urlopen(f"{address}/_dash-dependencies") as answer:
            told = json.load(answer)
        by_server = [one for one in told if one["clientside_function"] is None]
        self._asked = [one for one in by_server if any(i["id"] in LOOKS for i in one["inputs"])]
        self.start()

    def end(self) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            for callback in self._asked if self.looks else ():
                self._ask(callback)

    def _ask(self, callback: dict[str, Any]) -> None:
        """One callback, with what this viewer has seen; its answer is remembered."""
        path = "/e/watched" + (f"/figures/{FIGURE}" if "look-figure" in str(callback) else "")
        given = STATES | self._seen | {"address.pathname": path}
        body = {
            "output": callback["output"],
            "outputs": [_part(name) for name in callback["output"].strip(".").split("...")],
            "inputs": [_filled(each, given) for each in callback["inputs"]],
            "state": [_filled(each, given) for each in callback["state"]],
            "changedPropIds": [f"{callback['inputs'][0]['id']}.data"],
        }
        headers = {"Content-Type": "application/json"}
        url = f"{self._address}/_dash-update-component"
        asked = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            text = answer.read()
        self.answers += 1
        for name, seen in SEEN.findall(text):  # reading all of it would cost more than the page
            self._seen[f"{name.decode()}.data"] = json.loads(seen)


SEEN = re.compile(rb'"(seen-\w+)":\{"data":("[^"]*")')
LOOKS = ("look-jobs", "look-figure")
STATES: dict[str, Any] = {
    "order.data": {"column": "job", "descending": True, "page": 0},
    "filter.value": "",
    "theme.data": "light",
    "seen-jobs.data": "",
    "seen-figure.data": "",
}


def _part(name: str) -> dict[str, str]:
    part, _, prop = name.rpartition(".")
    return {"id": part, "property": prop}


def _filled(each: dict[str, str], given: dict[str, Any]) -> dict[str, Any]:
    return {**each, "value": given.get(f"{each['id']}.{each['property']}", 0)}


def main() -> None:
    cost = measure()
    print("| cycle | suggestions/s alone | with the page | page, of one core |")
    print("| --- | --- | --- | --- |")
    for i, (alone, watched) in enumerate(zip(cost.alone, cost.watched, strict=True), start=1):
        print(f"| {i} | {alone.rate:.2f} | {watched.rate:.2f} | {watched.page_share:.1%} |")
    rate, effort = cost.rates(), cost.efforts()
    print(f"\nsuggestions per second, with the page over alone: {rate[0]:.3f} ± {rate[1]:.3f}")
    print(f"the run's processor seconds for each: {effort[0]:.3f} ± {effort[1]:.3f}")
    print(f"the page takes {cost.page_share:.1%} of one core while somebody looks")


if __name__ == "__main__":
    main()
