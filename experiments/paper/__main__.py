"""Runs the paper's experiments and draws its figures.

    python -m experiments.paper --all                     everything, 100 repetitions
    python -m experiments.paper --all --repetitions 5     a quick look (give it another --output)
    python -m experiments.paper --panels 2d 2d-noisy      some panels only

Resumable: a run that is in the results is not made again; one that failed is tried again.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from experiments.metadata import PACKAGES, metadata, write_metadata
from experiments.paper import curves as tables
from experiments.paper import plots
from experiments.paper.figure1 import figure_1
from experiments.paper.figure2 import figure_2
from experiments.paper.panels import (
    COLUMNS,
    KEY,
    PANELS,
    TREATMENTS,
    PaperTask,
    row_of,
    run_repetition,
)
from experiments.paper.summary import markdown
from experiments.pool import default_workers, run_all
from experiments.rows import RowFile
from experiments.trial import FLOOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RESULTS = Path(__file__).parent / "results"


def tasks_of(arguments: argparse.Namespace) -> list[PaperTask]:
    """A repetition at a time through all treatments: an unfinished panel is still paired."""
    return [
        PaperTask(panel, treatment, repetition, arguments.seed)
        for panel in arguments.panels
        for repetition in range(arguments.repetitions)
        for treatment in TREATMENTS
    ]


def run_missing(results: RowFile, arguments: argparse.Namespace) -> None:
    """Every run that has no result yet."""
    done = {tuple(row[name] for name in KEY) for row in results.read() if row["status"] == "ok"}
    missing = [task for task in tasks_of(arguments) if task.key not in done]
    description = f"{len(missing)} runs"
    workers = arguments.workers
    for outcome in run_all(run_repetition, missing, workers=workers, description=description):
        results.append([row_of(outcome)])


def write_tables(rows: Sequence[dict[str, str]], output: Path) -> list[dict[str, object]]:
    """The tidy tables and their summary; returns the paired tests."""
    curves = tables.curves_of(rows)
    tests = list(tables.test_rows(curves))
    _write_csv(output / "curves.csv", tables.CURVE_COLUMNS, tables.curve_rows(curves.values()))
    _write_csv(output / "final.csv", tables.FINAL_COLUMNS, tables.final_rows(rows))
    _write_csv(output / "tests.csv", tables.TEST_COLUMNS, tests)
    (output / "summary.md").write_text(markdown(rows, curves, tests), encoding="utf-8")
    return tests


def draw_figures(rows: Sequence[dict[str, str]], output: Path) -> None:
    """All four, and the noisy panels by their other measure."""
    curves = tables.curves_of(rows)
    figures = {
        "figure1": figure_1(),
        "figure2": figure_2(),
        "figure3": plots.figure_3(curves),
        "figure3-evaluated": plots.figure_3_evaluated(curves),
        "figure4": plots.figure_4(curves),
    }
    for name, figure in figures.items():
        plots.save(figure, output / name)


def main(arguments: argparse.Namespace) -> None:
    """Runs, tables, figures, metadata, and a report on the terminal."""
    started = time.time()
    results = RowFile(arguments.output / "runs.csv", COLUMNS)
    run_missing(results, arguments)
    rows = [row for row in results.read() if row["seed"] == str(arguments.seed)]
    tests = write_tables(rows, arguments.output)
    draw_figures(rows, arguments.output)
    facts = metadata(
        (*PACKAGES, "matplotlib"),
        seed=arguments.seed,
        repetitions=arguments.repetitions,
        floor=FLOOR,
        minutes_of_the_last_start=round((time.time() - started) / 60, 1),
        workers=arguments.workers,
    )
    write_metadata(arguments.output / "metadata.json", facts)
    _report(rows, tests)


def _report(rows: Sequence[dict[str, str]], tests: Sequence[dict[str, object]]) -> None:
    # A pipe or a narrow terminal would cut the cells.
    console = Console(width=max(Console().width, 170))
    shown = Table(*tables.TEST_COLUMNS, title="proposed against the others (Wilcoxon signed-rank)")
    for test in tests:
        shown.add_row(*(str(test[column]) for column in tables.TEST_COLUMNS))
    console.print(shown)
    failed = [row for row in tables.latest(rows) if row["status"] != "ok"]
    console.print(f"{len(tables.latest(rows))} runs, {len(failed)} of them failed.")
    for row in failed:
        console.print(f"  {row['panel']} {row['treatment']} {row['repetition']}: {row['error']}")


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[dict[str, object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.paper",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--all", dest="panels", action="store_const", const=tuple(PANELS))
    which.add_argument("--panels", nargs="*", choices=tuple(PANELS), help="none: figures only")
    parser.add_argument("--repetitions", type=int, default=100, help="of each panel (100)")
    parser.add_argument("--seed", type=int, default=0, help="the base seed (0)")
    parser.add_argument("--workers", type=int, default=default_workers())
    parser.add_argument("--output", type=Path, default=RESULTS)
    return parser


if __name__ == "__main__":
    main(_parser().parse_args())
