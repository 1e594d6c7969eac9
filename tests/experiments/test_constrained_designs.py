"""Designs whose constraints are told: each optimiser is judged by what is allowed alone."""

from __future__ import annotations

import math

import pytest

from experiments.constrained_designs import OURS, PENALTY, RANDOM, TPE, run
from experiments.constraints import NOTHING_ALLOWED
from experiments.failures import Run
from experiments.suite.designs import DESIGNS


def test_told_constraints_lead_to_the_best_that_is_allowed() -> None:
    """Ten evaluations a dimension; a penalty ends at a hundredth of the cost or worse there."""
    told, allowed = run(Run("concrete-beam", OURS, 0))
    penalised, _ = run(Run("concrete-beam", PENALTY, 0))
    assert told < -4 < -2 < penalised
    assert 0 < allowed < 1


def test_optunas_samplers_are_told_too() -> None:
    distance, allowed = run(Run("concrete-beam", TPE, 0))
    assert -6 <= distance < 0
    assert allowed > 0


def test_a_run_without_a_design_that_is_allowed_is_far_from_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beam = DESIGNS["concrete-beam"]
    impossible = type(beam)(beam.dimensions, lambda _: (1.0, [1.0]), beam.weight, beam.best)
    monkeypatch.setitem(DESIGNS, "concrete-beam", impossible)
    assert run(Run("concrete-beam", RANDOM, 0)) == (math.log10(NOTHING_ALLOWED), 0.0)
