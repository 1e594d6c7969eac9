"""Guesses become jobs once, also when the manager that adds them is killed."""

from __future__ import annotations

import pytest

from spearmint_int.jobs import Source
from spearmint_int.manager.initial_points import META, add_initial_points
from spearmint_int.stores import Store
from tests.manager.experiments import experiment
from tests.places import Place

GUESSES = [{"x": 0.1, "k": 3}, {"x": 0.1, "k": 3}, {"x": 1, "k": 4.0}]


def initial(store: Store) -> list[dict[str, object]]:
    return [job.params for job in store.jobs() if job.source is Source.INITIAL]


def test_a_guess_is_stored_as_the_objective_will_get_it(place: Place, store: Store) -> None:
    config = experiment(place, initial_points=[{"k": 4.0, "x": 1}])
    (job,) = add_initial_points(config, store, config.space())
    assert list(job.params.items()) == [("x", 1.0), ("k", 4)]
    assert (type(job.params["x"]), type(job.params["k"])) == (float, int)
    assert job.point == (1.0, 0.9)


def test_vectors_and_options_may_be_guessed(place: Place, store: Store) -> None:
    variables = {
        "w": {"type": "FLOAT", "size": 2, "min": 0, "max": 1},
        "kind": {"type": "ENUM", "options": ["a", "b"]},
    }
    guess = {"w": [0.1, 0.7], "kind": "b"}
    config = experiment(place, variables=variables, initial_points=[guess])
    (job,) = add_initial_points(config, store, config.space())
    assert job.params == guess


@pytest.mark.parametrize("added_before", [0, 1, 2, 3])
def test_a_killed_managers_guesses_are_completed_and_not_repeated(
    place: Place, store: Store, added_before: int
) -> None:
    config = experiment(place, initial_points=GUESSES, max_finished_jobs=10)
    killed = experiment(place, initial_points=GUESSES, max_finished_jobs=added_before or 10)
    if added_before:
        add_initial_points(killed, store, config.space())
        store.save_meta(META, None)  # it was killed before it could write this
    add_initial_points(config, store, config.space())
    assert initial(store) == [{"x": 0.1, "k": 3}, {"x": 0.1, "k": 3}, {"x": 1.0, "k": 4}]
    assert add_initial_points(config, store, config.space()) == []


def test_guesses_keep_to_the_budget(place: Place, store: Store) -> None:
    config = experiment(place, initial_points=GUESSES, max_finished_jobs=2)
    assert len(add_initial_points(config, store, config.space())) == 2


def test_guesses_that_the_budget_had_no_room_for_come_with_a_larger_one(
    place: Place, store: Store
) -> None:
    few = experiment(place, initial_points=GUESSES, max_finished_jobs=1)
    more = experiment(place, initial_points=GUESSES, max_finished_jobs=9)
    add_initial_points(few, store, few.space())
    assert len(add_initial_points(more, store, more.space())) == len(GUESSES) - 1
    assert add_initial_points(more, store, more.space()) == []
