"""The paper's command: tables from runs, failures kept, and what is done is not done again."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from experiments.paper import curves
from experiments.paper.__main__ import _parser, main, run_missing, tasks_of
from experiments.paper.panels import COLUMNS, PANELS, PaperTask, row_of
from experiments.paper.summary import HEADINGS, markdown
from experiments.pool import Failure, Outcome
from experiments.rows import RowFile
from experiments.trial import Trial

if TYPE_CHECKING:
    from pathlib import Path


def row(treatment: str, repetition: int, distances: str, status: str = "ok") -> dict[str, str]:
    key = {"panel": "2d", "treatment": treatment, "repetition": str(repetition), "seed": "0"}
    empty = dict.fromkeys(COLUMNS, "")
    return {**empty, **key, "status": status, "evaluated": distances, "repeats": "0"}


ROWS = [
    *(row("proposed", r, "1 0.01 0.0001") for r in range(6)),
    *(row("basic", r, f"1 0.1 {0.01 * (r + 1):g}") for r in range(6)),
]


def test_curves_are_means_of_logarithms_with_standard_errors() -> None:
    curve = curves.curves_of(ROWS)["2d", "proposed", "evaluated"]
    np.testing.assert_allclose(curve.mean, [0, -2, -4])
    np.testing.assert_allclose(curve.standard_error, 0, atol=1e-12)


def test_the_paired_test_compares_the_end_and_the_whole_curve() -> None:
    tests = list(curves.test_rows(curves.curves_of(ROWS)))
    assert [test["at"] for test in tests] == ["end", "curve"]
    assert all(test["proposed_lower"] == 6 for test in tests)
    assert float(str(tests[0]["p_value"])) == pytest.approx(2 / 2**6, abs=1e-4)
    assert tests[0]["curve_share_below"] == pytest.approx(2 / 3, abs=1e-3)


def test_only_repetitions_that_both_have_are_paired() -> None:
    rows = [*ROWS[:-1], row("basic", 5, "", status="failed")]
    assert next(curves.test_rows(curves.curves_of(rows)))["pairs"] == 5


def test_the_summary_has_the_ends_the_tests_and_the_repeats() -> None:
    found = curves.curves_of(ROWS)
    table = markdown(ROWS, found, list(curves.test_rows(found))).splitlines()
    assert len(table) == 3
    cells = dict(zip(HEADINGS, (cell.strip() for cell in table[2].split("|")[1:-1]), strict=True))
    assert cells["proposed"] == "-4.00 ± 0.00"
    assert cells["basic"].startswith("-1.5")
    assert cells["below basic"] == "67% of the curve"
    assert float(cells["p, end"]) == pytest.approx(2 / 2**6, abs=1e-4)
    assert (cells["naive"], cells["repeats %"]) == ("", "0 / 0 / –")


def test_a_failed_run_stays_in_the_final_table() -> None:
    rows = [*ROWS, row("naive", 0, "", status="failed")]
    assert [r["treatment"] for r in curves.final_rows(rows) if r["status"] == "failed"] == ["naive"]


def test_a_run_that_was_made_again_counts_by_its_last_row() -> None:
    rows = [row("naive", 0, "", status="failed"), row("naive", 0, "1 0.5 0.1")]
    (last,) = curves.latest(rows)
    assert last["status"] == "ok"


def test_the_row_of_a_failure_says_why() -> None:
    outcome: Outcome[PaperTask, Trial] = Outcome(PaperTask("2d", "basic", 3, 0), Failure("why"))
    assert row_of(outcome) == {
        "panel": "2d",
        "treatment": "basic",
        "repetition": "3",
        "seed": "0",
        "status": "failed",
        "error": "why",
    }


def test_all_means_every_panel_with_a_hundred_repetitions() -> None:
    tasks = tasks_of(_parser().parse_args(["--all"]))
    assert len(tasks) == 100 * 3 * len(PANELS)
    assert {task.panel for task in tasks} == set(PANELS)


def test_the_noise_is_the_papers_and_only_where_it_belongs() -> None:
    variances = {name: panel.noise_variance for name, panel in PANELS.items()}
    assert variances == {"2d": 0, "4d": 0, "2d-noisy": 0.01, "4d-noisy": 0.001, "digits": 0}
    assert PANELS["2d"].errors(0) == [0.0] * 50


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    arguments = _parser().parse_args(
        ["--panels", "2d", "--repetitions", "1", "--workers", "1", "--output", str(tmp_path)]
    )
    main(arguments)
    runs = RowFile(tmp_path / "runs.csv", COLUMNS)
    first = runs.read()
    # As if the last run had been cut short by a kill, in the middle of its line.
    runs.path.write_bytes(runs.path.read_bytes()[:-20])
    run_missing(runs, arguments)
    second = runs.read()
    assert second[:2] == first[:2]
    assert [r["treatment"] for r in second] == ["proposed", "basic", "naive"]
    # The same seed gives the same run, whenever it is made.
    assert second[2]["evaluated"] == first[2]["evaluated"]
    assert json.loads((tmp_path / "metadata.json").read_text())["seed"] == 0
    with (tmp_path / "final.csv").open() as file:
        assert [r["status"] for r in csv.DictReader(file)] == ["ok"] * 3
