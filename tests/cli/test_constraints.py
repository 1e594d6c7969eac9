"""Constraints on the command line: what is best, and what is said where nothing fulfils them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine

TASKS = {
    "cost": {"type": "objective", "likelihood": "NOISELESS"},
    "load": {"type": "Constraint", "likelihood": "NOISELESS"},
    "size": {"type": "CONSTRAINT", "likelihood": "NOISELESS", "min_confidence": 0.9},
}
CONFIG: dict[str, Any] = {
    "main-file": "objective",
    "max-finished-jobs": 6,
    "tasks": TASKS,
    "variables": {
        "x": {"type": "FLOAT", "min": -1, "max": 1},
        "n": {"type": "INT", "min": 0, "max": 4},
    },
}
OBJECTIVE = """def main(job_id, params):
    x, n = float(params['x'][0]), int(params['n'][0])
    return {'cost': x ** 2 + n, 'load': n - 1.5, 'size': 1 - x}
"""
RESULTS = """x,n,value,load,metrics.size
0,0,0,-1,1
0.5,2,2.25,1,0.5
-0.5,2,2.25,1,
1,3,4,2,0
0.25,4,4.06,3,0.75
0.1,1,,0,0.9
"""
UNFULFILLED = {1: "load", 3: "size"}


@pytest.fixture
def bound(tmp_path: Path) -> Path:
    folder = tmp_path / "bound"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "objective.py").write_text(OBJECTIVE)
    return folder


@pytest.fixture
def with_results(bound: Path, spearmint: CommandLine) -> Path:
    """The best value does not fulfil a constraint, and the next one is without a number of one."""
    return brought(bound, spearmint, RESULTS)


@pytest.fixture
def hopeless(bound: Path, spearmint: CommandLine) -> Path:
    return brought(bound, spearmint, "x,n,value,load\n0,0,0,-1\n1,4,5,-2\n0.5,2,3,-1\n")


def brought(folder: Path, spearmint: CommandLine, results: str) -> Path:
    (folder / "results.csv").write_text(results)
    answer = spearmint("add", folder, folder / "results.csv")
    assert answer.code == 0, answer.err
    return folder


def edited(folder: Path, objective: str) -> Path:
    (folder / "objective.py").write_text(objective)
    return folder


# --- what is best ---------------------------------------------------------------------------------


def test_the_best_is_the_best_of_what_fulfils_every_constraint(
    spearmint: CommandLine, with_results: Path
) -> None:
    assert spearmint("status", with_results, "--json").json["best"]["id"] == 2
    assert spearmint("best", with_results, "--json").json["observed"]["id"] == 2
    assert "(job 2)" in spearmint("best", with_results).out
    assert "3 of 5 results fulfil every one" in spearmint("status", with_results).out


def test_where_nothing_fulfils_every_constraint_that_is_said(
    spearmint: CommandLine, hopeless: Path
) -> None:
    status = spearmint("status", hopeless)
    assert (status.code, "no result fulfils every constraint" in status.out) == (0, True)
    assert "no result has a number for size: return it by that name" in status.out
    best = spearmint("best", hopeless).out
    assert "lowest value     no result fulfils every constraint" in best
    assert "no result has a number for size: return it by that name" in best
    assert "nowhere is the model sure enough of every constraint" in best
    document = spearmint("best", hopeless, "--json").json
    assert document["observed"] is None
    assert document["model"]["constraints"]["load"] < 0.99
    assert spearmint("status", hopeless, "--json").json["best"] is None
    certainty = spearmint("certainty", hopeless)
    assert certainty.out == "no place is known where every constraint holds\n"


def test_the_model_recommends_where_constraints_hold_and_says_how_likely(
    spearmint: CommandLine, with_results: Path
) -> None:
    model = spearmint("best", with_results, "--json").json["model"]
    assert set(model["constraints"]) == {"load", "size"}
    assert model["constraints"]["load"] >= 0.99
    assert model["constraints"]["size"] >= 0.9
    assert model["note"] is None


def test_a_job_is_shown_with_what_it_fulfils(spearmint: CommandLine, with_results: Path) -> None:
    facts = [
        line.split(maxsplit=1) for line in spearmint("show", with_results, "1").out.split("\n")
    ]
    shown = {fact[0]: fact[1] for fact in facts if len(fact) == 2}
    assert (shown["load"], shown["size"]) == ("-1 (not fulfilled)", "1 (fulfilled)")
    listed = spearmint("jobs", with_results).out.splitlines()[1:]
    judged = ["(" in line for line in listed]
    assert judged == [True, False, True, False, False, False]
    assert "(load not fulfilled)" in listed[0]
    assert "(size without a number)" in listed[2]


def test_the_report_has_the_best_that_counts(
    spearmint: CommandLine, with_results: Path, tmp_path: Path
) -> None:
    assert spearmint("report", with_results, "-o", tmp_path / "report.html").code == 0
    text = (tmp_path / "report.html").read_text()
    assert "<dt>best</dt><dd>2.25 (job 2)</dd>" in text
    assert "<td>complete, load not fulfilled</td>" in text
    assert "&quot;min-confidence&quot;: 0.9" in text
    assert "<dd></dd>" not in text


def test_the_report_says_that_nothing_fulfils_every_constraint(
    spearmint: CommandLine, hopeless: Path, tmp_path: Path
) -> None:
    assert spearmint("report", hopeless, "-o", tmp_path / "report.html").code == 0
    text = (tmp_path / "report.html").read_text()
    assert "<dt>best</dt><dd>no result fulfils every constraint</dd>" in text
    assert "no place is known where every constraint holds" in text
    assert "sure that no point is better" not in text


def test_nothing_is_certain_while_a_constraint_has_no_number(
    spearmint: CommandLine, bound: Path
) -> None:
    brought(bound, spearmint, "x,n,value,load\n0,0,0,1\n1,4,5,2\n0.5,2,3,1\n")
    certainty = spearmint("certainty", bound)
    assert certainty.out == "no place is known where every constraint holds\n"


# --- files and people -----------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_what_is_exported_has_all_numbers_and_can_be_added_again(
    spearmint: CommandLine, with_results: Path, tmp_path: Path, ending: str
) -> None:
    file = tmp_path / f"jobs.{ending}"
    assert spearmint("export", with_results, "-o", file).code == 0
    again = spearmint("add", with_results, file, "--json").json
    assert (again["added"], again["known"]) == ([], 6)
    jobs = spearmint("jobs", with_results, "--json").json
    unfulfilled = {j["id"]: " ".join(j["unfulfilled"]) for j in jobs if j["unfulfilled"]}
    assert unfulfilled == UNFULFILLED
    assert jobs[0]["metrics"] == {"load": -1, "size": 1}


def test_the_seconds_of_an_exported_job_are_no_constraint_of_that_name(
    spearmint: CommandLine, bound: Path
) -> None:
    timed = CONFIG | {"tasks": TASKS | {"seconds": {"type": "CONSTRAINT"}}}
    (bound / "config.json").write_text(json.dumps(timed))
    spearmint("run", bound, "--plain", "--max-finished-jobs", "1")
    spearmint("export", bound, "-o", bound / "jobs.json")
    again = spearmint("add", bound, bound / "jobs.json", "--json").json
    assert (again["added"], again["known"]) == ([], 1)


def test_a_failure_at_the_point_of_a_job_that_was_stopped_is_news(
    spearmint: CommandLine, bound: Path
) -> None:
    (reserved,) = spearmint("suggest", bound, "--reserve", "--json").json
    spearmint("stop", bound, reserved["id"])
    failed = [{**reserved["params"], "value": None}]
    (bound / "failed.json").write_text(json.dumps(failed))
    assert len(spearmint("add", bound, bound / "failed.json", "--json").json["added"]) == 1


def test_a_result_is_told_with_the_numbers_of_its_constraints(
    spearmint: CommandLine, bound: Path
) -> None:
    spearmint("suggest", bound, "--reserve", "-n", "2")
    answer = spearmint("tell", bound, "1", "0.5", "load=-0.5", "size=2")
    assert answer.out.startswith("job 1: 0.5, load not fulfilled at x=")
    assert spearmint("tell", bound, "2", "0.75", "size=nan").code == 0
    jobs = spearmint("jobs", bound, "--json").json
    assert [j["metrics"] for j in jobs] == [{"load": -0.5, "size": 2}, {"size": None}]
    assert jobs[1]["unfulfilled"] == ["load", "size"]


def test_a_constraint_that_is_told_by_another_name_is_refused(
    spearmint: CommandLine, bound: Path
) -> None:
    spearmint("suggest", bound, "--reserve")
    answer = spearmint("tell", bound, "1", "0.5", "laod=1")
    assert answer.code == 2
    assert "laod=1: no constraint has the name 'laod'; did you mean 'load'?" in answer.err
    assert "load must be a number, got 'x'" in spearmint("tell", bound, "1", "0.5", "load=x").err


# --- a run ----------------------------------------------------------------------------------------


def test_a_run_seeks_what_fulfils_its_constraints_and_explains_itself(
    spearmint: CommandLine, bound: Path
) -> None:
    answer = spearmint("run", bound)
    assert (answer.code, answer.err) == (0, "")
    best = spearmint("best", bound, "--json").json["observed"]
    assert best["params"]["n"] == 2
    assert f"Job-id: {best['id']}\n" in (bound / "best_job_and_result.txt").read_text()
    jobs = spearmint("jobs", bound, "--json").json
    assert [job["value"] is not None for job in jobs] == [True] * 6
    explained = spearmint("explain", bound, "6", "--json").json["explanation"]
    assert set(explained["constraints"]) == {"load", "size"}
    assert "hold with a probability of: load " in spearmint("explain", bound, "6").out
    assert spearmint("replay", bound).code == 0


def test_a_run_in_which_nothing_fulfils_its_constraints_ends_well_and_says_so(
    spearmint: CommandLine, bound: Path
) -> None:
    answer = spearmint("run", edited(bound, OBJECTIVE.replace("n - 1.5", "-1.0 - n")))
    assert answer.code == 0
    assert "best: no result fulfils every constraint" in answer.out
    text = (bound / "best_job_and_result.txt").read_text()
    assert text == "Best result: none; no result fulfils every constraint\n"
    told = spearmint("explain", bound, "6").out
    assert "it is where every constraint was likeliest to hold: no such place was known yet" in told


def test_a_constraint_that_is_missing_or_nan_leaves_the_other_numbers_standing(
    spearmint: CommandLine, bound: Path
) -> None:
    objective = OBJECTIVE.replace("return {", "values = {") + (
        "    del values['load' if job_id % 2 else 'size']\n"
        "    return values | ({'load': float('nan')} if job_id == 4 else {})\n"
    )
    assert spearmint("run", edited(bound, objective)).code == 0
    jobs = spearmint("jobs", bound, "--json").json
    assert [job["status"] for job in jobs] == ["complete"] * 6
    assert [sorted(job["metrics"]) for job in jobs[:2]] == [["size"], ["load"]]
    assert jobs[3]["metrics"] == {"load": None}


def test_a_number_alone_is_told_what_is_wanted_and_nan_alone_is_a_failure(
    spearmint: CommandLine, bound: Path
) -> None:
    objective = "def main(job_id, params):\n    return 0.5 if job_id == 1 else float('nan')\n"
    config = CONFIG | {"max-finished-jobs": 2, "max-attempts": 1}
    (bound / "config.json").write_text(json.dumps(config))
    spearmint("run", edited(bound, objective))
    one, two = spearmint("jobs", bound, "--json").json
    assert one["failure"] == (
        "main() returned one number, but there are several tasks; "
        'return {"cost": …, "load": …, "size": …}'
    )
    assert (two["status"], two["value"]) == ("complete", None)


def test_results_without_a_constraint_are_not_those_of_an_experiment_with_it(
    spearmint: CommandLine, with_results: Path
) -> None:
    tasks = {name: task for name, task in TASKS.items() if name != "size"}
    (with_results / "config.json").write_text(json.dumps(CONFIG | {"tasks": tasks}))
    answer = spearmint("run", with_results)
    assert answer.code == 2
    assert "tasks: the results so far are of cost, load, size, not of cost, load" in answer.err


def test_true_and_false_say_whether_a_constraint_is_met(
    spearmint: CommandLine, bound: Path
) -> None:
    objective = """import numpy as np
def main(job_id, params):
    return {'cost': 1.0, 'load': job_id > 1, 'size': np.float64(job_id) > 2}
"""
    spearmint("run", edited(bound, objective), "--max-finished-jobs", "3")
    assert [job["metrics"] for job in spearmint("jobs", bound, "--json").json] == [
        {"load": -1, "size": -1}, {"load": 1, "size": -1}, {"load": 1, "size": 1},
    ]  # fmt: skip


def test_a_constraint_without_a_number_is_told_from_one_that_is_not_fulfilled(
    spearmint: CommandLine, bound: Path
) -> None:
    edited(bound, OBJECTIVE.replace("'load': n - 1.5", "'laod': 1").replace("1 - x", "-1"))
    said = spearmint("run", bound, "--max-finished-jobs", "1").out
    assert "size not fulfilled, load without a number" in said
    assert "(size not fulfilled, load without a number)" in spearmint("jobs", bound).out
    assert "load       missing (not fulfilled)" in spearmint("show", bound, "1").out


def test_check_counts_the_constraints_and_knows_their_type(
    spearmint: CommandLine, bound: Path
) -> None:
    assert "NOISELESS, 2 constraints; budget" in spearmint("check", bound).out
    tasks = TASKS | {"load": {"type": "CONSTRAIN"}}
    (bound / "config.json").write_text(json.dumps(CONFIG | {"tasks": tasks}))
    assert "must be OBJECTIVE or CONSTRAINT, got" in spearmint("check", bound).err
