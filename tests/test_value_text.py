"""Numbers and times as people read them."""

from __future__ import annotations

import math

import pytest

from spearmint_int import result_text, value_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0.0004, "0.4 ms"),
        (0.123, "0.12 s"),
        (9.94, "9.9 s"),
        (48.2, "48 s"),
        (80, "1 min 20 s"),
        (1500, "25 min"),
        (7500, "2 h 5 min"),
        (270_000, "3 d 3 h"),
    ],
)
def test_durations_have_the_unit_that_fits(seconds: float | None, text: str) -> None:
    assert value_text.duration(seconds) == text


@pytest.mark.parametrize(
    ("mean", "sd", "text"),
    [
        (0.41234, 0.0131, "0.412 ± 0.013"),
        (23.1784, 0.32, "23.18 ± 0.32"),
        (1234.5, 250.0, "1234 ± 250"),
        (0.5, 0.0, "0.5"),
        (0.5, math.nan, "0.5"),
        (1.2341e-7, 2e-9, "1.234e-07 ± 2e-09"),
        (51.35596232503652, 1.8e-10, "51.35596233 ± 1.8e-10"),
        (51.35596232503652, 1.8e-15, "51.356"),
        (0.0, 1e-300, "0 ± 1e-300"),
        (0.1, 1.7e-8, "0.1 ± 1.7e-08"),
    ],
)
def test_an_estimate_has_the_digits_that_its_sd_makes_sense_of(
    mean: float, sd: float, text: str
) -> None:
    assert value_text.estimate(mean, sd) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.1234567, "0.123457"),
        (1234567.84, "1234568"),
        (999999.7, "999999.7"),
        (-123456789.4, "-123456789"),
        (12345678912.0, "1.23457e+10"),
        (math.inf, "inf"),
        (7, "7"),
        (None, "–"),
    ],
)
def test_a_number_has_a_few_digits_and_all_before_its_point(x: float | None, text: str) -> None:
    assert value_text.number(x) == text


@pytest.mark.parametrize(
    ("x", "other", "text"),
    [
        (0.25, None, "0.25"),
        (0.25, 0.5, "0.25"),
        (0.1000002, 0.100011, "0.1"),
        (0.1000000038, 0.1000002, "0.10000000"),
        (0.1000000010, 0.1000000012, "0.10000000100"),
        (1e-300, 1.0000003e-300, "1.00000000e-300"),
        (0.0, 1e-9, "0"),
        (-1234.56789, -1234.5677, "-1234.56789"),
        (1234567.0, 1234500.0, "1234567"),
        (1.0, math.inf, "1"),
        (1.0, 1.0, "1"),
        (math.nextafter(1.0, 0.0), 1.0, "0.99999999999999989"),
    ],
)
def test_a_number_that_beats_another_is_told_from_it(
    x: float, other: float | None, text: str
) -> None:
    assert value_text.number_unlike(x, other) == text


def test_parameters_are_short_and_integers_whole() -> None:
    params = {"x": 0.1234567, "n": 100000, "w": [1, 2.5], "kind": "a"}
    assert value_text.params(params) == "x=0.123457 n=100000 w=[1, 2.5] kind=a"


def test_an_objective_that_is_not_a_number_failed_and_a_metric_is_none() -> None:
    values = {"main": math.nan, "trees": math.nan, "seconds": 1.5}
    assert dict(result_text.results(values, objective="main")) == {
        "main": "failed here (NaN or infinite)", "trees": "NaN", "seconds": "1.5",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("probability", "text"),
    [(1.0, "100 %"), (1 - 1e-11, "99.999999 %"), (0.9997, "99.970 %"), (0.5, "50 %")],
)
def test_what_is_less_than_certain_is_never_100_percent(probability: float, text: str) -> None:
    assert value_text.chance(probability) == text
