"""`trace.csv` and `best_job_and_result.txt` in the folder, for scripts that read them."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from spearmint_int.atomic import write_whole
from spearmint_int.jobs import NONE_FULFILS, JobStatus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spearmint_int.manager.events import Best

TRACE_FILE = "trace.csv"
BEST_FILE = "best_job_and_result.txt"
TRACE_HEADER = "# time,best value,best job,new,pending,complete\n"


class TraceFiles:
    """Writes a line of the trace for each result, and the best one whenever it changes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._traced: int | None = None
        self._best: Best | None = None

    def update(
        self, best: Best | None, counts: Mapping[JobStatus, int], *, none_fulfils: bool = False
    ) -> None:
        """Write what has changed since the last call; a folder that refuses is no fault."""
        with suppress(OSError):
            if best is not None:
                self._write(best, counts)
            elif none_fulfils:
                write_whole(self._directory / BEST_FILE, f"Best result: none; {NONE_FULFILS}\n")

    def _write(self, best: Best, counts: Mapping[JobStatus, int]) -> None:
        if self._traced != counts[JobStatus.COMPLETE]:
            self._traced = counts[JobStatus.COMPLETE]
            _append(self._directory / TRACE_FILE, trace_line(time.time(), best, counts))
        if self._best != best:
            self._best = best
            write_whole(self._directory / BEST_FILE, best_text(best))


def trace_line(now: float, best: Best, counts: Mapping[JobStatus, int]) -> str:
    numbers = [counts[s] for s in (JobStatus.NEW, JobStatus.PENDING, JobStatus.COMPLETE)]
    return f"{now:.0f},{best.value!r},{best.job_id},{','.join(map(str, numbers))}\n"


def best_text(best: Best) -> str:
    lines = [f"Best result: {best.value!r}", f"Job-id: {best.job_id}", "Parameters:"]
    return "\n".join([*lines, *(f"{name}: {value}" for name, value in best.params.items())]) + "\n"


def _append(path: Path, line: str) -> None:
    """One write in append mode: lines of two managers don't mix."""
    with path.open("a", encoding="utf-8") as trace:
        trace.write(line if trace.tell() else TRACE_HEADER + line)
