"""The job protocol as a finite model: what the stores promise, small enough to be explored whole.

A state has jobs and the claims that are under way. Anything may happen at any time: a lease ends, a
worker dies, a result comes late or twice. `successors` lists every next state with its action, so
that an explorer sees all of them and a real store can be taken along the same path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

MAX_ATTEMPTS = 2
MOST_CLAIMS = 4  # of one job: hand-backs and retries could go on for ever
MOST_RETRIES = 1

NEW, PENDING, COMPLETE, BROKEN = "new", "pending", "complete", "broken"


@dataclass(frozen=True, order=True)
class ModelJob:
    """`token` is the number of the claim that may change the job, 0 for none."""

    status: str = NEW
    token: int = 0
    claims: int = 0
    attempts: int = 0
    result_of: int = 0  # the claim whose result it has
    retries: int = 0


@dataclass(frozen=True, order=True)
class ModelClaim:
    """A worker's claim on a job; its manager may be dead, and the claim lost."""

    job: int
    number: int
    attempts: int
    manager: int


@dataclass(frozen=True)
class State:
    jobs: tuple[ModelJob, ...]
    claims: frozenset[ModelClaim]  # of workers that live
    acknowledged: frozenset[tuple[int, int]]  # (job, claim) of results that `complete` confirmed

    def with_job(self, index: int, job: ModelJob) -> State:
        return replace(self, jobs=(*self.jobs[:index], job, *self.jobs[index + 1 :]))

    def without(self, claim: ModelClaim) -> State:
        return replace(self, claims=self.claims - {claim})


@dataclass(frozen=True)
class Action:
    """What happened: its name, the job, and the number of the claim."""

    name: str
    job: int
    claim: int = 0
    manager: int = 0


def start(jobs: int) -> State:
    return State((ModelJob(),) * jobs, frozenset(), frozenset())


def successors(state: State, managers: int) -> Iterator[tuple[Action, State]]:
    """All that can happen next."""
    yield from _claims(state, managers)
    for claim in sorted(state.claims):
        yield from _ends(state, claim)
    for index, job in enumerate(state.jobs):
        if job.status == PENDING:
            failed = replace(job, status=_after_failure(job.attempts))  # the token stays
            yield Action("expire", index), state.with_job(index, failed)
        if job.status == BROKEN and job.retries < MOST_RETRIES:
            anew = replace(job, status=NEW, attempts=0, token=0, retries=job.retries + 1)
            yield Action("retry", index), state.with_job(index, anew)


def _claims(state: State, managers: int) -> Iterator[tuple[Action, State]]:
    free = next((i for i, job in enumerate(state.jobs) if job.status == NEW), None)
    if free is None or state.jobs[free].claims == MOST_CLAIMS:
        return
    job, number = state.jobs[free], state.jobs[free].claims + 1
    busy = {claim.manager for claim in state.claims}
    for manager in sorted(set(range(managers)) - busy):
        claim = ModelClaim(free, number, job.attempts + 1, manager)
        taken = replace(job, status=PENDING, token=number, claims=number, attempts=job.attempts + 1)
        after = state.with_job(free, taken)
        yield (
            Action("claim", free, number, manager),
            replace(after, claims=after.claims | {claim}),
        )


def _ends(state: State, claim: ModelClaim) -> Iterator[tuple[Action, State]]:
    job, rest = state.jobs[claim.job], state.without(claim)
    holds = job.status == PENDING and job.token == claim.number
    action = Action("", claim.job, claim.number, claim.manager)
    yield replace(action, name="die"), rest
    if job.token == claim.number:  # also when its lease is lost, while nobody else has claimed it
        done = replace(job, status=COMPLETE, token=0, result_of=claim.number)
        confirmed = rest.acknowledged | {(claim.job, claim.number)}
        after = replace(rest.with_job(claim.job, done), acknowledged=confirmed)
        yield replace(action, name="complete"), after
    else:
        yield replace(action, name="complete"), rest
    failed = replace(job, status=_after_failure(claim.attempts), token=0)
    yield replace(action, name="fail"), rest.with_job(claim.job, failed) if holds else rest
    back = replace(job, status=NEW, token=0, attempts=job.attempts - 1)
    yield replace(action, name="release"), rest.with_job(claim.job, back) if holds else rest


def _after_failure(attempts: int) -> str:
    return NEW if attempts < MAX_ATTEMPTS else BROKEN
