"""One sentence on how a run ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spearmint_int.jobs import JobStatus
from spearmint_int.launcher.output import output_path
from spearmint_int.manager.events import EndReason

if TYPE_CHECKING:
    from spearmint_int.config import Config
    from spearmint_int.manager.standing import Standing


def ending_message(
    reason: EndReason, standing: Standing, config: Config, exhausted: str | None
) -> str:
    """The sentence for people."""
    jobs = _counted(standing)
    if reason is EndReason.ALL_BROKEN:
        return _first_error(standing, config)
    return {
        EndReason.BUDGET: f"the budget is spent: {jobs}",
        EndReason.TIME: f"the time of {config.max_time or 0:g} s is over: {jobs}",
        EndReason.EXHAUSTED: f"{exhausted}: {jobs}",
        EndReason.STOPPED: f"stopped on request: {jobs}; run again to go on",
    }[reason]


def _counted(standing: Standing) -> str:
    counts = standing.counts
    parts = [f"{counts[JobStatus.COMPLETE]} complete", f"{counts[JobStatus.BROKEN]} broken"]
    parts += [
        f"{counts[status]} {status}"
        for status in (JobStatus.PENDING, JobStatus.NEW)
        if counts[status]
    ]
    return ", ".join(parts)


def _first_error(standing: Standing, config: Config) -> str:
    if standing.first_failure is None:
        return "every job broke"
    job_id, failure = standing.first_failure
    where = output_path(config.directory, job_id)
    return f"every job broke; the first was job {job_id}: {failure.message} (see {where})"
