"""Why a job was chosen, in a few lines."""

from __future__ import annotations

from spearmint_int.explanation_text import reasons


def test_a_models_choice_names_its_value_and_the_runner_ups() -> None:
    provenance = {
        "source": "sobol, refined", "acquisition": "ei", "value": 0.25, "runner_up": {"value": 0.2},
        "observations": 21, "pending": 1, "failed": 2, "seconds": 0.29, "repeat": False,
    }  # fmt: skip
    assert dict(reasons(provenance)) == {
        "chosen by": "expected improvement 0.25 (runner-up 0.2), found by sobol, refined",
        "knowing": "19 results, 1 pending, 2 failed; chosen in 0.29 s",
    }


def test_a_point_of_the_design_has_no_value() -> None:
    provenance = {"source": "initial design", "observations": 1, "pending": 0}
    assert dict(reasons(provenance)) == {
        "chosen by": "initial design",
        "knowing": "1 result, 0 pending",
    }


def test_where_nothing_worked_there_is_no_result() -> None:
    provenance = {"observations": 1, "pending": 0, "failed": 1}
    assert dict(reasons(provenance)) == {"knowing": "0 results, 0 pending, 1 failed"}


def test_a_random_point_says_why_and_a_repeat_says_so() -> None:
    provenance = {"source": "random", "reason": "no candidate had a value", "repeat": True}
    assert list(dict(reasons(provenance))) == ["chosen by", "because", "repeat"]


def test_a_result_that_was_brought_has_no_reasons() -> None:
    assert list(reasons({})) == []


def test_a_chain_that_could_not_sample_is_told() -> None:
    assert "could not be sampled" in dict(reasons({"chain": {"fallback": True}}))["model"]
    assert list(reasons({"chain": {"fallback": False}})) == []


def test_what_is_sought_before_any_place_fulfils_the_constraints_is_spelt_out() -> None:
    provenance = {"source": "sobol", "acquisition": "feasibility", "value": 0.25}
    text = "probability that every constraint holds 0.25, found by sobol"
    assert dict(reasons(provenance)) == {"chosen by": text}
