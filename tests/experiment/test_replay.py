"""Suggestions computed again from the store, bit for bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from spearmint_int.config import Config
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.replay import is_replayable, problem_before, replay
from spearmint_int.jobs import Failure, FailureKind, Job, JobDraft, JobStatus, Source
from spearmint_int.stores import Store
from tests.manager.experiments import DEFAULTS, experiment
from tests.places import Place

QUICK: dict[str, Any] = {
    "chooser": "default_chooser",
    "mcmc-iters": 4,
    "burnin": 20,
    "grid-size": 100,
    "seed": 5,
}


def grown(config: Config, store: Store, jobs: int) -> list[Job]:
    """So many jobs of the chooser, with up to three under way, which end in any order."""
    asked, rng, running = StoredExperiment.begin(config, store), np.random.default_rng(1), []
    for _ in range(jobs):
        asked.history.refresh()
        answer = asked.suggest()
        pending = asked.history.pending_ids
        store.add(asked.draft(answer.suggestions[0], resource="Main", pending=pending))
        asked.go_on_from(answer)
        running.append(store.claim("me", lease_seconds=1000))
        while len(running) > rng.integers(0, 4):
            _end(store, running.pop(rng.integers(len(running))), rng)
    return store.jobs()


def _end(store: Store, job: Job | None, rng: np.random.Generator) -> None:
    assert job is not None
    if rng.random() < 0.1:
        store.fail(job.claim, Failure(FailureKind.EXCEPTION, "no"), max_attempts=1)
    else:
        value = float(job.params["x"]) ** 2 + float(job.params["k"]) + 0.1 * rng.random()
        store.complete(job.claim, {"main": value})


def all_the_same(config: Config, store: Store) -> list[bool]:
    now = StoredExperiment.read(config, store)
    points = store.job_points(list(JobStatus))
    return [replay(now, points, job).is_same for job in store.jobs()]


def test_every_suggestion_of_a_run_is_computed_again(place: Place, store: Store) -> None:
    config = experiment(place, **QUICK)
    grown(config, store, 12)
    assert all(all_the_same(config, store))


def test_suggestions_after_a_job_that_could_not_be_tried_are_computed_again(
    place: Place, store: Store
) -> None:
    config = experiment(place, **QUICK)
    grown(config, store, 4)
    store.add(JobDraft({"x": 0.5, "k": 1}, (0.75, 0.3)))
    job = store.claim("me", lease_seconds=1000)
    while job is not None:
        store.fail(job.claim, Failure(FailureKind.LAUNCH, "no such module"), max_attempts=1)
        job = store.claim("me", lease_seconds=1000)
    last = grown(config, store, 2)[-1]
    now, points = StoredExperiment.read(config, store), store.job_points(list(JobStatus))
    before = problem_before(now, points, last)
    assert (before.index, before.observations.void) == (last.id - 1, 1)
    assert replay(now, points, last).is_same


@pytest.mark.slow
def test_a_hundred_suggestions_are_computed_again_with_any_number_of_threads(
    place: Place, store: Store
) -> None:
    config = experiment(place, **QUICK)
    grown(config, store, 100)
    assert sum(all_the_same(config, store)) == 100
    assert [sum(all_the_same_elsewhere(place, threads)) for threads in (1, 2, 4)] == [100] * 3


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_does_not_matter(place: Place, store: Store, threads: int) -> None:
    grown(experiment(place, **QUICK), store, 8)
    assert all_the_same_elsewhere(place, threads) == [True] * 8


def all_the_same_elsewhere(place: Place, threads: int) -> list[bool]:
    """By the command, in a process of its own whose libraries may use so many threads."""
    named = {"experiment-name": place.experiment_name, "database": {"name": place.database_name}}
    if place.address is not None:
        named["database"] = {"name": place.database_name, "address": place.address}
    (place.directory / "config.json").write_text(json.dumps(DEFAULTS | QUICK | named))
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(threads))}
    command = [sys.executable, "-m", "spearmint_int", "replay", "--json", str(place.directory)]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return [row["same"] for row in json.loads(answer.stdout)]


def test_a_result_that_has_changed_since_is_told(place: Place, store: Store) -> None:
    config = experiment(place, **QUICK)
    last = grown(config, store, 6)[-1]
    points = store.job_points(list(JobStatus))
    done = next(i for i, e in enumerate(points) if e.values)
    points[done] = points[done]._replace(values={"main": 77.0})
    assert not replay(StoredExperiment.read(config, store), points, last).same_problem


def test_the_problem_before_a_job_has_what_was_known_then(place: Place, store: Store) -> None:
    config = experiment(place, **QUICK)
    last = grown(config, store, 9)[-1]
    points = store.job_points(list(JobStatus))
    before = problem_before(StoredExperiment.read(config, store), points, last)
    assert before.index == last.id - 1
    assert len(before.pending) == last.provenance["pending"]


X, K = DEFAULTS["variables"]["x"], DEFAULTS["variables"]["k"]
E = {"type": "ENUM", "options": ["a", "b", "c"]}
ANEW: dict[str, dict[str, Any]] = {
    "wider": {"x": X, "k": K | {"max": 40}, "e": E},
    "narrower": {"x": X | {"max": 0}, "k": K | {"max": 1}, "e": E},
    "one option more": {"x": X, "k": K, "e": E | {"options": ["a", "d", "b", "c"]}},
    "one option less": {"x": X, "k": K, "e": E | {"options": ["a", "b"]}},
    "another order": {"k": K, "e": E, "x": X},
    "one variable more": {"new": {"type": "INT", "min": 0, "max": 3, "was": 2}} | {
        "x": X, "k": K, "e": E},
}  # fmt: skip


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize("change", ANEW)
def test_suggestions_are_the_same_after_the_variables_are_declared_anew(
    place: Place, store: Store, change: str
) -> None:
    grown(experiment(place, **QUICK, variables={"x": X, "k": K, "e": E}), store, 5)
    later = experiment(place, **QUICK, variables=ANEW[change])
    assert all(all_the_same(later, store))
    grown(later, store, 4)
    assert all(all_the_same(later, store))


def test_a_result_that_was_brought_has_nothing_to_compute(place: Place, store: Store) -> None:
    config = experiment(place, **QUICK)
    last = grown(config, store, 1)[-1]
    store.add_complete(JobDraft(last.params, last.point, Source.USER), {"main": 1.0})
    assert not is_replayable(store.job(2))


def test_a_job_keeps_no_more_than_it_takes(place: Place, store: Store) -> None:
    config = experiment(place, **QUICK)
    last = grown(config, store, 12)[-1]
    assert set(last.provenance["start"]) == {"states", "widths"}
    assert len(json.dumps(last.provenance["start"])) < 400
