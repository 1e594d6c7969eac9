"""Figures 1 and 2 show what the paper says they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.paper import figure1, figure2
from experiments.paper.plots import save
from spearmint_int.kernels import rounding, unrounded

if TYPE_CHECKING:
    from pathlib import Path


def test_naive_repeats_an_evaluated_point_and_learns_nothing() -> None:
    before = figure1.start("naive")
    after = before.evaluated()
    assert after.points[-1] in before.points
    np.testing.assert_allclose(after.curves()[1], before.curves()[1], atol=1e-6)
    np.testing.assert_array_equal(after.suggestion, before.suggestion)


def test_basic_evaluates_elsewhere_what_it_knows_already() -> None:
    before = figure1.start("basic")
    after = before.evaluated()
    assert after.points[-1] not in before.points
    assert after.values[-1] in before.values


def test_proposed_is_certain_everywhere_after_one_evaluation_in_every_cell() -> None:
    after = figure1.start("proposed").evaluated()
    mean, sd, ei = after.curves()
    cells = np.minimum((figure1.GRID[:, 0] * 5).astype(int), 4)
    assert sd.max() == 0
    assert ei.max() == 0
    np.testing.assert_allclose(mean, figure1.OBJECTIVE[cells], atol=1e-6)


def test_the_proposed_posterior_is_constant_inside_every_cell_of_the_integer_only() -> None:
    found = figure2.surfaces(rounding(figure2.SPACE))
    cells = np.minimum((figure2.grid()[0][:, 0] * 5).astype(int), 4)
    for surface in (found.mean, found.sd):
        for cell in range(5):
            assert np.ptp(surface[cells == cell], axis=0).max() < 1e-12
        assert np.ptp(surface, axis=1).min() > 1e-3


def test_the_standard_gp_does_not_see_the_steps() -> None:
    found = figure2.surfaces(unrounded)
    cells = np.minimum((figure2.grid()[0][:, 0] * 5).astype(int), 4)
    assert all(np.ptp(found.mean[cells == cell], axis=0).max() > 0.05 for cell in range(5))


def test_figures_are_saved_as_png_and_pdf(tmp_path: Path) -> None:
    save(figure1.figure_1(), tmp_path / "figure1")
    assert (tmp_path / "figure1.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "figure1.pdf").read_bytes().startswith(b"%PDF")
