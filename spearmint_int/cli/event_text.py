"""Lines of text for a run's events: pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spearmint_int import result_text, value_text
from spearmint_int.jobs import NONE_FULFILS, FailureKind, JobStatus
from spearmint_int.manager.events import (
    Event,
    JobEnded,
    JobLost,
    Notice,
    Progress,
    RunStarted,
    Stopping,
    StoreAway,
    StoreBack,
    Summary,
)

if TYPE_CHECKING:
    from spearmint_int.jobs import Job


def line_of(event: Event, *, name: str) -> str | None:
    """The line for an event that stands by itself; None for the others."""
    if isinstance(event, RunStarted):
        return _started(event, name)
    if isinstance(event, JobLost):
        return f"job {event.job.id}: its worker is gone; the job was taken back"
    if isinstance(event, Notice):
        return event.message
    if isinstance(event, StoreAway):
        wait = value_text.duration(event.retry_seconds)
        return f"the store is away ({event.error}); next try in {wait}"
    if isinstance(event, StoreBack):
        return f"the store is back after {value_text.duration(event.away_seconds)}"
    return _stopping(event) if isinstance(event, Stopping) else None


def ended_line(
    event: JobEnded,
    progress: Progress,
    *,
    max_attempts: int,
    task: str,
    beaten: float | None = None,
) -> str:
    """The line for a job that ended, with the progress it made; `beaten` was the best before."""
    job, failure = event.job, event.failure
    head = f"job {job.id}: "
    if job.status is JobStatus.COMPLETE:
        return head + _result(job, task, progress, beaten)
    if failure is None:
        return head + "handed back, to be started again"
    if job.status is JobStatus.BROKEN:
        return f"{head}broken: {failure.message} (at {value_text.params(job.params)})"
    if failure.kind is FailureKind.START:  # one that could not begin is no attempt
        return f"{head}can't be started, and is tried again: {failure.message}"
    tried = f"attempt {job.attempts} of {max_attempts}"
    return f"{head}failed, {tried}: {failure.message}"


def summary_lines(summary: Summary) -> list[tuple[str, str]]:
    """(name, text) for each line at the end of a run."""
    progress = summary.progress
    facts = [("failed" if not summary.succeeded else "end", summary.message)]
    if progress.best is not None or progress.none_fulfils:
        facts.append(("best", best_text(progress)))
    if progress.estimate is not None:
        facts.append(("model", estimate_text(progress)))
    if summary.first_failure is not None and summary.succeeded:  # else the message has it
        job_id, failure = summary.first_failure
        facts.append(("first failure", f"job {job_id}: {failure.message}"))
    return facts


def count_text(progress: Progress) -> str:
    """`22 of 40 jobs, 2 running, 1 broken`."""
    parts = [value_text.out_of(progress.finished, progress.budget, " jobs")]
    if progress.running:
        parts.append(f"{len(progress.running)} running")
    broken = progress.counts.get(JobStatus.BROKEN, 0)
    if broken:
        parts.append(f"{broken} broken")
    return ", ".join(parts)


def best_text(progress: Progress) -> str:
    """The best result and where it was found."""
    best = progress.best
    if best is None:
        return NONE_FULFILS if progress.none_fulfils else "no result yet"
    where = value_text.params(best.params)
    return f"{value_text.number(best.value)} at {where} (job {best.job_id})"


def estimate_text(progress: Progress) -> str:
    """The optimum of the model and where it is."""
    found = progress.estimate
    if found is None:
        return "no model yet"
    where = value_text.params(found.params)
    note = f" ({found.note})" if found.note else ""
    return f"{value_text.estimate(found.mean, found.sd)} at {where}{note}"


def pace_text(progress: Progress) -> str:
    """`0.12 s per suggestion, 1.2 s per job`."""
    suggestion, job = progress.suggestion_seconds, progress.job_seconds
    parts = [] if suggestion is None else [f"{value_text.duration(suggestion)} per suggestion"]
    return ", ".join([*parts, *([] if job is None else [f"{value_text.duration(job)} per job"])])


def time_text(elapsed: float, remaining: float | None) -> str:
    """`1 min 20 s, about 40 s left`."""
    left = "" if remaining is None else f", about {value_text.duration(max(remaining, 0.0))} left"
    return value_text.duration(elapsed) + left


def _started(event: RunStarted, name: str) -> str:
    again = "goes on: " if event.resumed else ""
    return f"{name}: {again}{count_text(event.progress)}; kept in {event.store}"


def _stopping(event: Stopping) -> str:
    running = value_text.counted(len(event.running), "running job")
    if not event.running:
        return "stopping"
    if event.hand_back:
        return f"stopping at once: {running} handed back"
    return f"stopping: waiting for {running} (Ctrl-C again ends them, and hands them back)"


def _result(job: Job, task: str, progress: Progress, beaten: float | None) -> str:
    """The value, whether it is the best, and the time; at the end what a narrow terminal may cut
    off."""
    best = progress.best
    if best is not None and best.job_id == job.id:
        value, mark = value_text.number_unlike(best.value, beaten), " best so far"
    else:
        value, mark = result_text.result((job.values or {}).get(task)), ""
    mark += f", {job.unfulfilled_text}" if job.unfulfilled else ""
    took = "" if job.seconds is None else f" ({value_text.duration(job.seconds)})"
    return f"{value}{mark}{took} at {value_text.params(job.params)}"
