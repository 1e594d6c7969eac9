"""Means, errors and the paired test, on numbers that can be checked by hand."""

from __future__ import annotations

import math

import pytest

from experiments.statistics import estimate, paired_test


def test_the_standard_error_is_the_deviation_over_the_root_of_the_number() -> None:
    result = estimate([1.0, 2.0, 3.0, 4.0])
    assert result.mean == 2.5
    assert result.standard_error == pytest.approx(math.sqrt(5 / 3) / 2)


def test_a_single_value_has_no_standard_error() -> None:
    assert math.isnan(estimate([1.0]).standard_error)


def test_five_of_five_pairs_have_the_exact_signed_rank_probability() -> None:
    result = paired_test([0, 0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0, 5.0])
    assert result.p_value == pytest.approx(2 / 2**5)
    assert (result.first_lower, result.second_lower) == (5, 0)
    assert result.median_difference == -3


def test_pairs_without_any_difference_are_no_evidence() -> None:
    assert paired_test([1.0, 1.0], [1.0, 1.0]).p_value == 1.0
