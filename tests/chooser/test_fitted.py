"""Joint draws of a fitted model: in the objective's units, and certain where the model is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spearmint_int.chooser import (
    ChooserOptions,
    FittedModel,
    Observations,
    Problem,
    fit,
    model_of,
)
from spearmint_int.chooser.fitted import fit_for_search
from spearmint_int.errors import SpearmintError
from spearmint_int.space import Space
from spearmint_int.variables import Float, Int

SPACE = Space({"x": Float(0, 1), "k": Int(0, 4)})


def some_model(likelihood: str, *, n: int = 12) -> FittedModel:
    rng = np.random.default_rng(3)
    points = SPACE.snap(rng.random((n, 2)))
    values = 100.0 + 10.0 * np.sin(5 * points[:, 0]) + 5.0 * points[:, 1]
    options = ChooserOptions(samples=4, burn_in=50, likelihood=likelihood)
    return fit(Problem(SPACE, Observations.of(points, values), options=options), rng)


def test_the_model_to_be_believed_does_not_depend_on_the_chain_of_the_search() -> None:
    model = some_model("GAUSSIAN")
    elsewhere = fit_for_search(model.problem, np.random.default_rng(1)).draws.state
    problem = replace(model.problem, chain=elsewhere)
    again = fit(problem, np.random.default_rng(0))
    anew = fit(replace(problem, chain=None), np.random.default_rng(0))
    points = SPACE.snap(np.random.default_rng(5).random((20, 2)))
    assert np.array_equal(again.predict(points).mean, anew.predict(points).mean)


def test_draws_have_the_predicted_mean_and_sd() -> None:
    model = some_model("GAUSSIAN")
    points = SPACE.snap(np.random.default_rng(5).random((20, 2)))
    draws = model.draw(points, np.random.default_rng(0), 20_000)
    expected = model.predict(points)
    assert draws.shape == (20_000, 20)
    assert np.all(np.abs(draws.mean(axis=0) - expected.mean) < 0.05 * expected.sd)
    assert np.allclose(draws.std(axis=0), expected.sd, rtol=0.05)


def test_draws_without_noise_pass_through_the_data() -> None:
    model = some_model("NOISELESS")
    draws = model.draw(model.problem.observations.points, np.random.default_rng(0), 50)
    assert np.max(np.abs(draws - model.problem.values)) < 1e-3 * np.ptp(model.problem.values)


def test_draws_of_one_cell_are_equal_wherever_they_are_asked_for_in_it() -> None:
    draws = some_model("GAUSSIAN").draw(
        np.array([[0.3, 0.41], [0.3, 0.59]]), np.random.default_rng(0), 10
    )
    assert np.allclose(draws[:, 0], draws[:, 1], rtol=1e-5)


def test_noisy_draws_spread_more_than_those_of_the_function() -> None:
    model = some_model("GAUSSIAN")
    points = SPACE.snap(np.random.default_rng(5).random((5, 2)))
    plain = model.draw(points, np.random.default_rng(0), 5000).std(axis=0)
    noisy = model.draw(points, np.random.default_rng(0), 5000, noisy=True).std(axis=0)
    assert np.all(noisy > plain)


@pytest.mark.parametrize(
    ("input_warp", "warped"), [(False, ()), (True, (0, 1, 2, 3, 5)), ("auto", (0, 3))]
)
def test_auto_bends_only_what_spans_decades_without_log(
    input_warp: bool, warped: tuple[int, ...]
) -> None:
    space = Space(
        {
            "rate": Float(1e-5, 1.0),
            "declared": Float(1e-5, 1.0, log=True),
            "share": Float(0.0, 1.0),
            "units": Int(1, 5000),
            "depth": Int(1, 4),
            "powers": Int(1, 2**19, base=2),
        }
    )
    model = model_of(space, ChooserOptions(input_warp=input_warp), trend=True)
    assert model.warped_columns == warped


def test_a_word_that_is_not_auto_is_refused() -> None:
    with pytest.raises(SpearmintError, match="true, false or 'auto', got 'yes'"):
        ChooserOptions(input_warp="yes")  # type: ignore[arg-type]


def test_an_evaluation_is_predicted_as_noisy_draws_of_it_are_spread() -> None:
    model = some_model("GAUSSIAN")
    points = SPACE.snap(np.random.default_rng(5).random((20, 2)))
    draws = model.draw(points, np.random.default_rng(0), 20_000, noisy=True)
    expected = model.predict_evaluation(points)
    assert np.all(np.abs(draws.mean(axis=0) - expected.mean) < 0.05 * expected.sd)
    assert np.allclose(draws.std(axis=0), expected.sd, rtol=0.05)


@pytest.mark.parametrize("size", [1.0, 1e300])
@pytest.mark.parametrize("likelihood", ["GAUSSIAN", "NOISELESS"])
def test_an_evaluation_is_never_surer_than_the_objective_itself(
    likelihood: str, size: float
) -> None:
    rng = np.random.default_rng(3)
    points = SPACE.snap(rng.random((12, 2)))
    values = size * (np.exp(3.0 * points[:, 0]) + rng.random(12))
    options = ChooserOptions(samples=10, burn_in=50, likelihood=likelihood)
    model = fit(Problem(SPACE, Observations.of(points, values), options=options), rng)
    everywhere = rng.random((200, 2))
    evaluation, objective = model.predict_evaluation(everywhere), model.predict(everywhere)
    assert np.all(np.isfinite(evaluation.sd))
    assert np.all(evaluation.sd >= objective.sd)


def test_noise_does_not_move_the_mean_of_outputs_that_are_not_warped() -> None:
    problem = some_model("GAUSSIAN").problem
    unwarped = replace(problem, options=replace(problem.options, output_warp=False))
    model = fit(unwarped, np.random.default_rng(3))
    points = SPACE.snap(np.random.default_rng(5).random((20, 2)))
    evaluation, objective = model.predict_evaluation(points), model.predict(points)
    assert np.all(evaluation.sd > objective.sd)
    assert np.all(np.abs(evaluation.mean - objective.mean) < 0.001 * objective.sd)
