"""What must hold after a crash and a restart; pure functions of what was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from spearmint_int.jobs import Job, JobStatus
from tests.chaos.experiment import Call, true_value


def results(jobs: Iterable[Job]) -> dict[int, float]:
    """The stored results by job."""
    return {job.id: job.values["main"] for job in jobs if job.values is not None}


def violations(
    jobs: Sequence[Job], calls: Sequence[Call], kept: Mapping[int, float], *, budget: int
) -> list[str]:
    """Sentences about what is wrong; `kept` are results that existed before the restart."""
    return [
        *wrong_ids(jobs, budget),
        *unfinished(jobs),
        *lost_results(jobs, kept),
        *wrong_values(jobs),
        *wrong_calls(jobs, calls),
    ]


def wrong_ids(jobs: Sequence[Job], budget: int) -> list[str]:
    ids = [job.id for job in jobs]
    if ids == list(range(1, budget + 1)):
        return []
    return [f"the ids are {ids}, not 1 to {budget} each once"]


def unfinished(jobs: Sequence[Job]) -> list[str]:
    return [
        f"job {job.id} is {job.status}: {[failure.message for failure in job.failures]}"
        for job in jobs
        if job.status is not JobStatus.COMPLETE
    ]


def lost_results(jobs: Sequence[Job], kept: Mapping[int, float]) -> list[str]:
    now = results(jobs)
    return [
        f"job {job_id} had the result {value}, and has {now.get(job_id)} now"
        for job_id, value in kept.items()
        if now.get(job_id) != value
    ]


def wrong_values(jobs: Sequence[Job]) -> list[str]:
    return [
        f"job {job.id} has {job.values}, its parameters give {true_value(job.params)}"
        for job in jobs
        if job.values is not None and job.values != {"main": true_value(job.params)}
    ]


def wrong_calls(jobs: Sequence[Job], calls: Sequence[Call]) -> list[str]:
    """An id means one point for ever, and no call goes beyond the attempts that were counted."""
    params = {job.id: (job.params["x"], job.params["y"]) for job in jobs}
    attempts = {job.id: job.attempts for job in jobs}
    begun = Counter(call.job_id for call in calls if call.at == "begin")
    strangers = [call for call in calls if params.get(call.job_id) != (call.x, call.y)]
    return [
        *(f"job {call.job_id} was called with {call.x, call.y}" for call in strangers),
        *(
            f"job {job_id} was called {number} times in {attempts.get(job_id)} attempts"
            for job_id, number in begun.items()
            if number > attempts.get(job_id, 0)
        ),
        *(f"job {job_id} was never called" for job_id in params if not begun[job_id]),
    ]
