"""Every state that three managers, two jobs, crashes, lost leases and late results can reach."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path

import pytest

from spearmint_int.jobs import Claim, Failure, FailureKind, JobDraft
from spearmint_int.stores import Store, open_store_at
from tests.places import Place
from tests.protocol.model import (
    BROKEN,
    COMPLETE,
    MAX_ATTEMPTS,
    MOST_CLAIMS,
    NEW,
    PENDING,
    Action,
    State,
    start,
    successors,
)

MANAGERS, JOBS = 3, 2
FAILURE = Failure(FailureKind.EXIT, "exit status 1")
Edges = dict[State, list[tuple[Action, State]]]


@pytest.fixture(scope="module")
def edges() -> Edges:
    """The whole graph: from each state, all that can happen next."""
    first = start(JOBS)
    found: Edges = {}
    waiting = deque([first])
    seen = {first}
    while waiting:
        state = waiting.popleft()
        found[state] = list(successors(state, MANAGERS))
        for _, after in found[state]:
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return found


def test_the_graph_is_large_enough_to_mean_something(edges: Edges) -> None:
    print(f"{len(edges)} states, {sum(map(len, edges.values()))} transitions")
    assert len(edges) > 10_000


def test_a_confirmed_result_is_never_lost_or_changed(edges: Edges) -> None:
    for state, nexts in edges.items():
        for job, claim in state.acknowledged:
            assert state.jobs[job].status == COMPLETE
            assert state.jobs[job].result_of == claim
        for _, after in nexts:
            assert state.acknowledged <= after.acknowledged


def test_a_job_has_one_result_at_most(edges: Edges) -> None:
    for state in edges:
        jobs = [job for job, _ in state.acknowledged]
        assert len(jobs) == len(set(jobs))


def test_a_finished_job_is_changed_by_nobody_unasked(edges: Edges) -> None:
    for state, nexts in edges.items():
        for action, after in nexts:
            for before, job in zip(state.jobs, after.jobs, strict=True):
                if before.status == COMPLETE:
                    assert job == before
                if before.status == BROKEN and job != before:
                    # A result that comes late mends what broke for a lost worker.
                    assert action.name == "retry" or job.status == COMPLETE


def test_a_job_is_never_held_by_two(edges: Edges) -> None:
    for state in edges:
        for index, job in enumerate(state.jobs):
            holders = [c for c in state.claims if (c.job, c.number) == (index, job.token)]
            assert len(holders) <= 1


def test_attempts_are_bounded_and_a_job_breaks_only_when_they_are_used_up(edges: Edges) -> None:
    for state in edges:
        for job in state.jobs:
            assert 0 <= job.attempts <= MAX_ATTEMPTS
            assert job.status != BROKEN or job.attempts == MAX_ATTEMPTS


def test_nothing_gets_stuck(edges: Edges) -> None:
    """From every state there is a way to an end at which every job is complete or broken."""
    ends = {state for state in edges if all(job.status in (COMPLETE, BROKEN) for job in state.jobs)}
    capped = {s for s in edges if any(j.claims == MOST_CLAIMS and j.status == NEW for j in s.jobs)}
    before: dict[State, list[State]] = {}
    for state, nexts in edges.items():
        for _, after in nexts:
            before.setdefault(after, []).append(state)
    reached, waiting = set(ends | capped), deque(ends | capped)
    while waiting:
        for state in before.get(waiting.popleft(), []):
            if state not in reached:
                reached.add(state)
                waiting.append(state)
    assert len(reached) == len(edges)


# --- the stores do what the model says ---


class Walker:
    """Takes a store along a path of the model."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._claims: dict[tuple[int, int], Claim] = {}
        for _ in range(JOBS):
            store.add(JobDraft({"x": 1}, (0.5,)))

    def take(self, action: Action) -> None:
        key = (action.job, action.claim)
        if action.name == "claim":
            job = self._store.claim(f"manager {action.manager}", lease_seconds=60)
            assert job is not None
            assert job.id == action.job + 1
            self._claims[key] = job.claim
        elif action.name == "expire":
            held = self._store.job(action.job + 1).claim
            self._store.renew(held, lease_seconds=-1)
            assert self._store.expire(self._store.now(), max_attempts=MAX_ATTEMPTS)
        elif action.name == "retry":
            self._store.retry(action.job + 1)
        elif action.name != "die":
            self._end(action.name, self._claims[key], action)

    def _end(self, name: str, claim: Claim, action: Action) -> None:
        for _ in range(2):  # everything may come twice
            if name == "complete":
                self._store.complete(claim, {"main": float(action.claim)})
            elif name == "fail":
                self._store.fail(claim, FAILURE, max_attempts=MAX_ATTEMPTS)
            else:
                self._store.release(claim)

    def seen(self) -> list[tuple[str, int, float]]:
        return [
            (str(job.status), job.attempts, job.values["main"] if job.values else 0.0)
            for job in self._store.jobs()
        ]


def expected(state: State) -> list[tuple[str, int, float]]:
    return [(job.status, job.attempts, float(job.result_of)) for job in state.jobs]


@pytest.mark.parametrize("seed", range(10))
def test_a_store_follows_the_model_along_random_paths(
    tmp_path: Path, place: Place, edges: Edges, seed: int
) -> None:
    rng = random.Random(seed)
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        store = open_store_at(Place(folder, f"{place.experiment_name}-{number}", place.address))
        walker, state = Walker(store), start(JOBS)
        for _ in range(25):
            if not edges[state]:
                break
            action, state = rng.choice(edges[state])
            walker.take(action)
            assert walker.seen() == expected(state), action
        store.destroy()


def test_the_path_of_a_late_result_is_among_them(edges: Edges) -> None:
    late = [
        state
        for state in edges
        if any(j.status == NEW and j.token for j in state.jobs)
        and any(state.jobs[c.job].token == c.number for c in state.claims)
    ]
    assert late
    assert any(job.status == PENDING for state in edges for job in state.jobs)
