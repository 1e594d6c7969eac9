"""One experiment, asked by the manager, the command line, the library and the comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from experiments.dimension import Dimension
from experiments.ours import Ours
from spearmint_int import Float, Int, Optimizer
from spearmint_int.errors import ConfigError, SpearmintError
from spearmint_int.experiment.experiment import StoredExperiment, unstored_experiment
from spearmint_int.stores import Store
from tests.manager.experiments import experiment, on_both_stores, run
from tests.places import Place

JOBS, SEED = 5, 3
NOISELESS: dict[str, Any] = {
    "likelihood": "NOISELESS",
    "chooser": "default_chooser",
    "seed": SEED,
}


def value(params: dict[str, Any]) -> float:
    x = np.float64(params["x"])  # as the objective has it: its square is rounded in another way
    return float(x**2 + params["k"])


def library_points() -> list[dict[str, Any]]:
    optimizer = Optimizer(
        {"x": Float(-1, 1), "k": Int(0, 4)}, seed=SEED, likelihood="NOISELESS", samples=10
    )
    for _ in range(JOBS):
        params = optimizer.ask()[0]
        optimizer.tell(params, value(params))
    return [evaluation.params for evaluation in optimizer.history]


def comparison_points() -> list[dict[str, Any]]:
    dimensions = [Dimension("x", -1, 1, integer=False), Dimension("k", 0, 4, integer=True)]
    ours, asked = Ours(dimensions, seed=SEED, likelihood="NOISELESS"), []
    for _ in range(JOBS):
        asked.append(ours.ask())
        ours.tell(asked[-1], value(asked[-1]))
    return asked


@on_both_stores
def test_the_same_seed_and_data_give_the_same_points_by_every_way(
    place: Place, store: Store
) -> None:
    """Each of the manager's jobs was the command line's next suggestion just before."""
    suggested = []
    for job in range(JOBS):
        config = experiment(place, max_finished_jobs=job + 1, **NOISELESS)
        asked = StoredExperiment.read(config, store) if job else unstored_experiment(config)
        suggested.append(asked.suggest().suggestions[0].params)
        run(config, store)
    stored = [job.params for job in store.jobs()]
    assert stored == suggested == library_points() == comparison_points()


def test_reading_an_experiment_writes_nothing_to_its_store(place: Place, store: Store) -> None:
    StoredExperiment.read(experiment(place), store).suggest()
    assert store.load_meta("variables") is None
    assert store.load_meta("seed") is None


@pytest.mark.parametrize("open_", [StoredExperiment.begin, StoredExperiment.read])
def test_variables_that_cant_follow_are_refused_by_whoever_asks(
    place: Place, store: Store, open_: Any
) -> None:
    StoredExperiment.begin(experiment(place), store)
    changed = experiment(place, variables={"x": {"type": "INT", "min": 0, "max": 9}})
    with pytest.raises(ConfigError, match=r"variables\.(k: is gone|x: was FLOAT and is INT)"):
        open_(changed, store)


def test_the_first_seed_holds_for_all_that_follow(place: Place, store: Store) -> None:
    StoredExperiment.begin(experiment(place, seed=5), store)
    assert StoredExperiment.read(experiment(place, seed=6), store).seed == 5


def test_predictions_pass_through_what_was_told() -> None:
    optimizer = Optimizer({"x": Float(-1, 1), "k": Int(0, 4)}, likelihood="NOISELESS")
    told = [{"x": x, "k": k} for x, k in ((-0.5, 1), (0.1, 3), (0.8, 0), (-0.9, 4))]
    for params in told:
        optimizer.tell(params, 100.0 * value(params))
    expected = optimizer.predict(told)
    assert np.allclose(expected.mean, [100.0 * value(params) for params in told], atol=0.1)
    assert np.all(expected.sd < 1.0)
    assert optimizer.predict({"x": 0.3, "k": 2}).mean.shape == (1,)


def test_without_a_result_there_is_nothing_to_predict_from() -> None:
    with pytest.raises(SpearmintError, match="tell a finite result first"):
        Optimizer({"x": Float(0, 1)}).predict({"x": 0.5})


def test_a_declaration_from_before_a_key_was_there_is_still_the_same(
    place: Place, store: Store
) -> None:
    old = {"x": {"type": "FLOAT", "min": -1.0, "max": 1.0, "size": 1, "log": False}}
    old["k"] = {"type": "INT", "min": 0, "max": 4, "size": 1}  # today it has log, step and base
    store.save_meta("variables", old)
    assert StoredExperiment.read(experiment(place), store).space.cells == 5
