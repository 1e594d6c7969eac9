"""What the manager adds to a job beyond the suggestion and the process itself.

On a busy machine everything takes longer, and this with it: measure on a quiet one.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from spearmint_int.jobs import JobDraft, Source
from spearmint_int.launcher import objective
from spearmint_int.manager import Event, JobAdded, JobEnded, Manager
from spearmint_int.stores import Store
from tests.manager.experiments import experiment, no_estimate, on_both_stores
from tests.places import Place

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the memory is read from /proc"),
]

JOBS = 25
LARGEST_OVERHEAD = 0.050  # seconds
LARGEST_GROWTH = 2.0  # megabytes

OBJECTIVE = "def main(job_id, params): return float(params['x'][0])"


class Clock:
    """Notes when jobs ended, what their suggestions took, and the memory that we had."""

    def __init__(self) -> None:
        self.ended: list[float] = []
        self.suggested: list[float] = []
        self.megabytes: list[float] = []

    def __call__(self, event: Event) -> None:
        if isinstance(event, JobEnded):
            self.ended.append(time.perf_counter())
            with open("/proc/self/statm", encoding="ascii") as memory:
                self.megabytes.append(int(memory.read().split()[1]) * 4096 / 1e6)
        if isinstance(event, JobAdded):
            self.suggested.append(event.seconds or 0.0)


def overhead(place: Place, store: Store, clock: Clock) -> float:
    """The median of a job's turn, without the suggestion and what the process takes alone."""
    config = experiment(place, OBJECTIVE, max_finished_jobs=JOBS)
    Manager(config, store, recommender=no_estimate, listener=clock).run()
    turns = [after - before for before, after in zip(clock.ended, clock.ended[1:], strict=False)]
    alone = statistics.median(process_seconds(place.directory) for _ in range(JOBS))
    return statistics.median(turns) - statistics.median(clock.suggested) - alone


def process_seconds(directory: Path) -> float:
    """From the start to the end of a process that runs the objective and nothing else."""
    request = {
        "job_id": 1,
        "directory": str(directory),
        "main_file": "objective",
        "arguments": [
            {"name": "x", "type": "FLOAT", "values": [0.5]},
            {"name": "k", "type": "INT", "values": [1]},
        ],
    }
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as answered:
        asked.write(json.dumps(request).encode())
        asked.seek(0)
        fds = (asked.fileno(), answered.fileno())
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, objective.__file__, *map(str, fds)], pass_fds=fds, check=True
        )
        return time.perf_counter() - begin


@on_both_stores
def test_the_manager_adds_less_than_50_ms_to_a_job(place: Place, store: Store) -> None:
    added = overhead(place, store, Clock())
    print(f"added to a job: {1000 * added:.1f} ms")
    assert added < LARGEST_OVERHEAD


def test_ten_thousand_finished_jobs_cost_neither_time_nor_memory(
    place: Place, store: Store
) -> None:
    points = [((i % 97) / 97, (i % 5 + 0.5) / 5) for i in range(10_000)]
    store.add_all_complete(
        [
            (JobDraft({"x": 2 * u - 1, "k": i % 5}, (u, v), Source.USER), {"main": u + 1})
            for i, (u, v) in enumerate(points)
        ]
    )
    clock = Clock()
    added = overhead(place, store, clock)
    print(f"added to a job: {1000 * added:.1f} ms")
    assert added < LARGEST_OVERHEAD
    assert clock.megabytes[-1] - clock.megabytes[2] < LARGEST_GROWTH
