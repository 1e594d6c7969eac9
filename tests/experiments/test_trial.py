"""A run of an optimiser is measured by noiseless distances."""

from __future__ import annotations

import pytest

from experiments.dimension import Dimension, Params
from experiments.peers.history import Assignment
from experiments.peers.random_search import RandomSearch
from experiments.synthetic import TWO_D, draw, noise
from experiments.trial import FLOOR, Trial, log10_distance, run_trial


def trial_of(distances: tuple[float, ...], params: tuple[Params, ...] = ()) -> Trial:
    return Trial(params, distances, (), ())


def test_the_best_so_far_never_rises() -> None:
    assert trial_of((3.0, 1.0, 2.0, 0.5)).best_so_far == (3.0, 1.0, 1.0, 0.5)


def test_repeats_are_counted_exactly() -> None:
    points: tuple[Params, ...] = ({"x": 1, "y": 0.5}, {"y": 0.5, "x": 1}, {"x": 1, "y": 0.5 + 1e-9})
    assert trial_of((), points).repeats == 1


def test_the_logarithm_stops_at_the_floor() -> None:
    assert log10_distance(0.0) == log10_distance(FLOOR / 10) == pytest.approx(-6)
    assert log10_distance(0.01) == pytest.approx(-2)


def test_an_optimiser_sees_the_noise_and_is_judged_without_it() -> None:
    objective = draw(TWO_D, 0)
    errors = noise(TWO_D, 0, 6)
    optimiser = RandomSearch(Assignment(TWO_D.dimensions, 0.01, 6, seed=1))
    trial = run_trial(optimiser, objective, noise=errors.tolist(), recommend_from=5)
    seen = [objective(point) + error for point, error in zip(trial.params, errors, strict=True)]
    assert optimiser.values == seen
    assert trial.distances == tuple(objective.distance(point) for point in trial.params)
    assert len(trial.recommended) == 2


def test_random_search_reaches_every_integer_and_stays_inside() -> None:
    dimensions = (Dimension("x", -1, 2), Dimension("k", 3, 5, integer=True))
    optimiser = RandomSearch(Assignment(dimensions, 0.0, 100, seed=0))
    points = [optimiser.ask() for _ in range(100)]
    assert {point["k"] for point in points} == {3, 4, 5}
    assert all(-1 <= point["x"] <= 2 for point in points)
