"""Compares this project with its peers on the paper's synthetic problems.

Resumable: a run that is in the results is not made again; one that failed is tried again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.table import Table

from experiments.metadata import PACKAGES, metadata, write_metadata
from experiments.peers.adapters import PEERS
from experiments.peers.runs import COLUMNS, EVALUATIONS, KEY, PeerTask, row_of, run_peer
from experiments.peers.summary import HEADINGS, markdown, summarise
from experiments.pool import default_workers, run_all
from experiments.rows import RowFile

METHODS = ("proposed", "optuna", "bayesian-optimization", "botorch", "random")
PEER_PACKAGES = ("optuna", "bayesian-optimization", "scikit-optimize", "botorch", "torch")
RESULTS = Path(__file__).parent / "results"


def tasks_of(arguments: argparse.Namespace) -> list[PeerTask]:
    """A draw at a time through all the methods: an unfinished comparison is still paired."""
    return [
        PeerTask(problem, noisy, draw, method, EVALUATIONS[problem])
        for problem in arguments.problems
        for draw in range(arguments.draws)
        for noisy in (False, True)
        for method in arguments.methods
    ]


def compare(arguments: argparse.Namespace) -> None:
    """Runs what is missing, then writes and prints the table."""
    results = RowFile(arguments.output / "runs.csv", COLUMNS)
    done = {tuple(row[name] for name in KEY) for row in results.read() if row["status"] == "ok"}
    missing = [task for task in tasks_of(arguments) if task.key not in done]
    description = f"{len(missing)} runs"
    for outcome in run_all(run_peer, missing, workers=arguments.workers, description=description):
        results.append([row_of(outcome)])
    table = summarise(results.read(), tuple(PEERS))
    (arguments.output / "summary.md").write_text(markdown(table), encoding="utf-8")
    facts = metadata((*PACKAGES, *PEER_PACKAGES), evaluations=EVALUATIONS)
    write_metadata(arguments.output / "metadata.json", facts)
    _print(table)


def _print(table: list[dict[str, str]]) -> None:
    shown = Table(*HEADINGS)
    for cells in table:
        shown.add_row(*(cells[heading] for heading in HEADINGS))
    # A pipe or a narrow terminal would cut the cells.
    Console(width=max(Console().width, 190)).print(shown)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments.peers", description=__doc__)
    parser.add_argument("--draws", type=int, default=10, help="draws of each problem (10)")
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=tuple(PEERS))
    parser.add_argument(
        "--problems", nargs="+", default=tuple(EVALUATIONS), choices=tuple(EVALUATIONS)
    )
    parser.add_argument("--workers", type=int, default=default_workers())
    parser.add_argument("--output", type=Path, default=RESULTS)
    return parser


if __name__ == "__main__":
    compare(_parser().parse_args())
