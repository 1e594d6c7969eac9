"""Whole runs with real jobs: how they go, and why they end."""

from __future__ import annotations

import shlex
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spearmint_int.chooser import Answer, Problem, recommend
from spearmint_int.errors import ConfigError
from spearmint_int.goal import load_goal
from spearmint_int.jobs import FailureKind, JobDraft, JobStatus, Source
from spearmint_int.manager import (
    EndReason,
    JobAdded,
    JobEnded,
    JobStarted,
    Notice,
    ProgressMade,
    RunEnded,
    RunStarted,
    estimate,
)
from spearmint_int.manager.events import SuggestionStarted
from spearmint_int.registry import CHOOSERS
from spearmint_int.stores import Store, open_store_at
from tests.manager.experiments import SQUARE, VARIABLES, experiment, on_both_stores, run
from tests.places import Place

pytestmark = pytest.mark.timeout(120)


@on_both_stores
def test_a_run_ends_when_its_budget_is_spent(place: Place, store: Store) -> None:
    summary, _ = run(experiment(place, max_concurrent=2, max_finished_jobs=5), store)
    assert summary.reason is EndReason.BUDGET
    assert summary.succeeded
    assert summary.message == "the budget is spent: 5 complete, 0 broken"
    assert [job.status for job in store.jobs()] == [JobStatus.COMPLETE] * 5


def test_the_listener_hears_of_each_step(place: Place, store: Store) -> None:
    summary, heard = run(experiment(place, max_finished_jobs=2), store)
    assert [type(e) for e in heard.events[:1]] == [RunStarted]
    assert [e.job.id for e in heard.of(JobAdded)] == [1, 2]
    assert [e.job.id for e in heard.of(JobStarted)] == [1, 2]
    assert [e.job.status for e in heard.of(JobEnded)] == [JobStatus.COMPLETE] * 2
    assert heard.of(RunEnded)[0].summary is summary
    assert heard.events[-1] == RunEnded(summary)
    assert heard.of(ProgressMade)[-1].progress.finished == 2


def test_a_spent_budget_is_noticed_without_a_new_job(place: Place, store: Store) -> None:
    config = experiment(place, max_finished_jobs=1)
    run(config, store)
    summary, heard = run(config, store)
    assert summary.reason is EndReason.BUDGET
    assert not heard.of(JobStarted)
    assert heard.of(RunStarted)[0].resumed


def test_a_larger_budget_goes_on_where_the_run_ended(place: Place, store: Store) -> None:
    run(experiment(place, max_finished_jobs=1), store)
    run(experiment(place, max_finished_jobs=3), store)
    assert [job.id for job in store.jobs(JobStatus.COMPLETE)] == [1, 2, 3]


def test_jobs_that_were_handed_back_keep_to_a_budget_that_is_smaller_now(
    place: Place, store: Store
) -> None:
    for _ in range(4):
        store.add(JobDraft({"x": 0.5, "k": 1}, (0.75, 0.3)))
        job = store.claim("an earlier run", lease_seconds=60)
        assert job is not None
        store.release(job.claim)
    config = experiment(place, max_finished_jobs=2, max_concurrent=3)
    summary, heard = run(config, store)
    assert [started.job.id for started in heard.of(JobStarted)] == [1, 2]
    assert summary.message == "the budget is spent: 2 complete, 0 broken, 2 new"


def test_a_new_job_that_cant_be_read_does_not_keep_the_run_from_its_end(
    place: Place, store: Store
) -> None:
    store.add(JobDraft({"x": 0.5, "k": 1}, (0.75, 0.3)))
    with closing(sqlite3.connect(place.sqlite_path)) as connection, connection:
        connection.execute("UPDATE jobs SET params = '['")
    summary, _ = run(experiment(place, max_finished_jobs=2, max_time=20), store)
    assert summary.message == "the budget is spent: 1 complete, 0 broken, 1 new"


def test_the_best_result_and_the_models_minimum_are_in_the_summary(
    place: Place, store: Store
) -> None:
    config = experiment(place, chooser="default_chooser", max_finished_jobs=4)
    progress = run(config, store, recommender=recommend)[0].progress
    best = min(store.jobs(), key=lambda job: (job.values or {})["main"])
    assert progress.best is not None
    assert (progress.best.job_id, progress.best.params) == (best.id, best.params)
    assert progress.estimate is not None
    assert progress.estimate.params.keys() == {"x", "k"}


def test_guesses_run_first_in_their_order(place: Place, store: Store) -> None:
    guesses = [{"x": 0.1, "k": 3}, {"x": -0.7, "k": 0}]
    config = experiment(place, initial_points=guesses, max_finished_jobs=3)
    run(config, store)
    jobs = store.jobs()
    assert [job.params for job in jobs[:2]] == guesses
    sources = [Source.INITIAL, Source.INITIAL, Source.CHOOSER]
    assert [job.source for job in jobs] == sources


@on_both_stores
def test_guesses_are_not_run_again_by_the_next_run(place: Place, store: Store) -> None:
    guesses = [{"x": 0.1, "k": 3}]
    run(experiment(place, initial_points=guesses, max_finished_jobs=1), store)
    guesses.append({"x": 0.2, "k": 1})
    run(experiment(place, initial_points=guesses, max_finished_jobs=3), store)
    initial = [job.params for job in store.jobs() if job.source is Source.INITIAL]
    assert initial == guesses


def test_a_run_ends_when_it_has_found_enough(place: Place, store: Store) -> None:
    config = experiment(
        place,
        likelihood="NOISELESS",
        chooser="default_chooser",
        max_finished_jobs=60,
        stop_when="regret below 0.05 with 90 %",
    )
    summary, _ = run(config, store)
    assert summary.reason is EndReason.GOAL
    assert "90 % sure that no point is better than the best by more than" in summary.message
    assert 6 <= len(store.jobs()) < 60
    goal = summary.progress.goal
    assert goal is not None
    assert goal.bound <= goal.wanted == 0.05
    assert load_goal(store) == goal
    assert run(config, store)[0].reason is EndReason.GOAL


def test_a_used_up_space_ends_the_run_with_that_message(place: Place, store: Store) -> None:
    config = experiment(
        place,
        "def main(job_id, params): return int(params['k'][0])",
        variables={"k": {"type": "INT", "min": 1, "max": 3}},
        likelihood="NOISELESS",
        chooser="default_chooser",
        max_finished_jobs=10,
        max_concurrent=2,
    )
    summary, _ = run(config, store)
    assert summary.reason is EndReason.EXHAUSTED
    assert "3 complete" in summary.message
    assert sorted(job.params["k"] for job in store.jobs()) == [1, 2, 3]


def test_max_time_ends_the_run_after_its_running_jobs(place: Place, store: Store) -> None:
    code = "import time\ndef main(job_id, params): time.sleep(1.2); return 1"
    config = experiment(place, code, max_time=0.8, max_finished_jobs=100)
    summary, _ = run(config, store)
    assert summary.reason is EndReason.TIME
    assert store.tally().counts[JobStatus.COMPLETE] == 1
    assert store.tally().counts[JobStatus.PENDING] == 0


@on_both_stores
def test_results_that_users_bring_cost_nothing_of_the_budget(place: Place, store: Store) -> None:
    store.add_complete(JobDraft({"x": 0.0, "k": 0}, (0.5, 0.1), Source.USER), {"main": -5.0})
    summary, _ = run(experiment(place, max_finished_jobs=2), store)
    assert store.tally().counts[JobStatus.COMPLETE] == 3
    assert summary.progress.finished == 2
    assert summary.progress.best is not None
    assert summary.progress.best.job_id == 1


def test_each_resource_has_its_own_slots_and_budget(place: Place, store: Store) -> None:
    resources = {
        "small": {"max-concurrent": 1, "max-finished-jobs": 2},
        "large": {"max-concurrent": 2, "max-finished-jobs": 3},
    }
    summary, _ = run(experiment(place, resources=resources), store)
    assert summary.reason is EndReason.BUDGET
    assert sorted(job.resource for job in store.jobs()) == ["large"] * 3 + ["small"] * 2


def test_a_resource_that_the_task_does_not_name_takes_no_job(place: Place, store: Store) -> None:
    resources = {"a": {"max-finished-jobs": 4}, "b": {"max-finished-jobs": 2}}
    tasks = {"main": {"type": "OBJECTIVE", "resources": ["b"]}}
    points = [{"x": 0.5, "k": k} for k in range(2)]
    config = experiment(place, resources=resources, tasks=tasks, initial_points=points)
    summary, _ = run(config, store)
    assert (summary.reason, summary.progress.budget) == (EndReason.BUDGET, 2)
    assert [job.resource for job in store.jobs()] == ["b", "b"]


def test_an_estimate_that_fails_does_not_end_the_run(place: Place, store: Store) -> None:
    def failing(*data: Any, **options: Any) -> None:
        raise FloatingPointError("overflow")

    with pytest.warns(UserWarning, match="overflow"):
        summary, _ = run(experiment(place), store, recommender=failing)
    assert summary.reason is EndReason.BUDGET
    assert summary.progress.estimate is None


@pytest.mark.parametrize(("chooser", "asked"), [("random_chooser", 0), ("default_chooser", 1)])
def test_a_long_run_does_not_end_with_a_model_that_it_never_had(
    place: Place, store: Store, monkeypatch: pytest.MonkeyPatch, chooser: str, asked: int
) -> None:
    """Fitted to 10 000 results it would hold up the end of the run for many minutes."""
    monkeypatch.setattr(estimate, "MOST_OBSERVATIONS", 0)  # as with 10 000 results
    problems: list[Problem] = []
    config = experiment(place, chooser=chooser, max_finished_jobs=4)
    run(config, store, recommender=problems.append)
    assert len(problems) == asked


# --- jobs that break ---


@on_both_stores
def test_a_failing_job_is_tried_again_and_then_left_alone(place: Place, store: Store) -> None:
    code = """
        def main(job_id, params):
            if job_id == 2:
                raise RuntimeError("not here")
            return 1.0
    """
    summary, _ = run(experiment(place, code, max_attempts=2, max_finished_jobs=3), store)
    job = store.job(2)
    assert (job.status, job.attempts, len(job.failures)) == (JobStatus.BROKEN, 2, 2)
    assert summary.message.startswith("the budget is spent: 2 complete, 1 broken")


def test_a_job_that_recovers_is_complete(place: Place, store: Store) -> None:
    code = """
        import os
        def main(job_id, params):
            if not os.path.exists("seen"):
                open("seen", "w").close()
                raise ConnectionError("the data server is away")
            return 1.0
    """
    run(experiment(place, code, max_finished_jobs=1), store)
    job = store.job(1)
    assert (job.status, job.attempts) == (JobStatus.COMPLETE, 2)
    assert job.failures[0].kind is FailureKind.EXCEPTION


def test_the_model_is_told_where_it_failed(place: Place, store: Store) -> None:
    seen = []

    def chooser(problem: Problem, count: int = 1) -> Answer:
        seen.append(problem.values)
        return CHOOSERS["random_chooser"](problem, count)

    code = "def main(job_id, params): return float('nan') if job_id == 1 else 2.0"
    run(experiment(place, code, max_finished_jobs=3), store, chooser=chooser)
    assert [len(values) for values in seen] == [0, 1, 2]
    assert np.isnan(seen[2][0])
    assert seen[2][1] == 2.0


def test_a_main_file_that_cant_be_loaded_teaches_nothing_of_any_place(
    place: Place, store: Store
) -> None:
    run(experiment(place, "import no_such_module", max_finished_jobs=5), store)
    seen = []

    def chooser(problem: Problem, count: int = 1) -> Answer:
        seen.append((len(problem.observations), problem.index))
        return CHOOSERS["random_chooser"](problem, count)

    run(experiment(place, SQUARE, max_finished_jobs=5), store, chooser=chooser)
    assert seen == [(0, 3), (1, 4)]


def test_a_run_in_which_every_job_breaks_stops_early_with_the_first_error(
    place: Place, store: Store
) -> None:
    code = "def main(job_id, params): raise KeyError('learning rate')"
    config = experiment(place, code, max_finished_jobs=50, max_attempts=1)
    summary, _ = run(config, store)
    assert summary.reason is EndReason.ALL_BROKEN
    assert not summary.succeeded
    assert "job 1: KeyError: 'learning rate' (objective.py, line 1)" in summary.message
    assert summary.first_failure is not None
    assert summary.first_failure[0] == 1
    assert store.tally().counts[JobStatus.BROKEN] == 3


def test_a_mended_objective_goes_on_after_such_a_run(place: Place, store: Store) -> None:
    broken = experiment(place, "def main(job_id, params): return None", max_finished_jobs=5)
    run(broken, store)
    summary, _ = run(experiment(place, SQUARE, max_finished_jobs=5), store)
    assert summary.reason is EndReason.BUDGET
    assert summary.message.startswith("the budget is spent: 2 complete, 3 broken")


def test_a_small_budget_of_broken_jobs_is_a_failed_run(place: Place, store: Store) -> None:
    config = experiment(place, "def main(job_id, params): return 'x'", max_finished_jobs=1)
    assert run(config, store)[0].reason is EndReason.ALL_BROKEN


def test_the_end_names_the_way_to_try_broken_jobs_again(place: Place, store: Store) -> None:
    code = "def main(job_id, params): return 1.0 if job_id > 1 else {}"
    config = experiment(place, code, max_finished_jobs=3)
    summary, _ = run(config, store)
    assert summary.reason is EndReason.BUDGET
    command = f"spearmint-int retry {shlex.quote(str(config.directory))} --all"
    assert f"1 broken ({command} gives them another try)" in summary.message


def test_nan_everywhere_is_an_answer_and_no_reason_to_give_up(place: Place, store: Store) -> None:
    config = experiment(place, "def main(job_id, params): return float('nan')", max_finished_jobs=5)
    summary, _ = run(config, store)
    assert store.tally().counts[JobStatus.COMPLETE] == 5
    assert not summary.succeeded
    assert summary.message == "no job gave a number: 5 have failed (NaN or infinite)"


def test_a_hanging_job_does_not_block_the_others(place: Place, store: Store) -> None:
    code = """
        import time
        def main(job_id, params):
            if job_id == 1:
                time.sleep(100)
            return 1.0
    """
    begin = time.monotonic()
    config = experiment(place, code, max_concurrent=2, job_time_limit=2.0, max_finished_jobs=4)
    run(config, store)
    assert time.monotonic() - begin < 30
    assert store.job(1).failures[0].kind is FailureKind.TIME_LIMIT
    assert store.tally().counts[JobStatus.COMPLETE] == 3


# --- repeatability and files ---


def test_the_same_seed_gives_the_same_jobs_on_both_stores(place: Place, mongo_uri: str) -> None:
    keys: dict[str, Any] = {"likelihood": "NOISELESS", "seed": 7}
    jobs = []
    for address in (None, None, mongo_uri):
        there = replace(place, address=address)
        store = open_store_at(there)
        config = experiment(there, chooser="default_chooser", max_finished_jobs=6, **keys)
        run(config, store)
        jobs.append([(job.params, job.point, job.values) for job in store.jobs()])
        store.destroy()
    assert jobs[0] == jobs[1] == jobs[2]


def test_a_variable_of_another_type_is_refused(place: Place, store: Store) -> None:
    run(experiment(place, max_finished_jobs=1), store)
    other = VARIABLES | {"k": {"type": "ENUM", "options": [0, 1]}}
    with pytest.raises(ConfigError, match=r"variables\.k: was INT and is ENUM now: no result can"):
        run(experiment(place, variables=other), store)
    assert store.tally().counts[JobStatus.COMPLETE] == 1


@on_both_stores
def test_a_run_goes_on_with_all_results_when_bounds_have_moved(place: Place, store: Store) -> None:
    keys: dict[str, Any] = {"chooser": "default_chooser", "burnin": 5}
    run(experiment(place, max_finished_jobs=4, **keys), store)
    moved = {
        "x": {"type": "FLOAT", "min": -3, "max": 0.25},
        "k": {"type": "INT", "min": 0, "max": 9},
    }
    summary, heard = run(experiment(place, variables=moved, max_finished_jobs=8, **keys), store)
    assert summary.reason is EndReason.BUDGET
    assert [e.observations for e in heard.of(SuggestionStarted)] == [4, 5, 6, 7]
    assert all(-3 <= job.params["x"] <= 0.25 for job in store.jobs()[4:])


def test_the_first_runs_seed_stays_the_experiments_seed(place: Place, store: Store) -> None:
    run(experiment(place, seed=3, max_finished_jobs=1), store)
    run(experiment(place, seed=4, max_finished_jobs=2), store)
    assert store.load_meta("seed") == 3


def test_trace_and_best_are_written_as_older_spearmint_did(place: Place, store: Store) -> None:
    summary, _ = run(experiment(place, max_finished_jobs=3), store)
    trace = np.loadtxt(place.directory / "trace.csv", delimiter=",")
    assert trace.shape == (3, 6)
    assert trace[-1, 5] == 3
    assert summary.progress.best is not None
    text = (place.directory / "best_job_and_result.txt").read_text()
    assert f"Best result: {summary.progress.best.value!r}" in text
    assert f"Job-id: {summary.progress.best.job_id}" in text


TWO_POINTS = {"k": {"type": "INT", "min": 0, "max": 1}}


def test_a_run_says_once_that_repeats_show_no_noise(place: Place, store: Store) -> None:
    code = "def main(job_id, params): return float(params['k'][0])"
    _, heard = run(experiment(place, code, variables=TWO_POINTS, max_finished_jobs=7), store)
    (notice,) = heard.of(Notice)
    assert notice.message.startswith("likelihood: 3 repeated evaluations gave exactly the value")


def test_a_run_says_nothing_of_repeats_that_differ(place: Place, store: Store) -> None:
    code = "def main(job_id, params): return params['k'][0] + job_id / 8"
    _, heard = run(experiment(place, code, variables=TWO_POINTS, max_finished_jobs=7), store)
    assert heard.of(Notice) == []
