"""The acquisition around the next point."""

from __future__ import annotations

import numpy as np
import pytest

from spearmint_int.analysis.choice import next_choice
from spearmint_int.chooser import ChooserOptions, Observations, Problem, suggest
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int

SPACE = Space({"x": Float(0, 1), "k": Int(0, 6), "e": Enum(["a", "b"])})


def problem(**options: object) -> Problem:
    rng = np.random.default_rng(3)
    points = SPACE.snap(rng.random((12, SPACE.dimensions)))
    values = (points[:, 0] - 0.3) ** 2 + (points[:, 1] - 0.6) ** 2 + 0.2 * points[:, 2]
    small = ChooserOptions(samples=3, burn_in=20, candidates=200, **options)  # type: ignore[arg-type]
    return Problem(SPACE, Observations.of(points, values), points[:1] * 0.9, options=small)


@pytest.mark.parametrize("likelihood", ["NOISELESS", "GAUSSIAN"])
def test_the_surface_is_the_one_that_the_chooser_climbed(likelihood: str) -> None:
    asked = problem(likelihood=likelihood)
    chosen = suggest(asked).suggestions[0]
    found = next_choice(asked)
    assert found is not None
    assert chosen.provenance.acquired is not None
    np.testing.assert_array_equal(found.point, SPACE.snap(chosen.point))
    assert found.value == pytest.approx(chosen.provenance.acquired.value, rel=1e-6)


def test_no_place_on_the_way_of_an_integer_promises_more_than_the_chosen_one() -> None:
    found = next_choice(problem(likelihood="NOISELESS"))
    assert found is not None
    _, integers, options = found.slices
    assert np.max(integers) <= found.value * (1 + 1e-9)
    assert np.max(options) <= found.value * (1 + 1e-9)


def test_where_every_integer_was_tried_it_is_the_surface_of_the_repeat() -> None:
    space = Space({"k": Int(0, 2)})
    points = np.repeat(space.lattice(), 2, axis=0)
    values = np.array([1.0, 1.3, 0.2, 0.4, 0.25, 0.5])
    full = Problem(space, Observations.of(points, values), options=ChooserOptions(burn_in=20))
    acquired = suggest(full).suggestions[0].provenance.acquired
    found = next_choice(full)
    assert acquired is not None
    assert found is not None
    assert acquired.acquisition == found.acquisition == "ei"
    assert found.value == pytest.approx(acquired.value, rel=1e-6)
    assert found.value > 0


def test_nobody_has_chosen_before_there_is_a_model() -> None:
    assert next_choice(Problem(SPACE, Observations.none(SPACE.dimensions))) is None
    assert next_choice(problem(acquisition="thompson")) is None
