"""Changing one's mind: what `check` says beforehand, and what a run then does."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine
from tests.places import DATABASE

X = {"type": "FLOAT", "min": -1, "max": 1}
N = {"type": "INT", "min": 0, "max": 4}


def declare(folder: Path, **variables: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    config |= {"variables": variables, "max-finished-jobs": 2, "burnin": 5}
    (folder / "config.json").write_text(json.dumps(config))


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "wider": (
        {"x": X, "n": {"type": "INT", "min": 0, "max": 20}},
        "variables.n: was 0 to 4 and is 0 to 20 now: all results are kept and inform the model",
    ),
    "narrower": (
        {"x": {"type": "FLOAT", "min": -0.5, "max": 0.75}, "n": N},
        "variables.x: was -1 to 1 and is -0.5 to 0.75 now: all results are kept and inform the "
        "model, also those outside of the new bounds",
    ),
    "fixed": (
        {"x": X, "n": {"type": "INT", "min": 1, "max": 1}},
        "variables.n: was 0 to 4 and is fixed at 1 now",
    ),
    "added": (
        {"x": X, "n": N,
         "k": {"type": "ENUM", "options": ["a", "b"], "was": "b"}},
        'variables.k: is new: the results so far count as "b"',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_check_says_what_will_happen_and_the_run_goes_on_with_all_results(
    spearmint: CommandLine, with_results: Path, name: str
) -> None:
    variables, sentence = CHANGES[name]
    (with_results / "objective.py").write_text("def main(job_id, params): return params['x'] ** 2")
    declare(with_results, **variables)
    assert sentence in spearmint("check", with_results).out
    for command in ("best", "suggest", "status", "export"):
        assert spearmint(command, with_results).code == 0
    answer = spearmint("run", with_results)
    assert answer.code == 0, answer.err
    job = spearmint("show", with_results, "6", "--json").json
    assert job["provenance"]["observations"] == 5
    assert sentence not in spearmint("check", with_results).out  # it has happened


def test_an_option_can_come_and_another_go(spearmint: CommandLine, experiment: Path) -> None:
    declare(experiment, kind={"type": "ENUM", "options": ["a", "b"]}, x=X)
    (experiment / "objective.py").write_text("def main(job_id, params): return params['x'] ** 2")
    (experiment / "old.csv").write_text("kind,x,value\na,0.5,0.25\nb,0.1,0.01\nb,-0.5,0.25\n")
    assert spearmint("add", experiment, experiment / "old.csv").code == 0
    declare(experiment, kind={"type": "ENUM", "options": ["c", "b"]}, x=X)
    assert 'the model leaves out results with "a"' in spearmint("check", experiment).out
    assert spearmint("run", experiment).code == 0
    job = spearmint("show", experiment, "4", "--json").json
    assert job["provenance"]["observations"] == 2
    assert len(spearmint("jobs", experiment, "--json").json) == 5


def test_an_export_has_the_value_that_earlier_jobs_had_of_a_new_variable(
    spearmint: CommandLine, with_results: Path
) -> None:
    declare(with_results, k={"type": "INT", "min": 0, "max": 9, "was": 3}, x=X,
            n=N)  # fmt: skip
    rows = list(csv.DictReader(spearmint("export", with_results).out.splitlines()))
    assert [(row["k"], row["x"], row["n"]) for row in rows][1] == ("3", "-0.25", "0")


def test_every_command_has_the_value_that_earlier_jobs_had_of_a_new_variable(
    spearmint: CommandLine, with_results: Path
) -> None:
    declare(with_results, k={"type": "INT", "min": 0, "max": 9, "was": 3}, x=X, n=N)
    assert "0.0625           complete  3  -0.25  0" in spearmint("jobs", with_results).out
    assert "k=3 x=-0.25 n=0" in spearmint("best", with_results).out
    for command in ("jobs", "export"):
        (_, second, *_) = spearmint(command, with_results, "--json").json
        assert second["params"] == {"k": 3, "x": -0.25, "n": 0}


def test_a_run_tells_the_best_of_earlier_jobs_with_the_value_of_a_new_variable(
    spearmint: CommandLine, with_results: Path
) -> None:
    (with_results / "objective.py").write_text("def main(job_id, params): return 7.0")
    declare(with_results, k={"type": "INT", "min": 0, "max": 9, "was": 3}, x=X, n=N)
    assert "best: 0.0625 at k=3 x=-0.25 n=0 (job 2)" in spearmint("run", with_results).out
    assert "k: 3\nx: -0.25\nn: 0\n" in (with_results / "best_job_and_result.txt").read_text()


def test_a_vector_that_is_new_had_its_value_in_every_element(
    spearmint: CommandLine, with_results: Path
) -> None:
    declare(with_results, k={"type": "INT", "min": 0, "max": 9, "size": 2, "was": 3}, x=X, n=N)
    assert spearmint("show", with_results, "2", "--json").json["params"]["k"] == [3, 3]


def test_an_export_with_a_new_variable_can_be_added(
    spearmint: CommandLine, with_results: Path
) -> None:
    declare(with_results, k={"type": "INT", "min": 0, "max": 9, "was": 3}, x=X, n=N)
    spearmint("export", with_results, "-o", with_results / "old.json")
    known = spearmint("add", with_results, with_results / "old.json").out
    assert "4 left out, which are there already" in known
    again = spearmint("add", with_results, with_results / "old.json", "--again").out
    assert "4 results added" in again


def test_a_best_value_outside_of_the_present_bounds_is_told_with_the_best_within_them(
    spearmint: CommandLine, with_results: Path
) -> None:
    declare(with_results, x={"type": "FLOAT", "min": 0.25, "max": 1}, n=N)
    out = spearmint("best", with_results).out
    assert "0.0625 (job 2, outside of the present bounds)" in out
    assert "lowest within them  1.25 (job 1)" in out
    assert "within them  1.25 at x=0.5 n=1 (job 1)" in spearmint("status", with_results).out
    assert spearmint("best", with_results, "--json").json["observed_within_bounds"]["id"] == 1


def test_bounds_without_a_result_have_no_best(spearmint: CommandLine, with_results: Path) -> None:
    declare(with_results, x=X, n={"type": "INT", "min": 8, "max": 9})
    assert "lowest within them  no result yet" in spearmint("best", with_results).out


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"x": X}, "variables.n: is gone, but the results so far have it; keep it, with min and"),
        ({"x": X, "n": {"type": "ENUM", "options": [0, 1]}}, "was INT and is ENUM now"),
        ({"x": X | {"size": 2}, "n": N}, "had size 1 and has 2"),
        (
            {"x": X, "n": N, "k": {"type": "INT", "min": 0, "max": 1}},
            'variables.k: is new; say which value the results so far had, "was": …',
        ),
    ],
)  # fmt: skip
def test_a_change_that_cant_be_names_the_way_out(
    spearmint: CommandLine, with_results: Path, variables: dict[str, Any], sentence: str
) -> None:
    declare(with_results, **variables)
    answer = spearmint("check", with_results)
    assert answer.code == 2
    assert sentence in answer.err
    assert "copy config and objective into a new folder, or start anew with" in answer.err


def second_config(folder: Path) -> None:
    """b.json beside config.json: another objective under another name."""
    config = json.loads((folder / "config.json").read_text())
    config |= {"experiment-name": "b", "main-file": "b.py"}
    (folder / "b.json").write_text(json.dumps(config))
    (folder / "b.py").write_text("def main(job_id, params): return 1.0")


@pytest.mark.parametrize(
    "words",
    ["check", "run", "status", "best", "jobs", "show 1", "suggest", "export", "stop", "clean --yes",
     "retry --all", "repair --delete", "backup copy", "add results.csv", "report -o x.html"],
)  # fmt: skip
def test_a_second_experiment_in_a_folder_is_not_handed_the_first_ones_jobs(
    spearmint: CommandLine,
    with_results: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
) -> None:
    second_config(with_results)
    monkeypatch.chdir(with_results)
    answer = spearmint(*words.split(), "--config", "b.json")
    assert answer.code == 2
    assert (
        "b.json: experiment-name: spearmint.sqlite in this folder holds the jobs of" in answer.err
    )
    assert len(spearmint("jobs", "--json").json) == 4


def test_a_second_experiment_runs_nothing_beside_the_first_although_it_is_on_a_server(
    spearmint: CommandLine, with_results: Path, mongo_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(with_results)
    config = json.loads(Path("config.json").read_text()) | {"chooser": "random_chooser"}
    Path("config.json").write_text(json.dumps(config))
    assert spearmint("run").code == 0
    second_config(with_results)
    config = json.loads(Path("b.json").read_text())
    config["database"] = {"address": mongo_uri, "name": DATABASE}
    Path("b.json").write_text(json.dumps(config))
    for words in ("check", "run", "add results.csv", "suggest --reserve", "clean --yes"):
        answer = spearmint(*words.split(), "--config", "b.json")
        assert answer.code == 2
        assert "has the outputs of another experiment, that of config.json, not" in answer.err
    assert Path("output/00000005.out").exists()


def test_check_and_run_tell_of_another_main_file(
    spearmint: CommandLine, with_results: Path
) -> None:
    (with_results / "objective.py").rename(with_results / "renamed.py")
    config = json.loads((with_results / "config.json").read_text())
    (with_results / "config.json").write_text(json.dumps(config | {"main-file": "renamed.py"}))
    sentence = "was objective in the first run, and is renamed.py now: results so far count as"
    assert f"main-file: {sentence}" in spearmint("check", with_results).out
    assert f"main-file {sentence}" in spearmint("run", with_results).out


def test_clean_is_a_way_out_of_a_renamed_task(spearmint: CommandLine, with_results: Path) -> None:
    config = json.loads((with_results / "config.json").read_text())
    config["tasks"] = {"error": {"type": "OBJECTIVE"}}
    (with_results / "config.json").write_text(json.dumps(config))
    assert "start anew with 'spearmint-int clean'" in spearmint("status", with_results).err
    assert spearmint("clean", "--yes", with_results).code == 0
    assert spearmint("check", with_results).code == 0
