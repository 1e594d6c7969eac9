"""The sampler in real studies of Optuna."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import pytest

optuna = pytest.importorskip("optuna")

from optuna.distributions import (  # noqa: E402
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import TrialState  # noqa: E402

from spearmint_int import Int, Space, SpearmintError  # noqa: E402
from spearmint_int.experiment.recode import placed  # noqa: E402
from spearmint_int.integrations.optuna import SpearmintSampler, parameter_for  # noqa: E402

QUICK: dict[str, Any] = {"samples": 4, "burn_in": 20, "candidates": 300}


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def study(**others: Any) -> Any:
    return optuna.create_study(sampler=SpearmintSampler(seed=1, **QUICK), **others)


def bowl(trial: Any) -> float:
    x = trial.suggest_float("x", -1, 1)
    n = trial.suggest_int("n", 0, 9)
    kind = trial.suggest_categorical("kind", ["a", None, 3.5])
    return float((x - 0.3) ** 2 + (n - 4) ** 2 + (kind != "a"))


def test_a_study_finds_the_minimum_of_a_mixed_problem() -> None:
    found = study()
    found.optimize(bowl, n_trials=25)
    assert found.best_value < 0.5
    assert found.best_params["n"] == 4


def test_a_study_that_maximises_is_understood() -> None:
    found = study(direction="maximize")
    found.optimize(lambda trial: -bowl(trial), n_trials=25)
    assert found.best_value > -0.5


def test_the_same_seed_gives_the_same_trials() -> None:
    first, second = study(), study()
    for one in (first, second):
        one.optimize(bowl, n_trials=8)
    assert [t.params for t in first.trials] == [t.params for t in second.trials]


def chosen_by(sampler: SpearmintSampler) -> Any:
    """What the model chooses after the same two results."""
    found = optuna.create_study(sampler=sampler)
    for x in (0.0, 1.0):
        found.enqueue_trial({"x": x})
    found.optimize(lambda trial: (trial.suggest_float("x", 0, 1) - 0.4) ** 2, n_trials=3)
    return found.trials[-1].params


def test_without_a_seed_no_two_studies_are_alike() -> None:
    assert chosen_by(SpearmintSampler(**QUICK)) != chosen_by(SpearmintSampler(**QUICK))


def test_a_sampler_that_is_reseeded_goes_on_otherwise_than_its_seed_says() -> None:
    reseeded = SpearmintSampler(seed=1, **QUICK)
    reseeded.reseed_rng()
    assert chosen_by(SpearmintSampler(seed=1, **QUICK)) != chosen_by(reseeded)


@pytest.mark.parametrize(
    ("distribution", "values"),
    [
        (IntDistribution(3, 9), [3, 5, 9]),
        (IntDistribution(10, 50, step=20), [10, 30, 50]),
        (IntDistribution(1, 1024, log=True), [1, 32, 1024]),
        (FloatDistribution(0.0, 1.0), [0.0, 0.25, 1.0]),
        (FloatDistribution(0.1, 0.7, step=0.2), [0.1, 0.3, 0.7]),
        (FloatDistribution(1e-5, 1.0, log=True), [1e-5, 1e-2, 1.0]),
        (CategoricalDistribution(["a", None, True, 1.5]), ["a", None, True, 1.5]),
    ],
    ids=str,
)
def test_every_value_of_a_distribution_goes_there_and_back(
    distribution: Any, values: list[Any]
) -> None:
    parameter = parameter_for(distribution)
    for value in values:
        u = parameter.variable.encode(parameter.to_ours(value))
        back = parameter.to_theirs(parameter.variable.decode(u))  # type: ignore[arg-type]
        assert back == (pytest.approx(value) if isinstance(value, float) else value)
        assert distribution._contains(distribution.to_internal_repr(back))


def test_steps_and_log_scales_are_kept_in_a_study() -> None:
    found = study()

    def objective(trial: Any) -> float:
        batch = trial.suggest_int("batch", 16, 256, step=16)
        width = trial.suggest_int("width", 1, 1000, log=True)
        rate = trial.suggest_float("rate", 0.0, 1.0, step=0.25)
        assert batch % 16 == 0
        assert rate in (0.0, 0.25, 0.5, 0.75, 1.0)
        return float(abs(batch - 64) / 16 + abs(math.log(width / 30)) + rate)

    found.optimize(objective, n_trials=12)
    assert len(found.trials) == 12


def test_failed_and_pruned_trials_are_no_obstacle() -> None:
    found = study()

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.report(x, step=0)
        if trial.number % 4 == 1:
            raise optuna.TrialPruned
        if trial.number % 4 == 2:
            return math.nan
        return float((x - 0.5) ** 2)

    found.optimize(objective, n_trials=12)
    assert len(found.trials) == 12
    assert abs(found.best_params["x"] - 0.5) < 0.3


@pytest.mark.parametrize("rate", [2.0, 1e300, math.inf])
@pytest.mark.filterwarnings("ignore:Fixed parameter rate")
def test_an_enqueued_trial_out_of_range_is_no_obstacle(rate: float) -> None:
    found = study()
    found.enqueue_trial({"rate": rate})
    found.optimize(lambda trial: trial.suggest_float("rate", 1e-4, 1, log=True), n_trials=4)
    assert all(trial.params["rate"] <= 1 for trial in found.trials[1:])


def test_trials_of_a_range_that_was_wider_are_no_obstacle() -> None:
    found = study()
    found.add_trial(ended(TrialState.FAIL, rate=FloatDistribution(0, 100), at={"rate": 90.0}))
    found.add_trial(ended(TrialState.PRUNED, rate=FloatDistribution(0, 100), at={"rate": 50.0}))
    found.optimize(lambda trial: trial.suggest_float("rate", 0, 1), n_trials=4)
    assert len(found.trials) == 6


def test_a_trial_beyond_the_bounds_is_modelled_where_it_is() -> None:
    steps, space = parameter_for(IntDistribution(0, 100)), Space({"n": Int(0, 100)})
    point = placed({"n": steps.to_ours(200)}, space)
    assert point == pytest.approx([200.5 / 101])


@pytest.mark.parametrize(
    ("distribution", "value"),
    [
        (IntDistribution(0, 10, step=2), 5),
        (FloatDistribution(0, 1, step=0.25), math.inf),
        (CategoricalDistribution(["a", "b"]), "c"),
    ],
    ids=str,
)
def test_a_value_that_the_distribution_cant_have_has_no_place(
    distribution: Any, value: Any
) -> None:
    assert parameter_for(distribution).to_ours(value) is None


def ended(state: TrialState, *, at: dict[str, Any], **distributions: Any) -> Any:
    reported = {0: 1.0} if state is TrialState.PRUNED else None
    return optuna.trial.create_trial(
        state=state, params=at, distributions=distributions, intermediate_values=reported
    )


@pytest.mark.skipif(not hasattr(optuna.Trial, "set_constraint"), reason="came with Optuna 5")
@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1.0), ("maximize", -1.0)])
def test_constraints_that_trials_tell_are_kept_to(direction: str, sign: float) -> None:
    """The best of x + n with x · n at least 2.1 is at n = 1 or 2 with x on the edge: 3.05."""

    def objective(trial: Any) -> float:
        x, n = trial.suggest_float("x", 0, 4), trial.suggest_int("n", 0, 4)
        trial.set_constraint("product", 2.1 - x * n)
        return sign * float(x + n)

    found = study(direction=direction)
    found.optimize(objective, n_trials=30)
    assert found.best_trial.constraints["product"] <= 0.0
    assert sign * found.best_value < 3.15


@pytest.mark.skipif(not hasattr(optuna.Trial, "set_constraint"), reason="came with Optuna 5")
def test_constraints_that_only_some_trials_tell_are_no_obstacle() -> None:
    def objective(trial: Any) -> float:
        if trial.number % 3:
            trial.set_constraint("main", math.inf if trial.number == 4 else 3.5 - trial.number)
        value = bowl(trial)
        if trial.number == 5:
            raise ValueError("gone")
        return value

    found = study()
    found.optimize(objective, n_trials=10, catch=(ValueError,))
    assert len(found.trials) == 10


def test_trials_that_run_at_once_are_different() -> None:
    found = study()
    found.optimize(bowl, n_trials=4)
    distributions = found.trials[0].distributions
    asked = [found.ask(distributions).params for _ in range(3)]
    assert len({str(params) for params in asked}) == 3


def test_a_parameter_that_only_some_trials_have_is_drawn_by_itself() -> None:
    found = study()

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        return float(x + (trial.suggest_int("depth", 1, 4) if x > 0.5 else 0))

    found.optimize(objective, n_trials=10)
    assert len(found.trials) == 10


def test_a_study_on_disk_goes_on_with_another_sampler_object(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    for _ in range(2):
        optuna.create_study(
            study_name="s", storage=storage, load_if_exists=True,
            sampler=SpearmintSampler(seed=1, **QUICK),
        ).optimize(bowl, n_trials=4)  # fmt: skip
    assert len(optuna.load_study(study_name="s", storage=storage).trials) == 8


def test_an_integer_space_that_is_used_up_goes_on_at_random() -> None:
    found = optuna.create_study(sampler=SpearmintSampler(seed=1, likelihood="NOISELESS", **QUICK))
    found.optimize(lambda trial: float(trial.suggest_int("k", 0, 2)), n_trials=6)
    assert {t.params["k"] for t in found.trials} == {0, 1, 2}


def test_several_objectives_are_refused_in_one_sentence() -> None:
    found = optuna.create_study(directions=["minimize"] * 2, sampler=SpearmintSampler())
    with pytest.raises(SpearmintError, match="several objectives is not supported"):
        found.ask({"x": FloatDistribution(0, 1)})


def test_a_study_can_be_pickled_with_its_sampler() -> None:
    found = study()
    found.optimize(bowl, n_trials=4)
    copy = pickle.loads(pickle.dumps(found))
    copy.optimize(bowl, n_trials=2)
    assert len(copy.trials) == 6


def test_a_setting_that_does_not_exist_is_told_as_the_optimizer_does() -> None:
    with pytest.raises(TypeError, match="no such setting: sed; did you mean 'seed'"):
        SpearmintSampler(sed=1)
