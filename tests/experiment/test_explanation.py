"""Why a job was chosen."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spearmint_int.chooser import Constraint, Observations, Problem
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.explanation import (
    Explanation,
    explain,
    is_elsewhere,
    looked_at,
    parts_of_improvement,
)
from spearmint_int.explanation_text import explanation_facts
from spearmint_int.jobs import JobStatus
from spearmint_int.space import Space
from spearmint_int.stopping import STOPPED
from spearmint_int.stores import Store
from spearmint_int.variables import Float, Int
from tests.experiment.test_replay import QUICK, grown
from tests.manager.experiments import VARIABLES, experiment
from tests.places import Place

ONE_STORE = pytest.mark.parametrize("place", ["sqlite"], indirect=True)


@pytest.mark.parametrize(("gain", "sd"), [(1.0, 0.5), (-2.0, 1.0), (0.0, 1.0), (0.3, 0.0)])
def test_the_parts_of_the_improvement_add_up(gain: float, sd: float) -> None:
    assert np.isclose(sum(parts_of_improvement(gain, sd)), 1.0)


def test_a_mean_that_is_no_better_promises_nothing() -> None:
    assert parts_of_improvement(-1.0, 1.0) == (0.0, 1.0)


def test_a_certain_gain_is_all_exploitation() -> None:
    assert parts_of_improvement(1.0, 1e-3)[0] > 0.999


def test_the_best_that_may_have_decided_are_those_that_fulfil_the_constraints() -> None:
    points = np.linspace(0.0, 1.0, 20)[:, np.newaxis]
    values = {"f": np.arange(20.0), "c": np.where(np.arange(20) < 8, -1.0, 1.0)}
    known = Observations(points, values, np.full(20, np.nan), np.ones(20, dtype=np.bool_))
    space = Space({"x": Float(0, 1)})
    problem = Problem(space, known, objective="f", constraints=(Constraint("c"),))
    assert looked_at(problem, np.array([1.0]))[0] == 8


def test_another_integer_is_elsewhere_and_a_hair_is_not() -> None:
    space = Space({"x": Float(0, 1), "k": Int(0, 4)})
    problem = Problem(space, Observations.none(2))
    here = np.array([0.5, 0.5])
    assert is_elsewhere(problem, here, np.array([0.5, 0.7]))
    assert is_elsewhere(problem, here, np.array([0.65, 0.5]))
    assert not is_elsewhere(problem, here, np.array([0.55, 0.5]))


def explained(place: Place, store: Store, jobs: int, **keys: Any) -> list[Explanation | None]:
    config = experiment(place, **QUICK, **keys)
    grown(config, store, jobs)
    read, points = StoredExperiment.read(config, store), store.job_points(list(JobStatus))
    return [explain(read, points, job) for job in store.jobs()]


@ONE_STORE
def test_what_a_model_chose_is_explained_and_the_design_is_not(place: Place, store: Store) -> None:
    first, *_, last = explained(place, store, 8)
    assert first is None
    assert last is not None
    assert last.expected.sd > 0
    assert np.isclose(last.exploitation + last.exploration, 1.0)
    assert all(job < 8 for job in last.decisive_jobs)


@ONE_STORE
def test_what_is_maximised_is_explained_in_its_own_sign(place: Place, store: Store) -> None:
    last = explained(place, store, 8, maximize=True)[-1]
    assert last is not None
    assert last.best_known.mean > 2.0  # of x² + k with k up to 4


@ONE_STORE
@pytest.mark.parametrize("highest", [2, 40])
def test_a_job_is_explained_by_the_variables_that_it_was_chosen_among(
    place: Place, store: Store, highest: int
) -> None:
    before = explained(place, store, 8)[-1]
    assert before is not None
    anew = {**VARIABLES, "k": {"type": "INT", "min": 0, "max": highest}}
    read = StoredExperiment.read(experiment(place, **QUICK, variables=anew), store)
    after = explain(read, store.job_points(list(JobStatus)), store.job(8))
    assert after == replace(before, declared_anew=True)


@ONE_STORE
def test_the_surprise_is_counted_in_the_sd_of_an_evaluation(place: Place, store: Store) -> None:
    found = [each for each in explained(place, store, 8) if each and each.surprise is not None]
    assert found
    for each in found:
        assert each.observed is not None
        assert each.surprise == (each.observed - each.evaluation.mean) / each.evaluation.sd
        assert each.evaluation.sd >= each.expected.sd  # the noise is in it


@ONE_STORE
@pytest.mark.parametrize("changed", [{"maximize": True}, {"likelihood": "NOISELESS"}])
def test_a_job_is_explained_by_the_settings_that_it_was_chosen_by(
    place: Place, store: Store, changed: dict[str, Any]
) -> None:
    before = explained(place, store, 8)[-1]
    assert before is not None
    assert before.same_problem
    read = StoredExperiment.read(experiment(place, **QUICK, **changed), store)
    after = explain(read, store.job_points(list(JobStatus)), store.job(8))
    (name,) = changed
    of_then = {"maximize": False, "likelihood": "GAUSSIAN"}[name]
    assert after == replace(before, settings_of_then={name: of_then})
    told = dict(explanation_facts(after))
    assert told["settings"].startswith(f"were changed since ({name} was {json.dumps(of_then)})")


@ONE_STORE
def test_an_explanation_says_so_where_the_settings_of_then_are_lost(
    place: Place, store: Store
) -> None:
    assert explained(place, store, 8)[-1] is not None
    read = StoredExperiment.read(experiment(place, **QUICK | {"mcmc-iters": 5}), store)
    found = explain(read, store.job_points(list(JobStatus)), store.job(8))
    assert found is not None
    assert (found.to_json()["same_problem"], found.settings_of_then) == (False, {})
    assert "may not be what decided" in dict(explanation_facts(found))["settings"]


@ONE_STORE
@pytest.mark.parametrize(
    ("value", "words"), [(float("nan"), "failed here"), (None, "it was stopped by hand")]
)
def test_a_job_without_a_number_is_said_to_have_failed(
    place: Place, store: Store, value: float | None, words: str
) -> None:
    config = experiment(place, **QUICK)
    grown(config, store, 8)
    job = next(job for job in store.jobs() if job.id > 4 and job.is_finished)
    points = store.job_points(list(JobStatus))
    ended = (
        replace(job, status=JobStatus.BROKEN, values=None, failures=(STOPPED,))
        if value is None
        else replace(job, values={"main": value})
    )
    found = explain(StoredExperiment.read(config, store), points, ended)
    assert found is not None
    told = dict(explanation_facts(found))["it turned out"]
    assert told.startswith("no value, where one of ")
    assert words in told


@ONE_STORE
def test_an_explanation_says_how_likely_a_job_was_to_work_where_some_had_failed(
    place: Place, store: Store
) -> None:
    last = explained(place, store, 30)[-1]
    assert any(job.status is JobStatus.BROKEN for job in store.jobs())
    assert last is not None
    assert last.works is not None
    assert 0.0 < last.works <= 1.0
    assert "probability" in dict(explanation_facts(last))["works"]
    assert "works" not in dict(explanation_facts(replace(last, works=None)))
