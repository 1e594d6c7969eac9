"""`certainty`, `explain`, `replay` and `audit` on a run that has ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spearmint_int.cli.certainty import likeliest
from spearmint_int.cli.program import exit_code
from spearmint_int.experiment.explanation import Expected
from spearmint_int.explanation_text import outcome_text
from tests.cli.conftest import CONFIG, OBJECTIVE, CommandLine


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment of eight jobs, six of which a model has chosen."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "config.json").write_text(json.dumps(CONFIG | {"max-finished-jobs": 8}))
    (folder / "objective.py").write_text(OBJECTIVE)
    assert exit_code(["run", str(folder)]) == 0
    return folder


def test_the_chances_of_an_integer_add_up(finished: Path, spearmint: CommandLine) -> None:
    told = spearmint("certainty", finished, "--json").json
    chances = told["probability_of_best"]["n"]
    assert [row["value"] for row in chances] == [0, 1, 2, 3, 4]
    assert sum(row["probability"] for row in chances) == pytest.approx(1.0)
    assert told["regret"]["95 %"] >= 0


def test_the_values_that_are_not_shown_are_summed_up() -> None:
    rows = likeliest(dict.fromkeys(range(70), 0.01) | {70: 0.3})
    assert len(rows) == 9
    assert rows[-2:] == [("70", 0.3), ("others", pytest.approx(0.63))]
    assert likeliest({"a": 0.25, "b": 0.75}) == [("a", 0.25), ("b", 0.75)]


def test_a_long_option_is_cut() -> None:
    (label, _), *_ = likeliest({"a-very-long-option-of-a-variable": 1.0})
    assert label == "a-very-long-option-…"


def test_people_see_bars(finished: Path, spearmint: CommandLine) -> None:
    out = spearmint("certainty", finished).out
    assert "95 % sure that no point is better" in out
    assert "(looked at 500 points)" in out


def test_a_chosen_job_is_explained(finished: Path, spearmint: CommandLine) -> None:
    answer = spearmint("explain", finished, "8")
    for part in ("expected", "exploration", "runner-up", "decisive", "it turned out"):
        assert part in answer.out


def test_the_sd_that_an_outcome_is_counted_in_stands_beside_it() -> None:
    told = outcome_text(1.0, Expected(3.0, 2.0), -1.0)
    assert told == "1, 1.0 sd below the 3.0 ± 2.0 of one evaluation, noise included: as expected"


def test_every_suggestion_is_the_same_again(finished: Path, spearmint: CommandLine) -> None:
    answer = spearmint("replay", finished)
    assert (answer.code, answer.out) == (0, "8 of 8 suggestions the same\n")


def test_a_changed_setting_is_told(finished: Path, spearmint: CommandLine, tmp_path: Path) -> None:
    other = CONFIG | {"max-finished-jobs": 8, "mcmc-iters": 3}
    (finished / "other.json").write_text(json.dumps(other))
    answer = spearmint("replay", finished, "8", "--config", "other.json")
    assert answer.code == 1
    assert "from data or settings that have changed since" in answer.out


def test_replay_says_what_differs_where_the_parameters_do_not(
    spearmint: CommandLine, experiment: Path
) -> None:
    config = CONFIG | {"variables": {"n": {"type": "INT", "min": 0, "max": 2}}}
    (experiment / "objective.py").write_text("def main(job_id, params): return params['n'][0]")
    (experiment / "config.json").write_text(json.dumps(config))
    assert spearmint("run", experiment).code == 0  # the third of three integers is the one left
    (experiment / "config.json").write_text(json.dumps(config | {"maximize": True}))
    answer = spearmint("replay", experiment, "3")
    assert answer.code == 1
    assert " both times, but worth " in answer.out
    assert "from settings that have changed since: maximize was false" in answer.out


@pytest.mark.parametrize("highest", [1, 40])
def test_variables_that_were_declared_anew_are_told(
    finished: Path, spearmint: CommandLine, highest: int
) -> None:
    variables = CONFIG["variables"] | {"n": {"type": "INT", "min": 0, "max": highest}}
    (finished / "anew.json").write_text(json.dumps(CONFIG | {"variables": variables}))
    anew = ("--config", "anew.json")
    explained, replayed = (spearmint(c, finished, "8", *anew) for c in ("explain", "replay"))
    assert "were declared anew since" in explained.out
    assert "the same, bit for bit with the variables of that time" in replayed.out
    assert spearmint("audit", finished, *anew).out == spearmint("audit", finished).out


def test_the_audit_counts_what_rounding_repeats(finished: Path, spearmint: CommandLine) -> None:
    rows = spearmint("audit", finished, "--json").json
    assert [row["treatment"] for row in rows] == ["naive", "basic"]
    assert all(0 <= row["repeats"] <= row["asked"] == 6 for row in rows)


def test_a_result_that_was_brought_is_no_choice(with_results: Path, spearmint: CommandLine) -> None:
    assert "not a chooser" in spearmint("explain", with_results, "1").out
    answer = spearmint("replay", with_results, "1")
    assert answer.code == 2
    assert "its point was given" in answer.err


def test_programs_get_json_also_where_there_is_no_model(
    spearmint: CommandLine, experiment: Path
) -> None:
    (experiment / "one.csv").write_text("x,n,value\n0.5,1,1.25\n")
    assert spearmint("add", experiment, experiment / "one.csv").code == 0
    answer = spearmint("certainty", experiment, "--json")
    assert answer.code == 0
    assert answer.json["regret"] is None
    assert answer.json["reason"] == "two results are needed for a model"
