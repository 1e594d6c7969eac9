"""The comparison's problems, records and tables, on real runs of small ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.dimension import Dimension
from experiments.ours import Ours, space_of
from experiments.peers.adapters import build, version
from experiments.peers.history import Assignment
from experiments.rows import JsonLines
from experiments.suite import coco, draws, tables, tuning
from experiments.suite.__main__ import PAGE, main, numbers, setting, with_tables
from experiments.suite.plan import REPORTED, TUNED_ON, plan
from experiments.suite.problems import Case
from experiments.suite.runs import Contender, Results, Run, best_so_far, key_of
from spearmint_int import Optimizer

ROOT = Path(__file__).parents[2]


def record(optimizer: str, best: float, **changes: Any) -> dict[str, Any]:
    """A record of a run of four evaluations that ends at `best`."""
    case = {"set": "coco", "problem": "f01-d05", "instance": 1, "repetition": 0}
    curve = {"evaluations": 4, "improvements": [[1, 50.0], [3, best]]}
    return {"optimizer": optimizer, "version": "1", **case, **curve, **changes}


# --- bbob-mixint ---------------------------------------------------------------------------------


def test_the_targets_are_51_from_a_hundred_to_a_hundred_millionth() -> None:
    assert len(coco.TARGETS) == 51
    assert coco.TARGETS[[0, 5, -1]] == pytest.approx([1e2, 1e1, 1e-8])


def test_the_area_is_the_share_of_targets_averaged_over_the_evaluations() -> None:
    nothing, first, all_of_them = 101.0, 100.0, 0.0
    assert coco.area([nothing, nothing]) == 0
    assert coco.area([all_of_them]) == 1
    assert coco.area([nothing, first, all_of_them]) == pytest.approx((0 + 1 / 51 + 1) / 3)


@pytest.mark.parametrize("dimension", coco.DIMENSIONS)
@pytest.mark.parametrize("function", [1, 3, 8, 16, 24])
def test_no_point_is_below_the_optimum_and_the_optimum_has_distance_zero(
    function: int, dimension: int
) -> None:
    target = coco.CocoTarget(Case("coco", coco.problem_name(function, dimension), 2))
    rng = np.random.default_rng(function)
    points = [{d.name: d.from_uniform(rng.random()) for d in target.dimensions} for _ in range(200)]
    problem, minimum = coco._problem(coco.problem_name(function, dimension), 2)
    assert all(target(point) > minimum for point in points)
    optimum = coco._optimum(problem)
    names = [d.name for d in target.dimensions]
    assert target.distance(dict(zip(names, optimum.tolist(), strict=True))) == 0


def test_four_fifths_are_integers_of_2_4_8_and_16_values() -> None:
    dimensions = coco.CocoTarget(Case("coco", "f05-d10", 1)).dimensions
    assert [len(d.values()) for d in dimensions if d.integer] == [2, 2, 4, 4, 8, 8, 16, 16]
    assert [(d.low, d.high) for d in dimensions if not d.integer] == [(-5, 5)] * 2


@pytest.mark.parametrize("instance", [0, 11, 15])
def test_an_instance_that_is_kept_for_others_is_refused(instance: int) -> None:
    with pytest.raises(coco.InstanceRefused, match=f"instance {instance}: only 1 to 10"):
        coco.cases([5], [1], [instance])
    with pytest.raises(coco.InstanceRefused):
        coco.load(Case("coco", "f01-d05", instance))


def test_the_command_refuses_it_in_one_sentence() -> None:
    result = CliRunner().invoke(main, ["--set", "coco", "--instances", "9-11"])
    assert result.exit_code == 2
    assert "instance 11: only 1 to 10 may be run" in result.output


def test_what_is_reported_was_not_tuned_on() -> None:
    assert not set(TUNED_ON) & set(REPORTED)
    of_coco = [run.case.instance for run in plan() if run.case.set == coco.SET]
    assert set(of_coco) == set(REPORTED)


# --- tuning --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tuning.TASKS)
def test_a_task_trains_inside_its_ranges_and_repeats_itself(name: str) -> None:
    task = tuning.TASKS[name]
    low = {d.name: d.from_unit(0) for d in task.dimensions}
    losses = [tuning.Loss(task)(low) for _ in range(2)]
    assert losses[0] == losses[1]
    assert 0 < losses[0] < tuning.WORST
    assert any(d.integer for d in task.dimensions)


def test_one_neighbour_is_far_worse_than_the_rest_in_log_loss() -> None:
    loss = tuning.Loss(tuning.TASKS["neighbours-cancer"])
    fixed: dict[str, float | int] = {"p": 2, "distance_weights": 0, "components": 6}
    assert loss({**fixed, "n_neighbors": 1}) > 4 * loss({**fixed, "n_neighbors": 15})


# --- runs and records ----------------------------------------------------------------------------


def arguments(folder: Path, *more: str) -> list[str]:
    chosen = ["--set", "coco", "--functions", "1-2", "--optimizers", "random", "--jobs", "1"]
    return [*chosen, "--output", str(folder), *more]


def test_a_run_that_is_there_is_not_made_again(tmp_path: Path) -> None:
    first = CliRunner().invoke(main, arguments(tmp_path))
    stored = (tmp_path / "coco" / "random.jsonl").read_text()
    second = CliRunner().invoke(main, arguments(tmp_path))
    assert first.exit_code == second.exit_code == 0
    assert stored.count("\n") == 2
    assert (tmp_path / "coco" / "random.jsonl").read_text() == stored


def test_a_killed_comparison_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "coco" / "random.jsonl"
    command = [
        sys.executable,
        "-m",
        "experiments.suite",
        *arguments(tmp_path, "--functions", "1-9"),
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    while not path.exists() or path.stat().st_size == 0:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = JsonLines(path).read()
    with path.open("a") as file:
        file.write('{"optimizer":"ran')  # as a kill in the middle of a write would leave it
    assert CliRunner().invoke(main, arguments(tmp_path, "--functions", "1-9")).exit_code == 0
    after = JsonLines(path).read()
    assert after[: len(before)] == before
    assert sorted(r["problem"] for r in after) == [coco.problem_name(f, 5) for f in range(1, 10)]


def test_a_failed_run_is_written_down_and_tried_again(tmp_path: Path) -> None:
    results = Results(tmp_path)
    run = Run(Contender("random"), Case("coco", "f01-d05", 1))
    results.append(record("random", 1.0, version=version("random"), error="RuntimeError: no"))
    assert results.missing([run]) == [run]
    results.append(record("random", 1.0, version=version("random")))
    assert results.missing([run]) == []
    assert ["error" in r for r in results.read("coco")] == [False]


def test_settings_make_a_label_and_a_key_of_their_own() -> None:
    case = Case("coco", "f01-d05", 1)
    plain, set_ = Contender("ours"), Contender("ours", (("initial_points", 6),))
    assert set_.label == "ours[initial_points=6]"
    assert Run(plain, case).key != Run(set_, case).key


def test_settings_reach_ours() -> None:
    assignment = Assignment(draws.load(Case("paper", "2d", 0)).dimensions, 0.0, 30, seed=0)
    optimizer: Any = build("ours-noiseless", assignment, initial_points=6)
    options = optimizer._optimizer.options
    assert (options.likelihood, options.initial_points) == ("NOISELESS", 6)


def test_the_curve_comes_back_from_its_improvements() -> None:
    assert best_so_far(record("a", 2.0)) == [50.0, 50.0, 2.0, 2.0]


def test_a_key_is_the_same_from_a_run_and_from_its_record() -> None:
    run = Run(Contender("random"), Case("coco", "f01-d05", 1))
    assert run.key == key_of(record("random", 1.0, version=version("random")))


def test_numbers_and_settings_are_read_from_the_command_line() -> None:
    assert numbers("1-3,7") == (1, 2, 3, 7)
    assert setting("initial_points=6") == ("initial_points", 6)
    assert setting("output_warp=none") == ("output_warp", "none")


# --- tables --------------------------------------------------------------------------------------


def test_the_table_counts_better_and_worse_of_ours() -> None:
    records = [
        record(name, best, problem=coco.problem_name(function, 5))
        for function in range(1, 6)
        for name, best in (("ours", 1e-3), ("other", 1.0 if function > 1 else 1e-5))
    ]
    cells = tables.coco_table(records, "ours").splitlines()[-1].split(" | ")
    assert cells[0].endswith("other")
    assert cells[5:7] == ["4", "1"]


def test_a_batch_is_asked_for_at_once() -> None:
    dimensions = (Dimension("x", 0.0, 1.0, integer=False), Dimension("k", 0, 9, integer=True))
    batched, plain = (Ours(dimensions, seed=1, batch=batch) for batch in (4, 1))
    first = [batched.ask() for _ in range(4)]
    for params in first:
        batched.tell(params, params["x"])
    asked = Optimizer(space_of(dimensions), seed=1).ask(4)
    assert first == asked
    assert plain.ask() == asked[0]


def test_an_optimiser_with_a_few_of_the_problems_is_not_shown() -> None:
    records = [
        record(name, 1.0, problem=coco.problem_name(function, 5))
        for name, count in (("ours", 9), ("third", 3), ("few", 2))
        for function in range(1, count + 1)
    ]
    table = tables.coco_table(records, "ours")
    assert "third" in table
    assert "few" not in table


def test_only_the_latest_version_of_an_optimiser_is_shown() -> None:
    records = [record("ours", 1.0, version="1"), record("ours", 2.0, version="2")]
    assert tables.latest_versions(records) == records[1:]


def test_ranks_share_ties() -> None:
    runs = [
        record(name, loss, set="tuning", problem="svm-digits", repetition=seed, evaluations=40)
        for seed in range(3)
        for name, loss in (("a", 0.1), ("b", 0.1), ("c", 0.3))
    ]
    lines = tables.ranks_table(runs, "a", "abc").splitlines()[2:]
    assert [line.split(" | ")[3].split()[0] for line in lines] == ["1.50", "1.50", "3.00"]


def test_slow_peers_are_ranked_on_their_runs_and_do_not_shorten_the_others_table() -> None:
    runs = [
        record(name, loss, set="tuning", problem="svm-digits", repetition=seed, evaluations=40)
        for name, loss, count in (("ours", 0, 9), ("quick", 1, 8), ("slow", 2, 4), ("-", 3, 1))
        for seed in range(count)
    ]
    quick, slow = tables.quick_and_slow(runs, "ours")
    assert (quick, slow) == (["ours", "quick"], ["slow"])
    first, second = (tables.ranks_table(runs, "ours", names) for names in (quick, [*quick, *slow]))
    assert [line.split(" | ")[1] for line in first.splitlines()[2:]] == ["8", "8"]
    assert [line.split(" | ")[1] for line in second.splitlines()[2:]] == ["4", "4", "4"]


def test_the_page_shows_the_tables_of_the_last_report() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = with_tables(page, "| a new table |\n")
    assert "| a new table |" in shown
    assert "### bbob-mixint, 5-D" in page
    assert "### bbob-mixint, 5-D" not in shown
    summary = (PAGE.parent / "results" / "summary.md").read_text(encoding="utf-8")
    assert with_tables(shown, summary) == page
