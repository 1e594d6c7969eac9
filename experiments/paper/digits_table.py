"""Computes the table of the digits experiment: `python -m experiments.paper.digits_table`.

A fit takes seconds and Figure 4 needs 30 000 of them, so the objective of the repetitions is a
table of the real one, made here once and kept in the repository. The nodes are close where the loss
is small and wide where it is large and smooth. `--check` trains at points between the nodes as
well, which is what the stated interpolation error is measured against.
"""

from __future__ import annotations

import argparse
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.progress import track

from experiments.rows import RowFile

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
OBJECTIVE_FILE = ROOT / "configs" / "paper-digits" / "boosting.py"
COLUMNS = ("log10_learning_rate", "max_depth", "loss")
TABLE = RowFile(Path(__file__).parent / "data" / "digits_table.csv", COLUMNS)
CHECK = RowFile(Path(__file__).parent / "data" / "digits_check.csv", COLUMNS)

DEPTHS = (1, 2, 3, 4, 5)
NODES = tuple(
    round(float(node), 4)
    for node in np.concatenate(
        [np.linspace(-3, -2, 11), np.linspace(-1.95, -1.5, 10), np.linspace(-1.475, 0, 60)]
    )
)
CHECK_POINTS_PER_DEPTH = 10


def check_nodes() -> tuple[float, ...]:
    """Off-grid points: the midpoint of every interval is the worst place, so take midpoints."""
    middles = (np.array(NODES)[:-1] + np.array(NODES)[1:]) / 2
    chosen = np.linspace(0, len(middles) - 1, CHECK_POINTS_PER_DEPTH).round().astype(int)
    return tuple(round(float(middle), 5) for middle in middles[chosen])


def compute(target: RowFile, nodes: tuple[float, ...]) -> None:
    """Train at every node that `target` lacks."""
    loss: Callable[[float, int], float] = runpy.run_path(str(OBJECTIVE_FILE))["validation_loss"]
    done = target.keys(COLUMNS[:2])
    points = [(node, depth) for depth in DEPTHS for node in nodes]
    missing = [(node, depth) for node, depth in points if (str(node), str(depth)) not in done]
    for node, depth in track(missing, description=f"training for {target.path.name}"):
        row = {"log10_learning_rate": node, "max_depth": depth, "loss": loss(node, depth)}
        target.append([row])


def main() -> None:
    """The table, then, if asked for, the points between its nodes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="also train between the nodes")
    arguments = parser.parse_args()
    compute(TABLE, NODES)
    if arguments.check:
        compute(CHECK, check_nodes())


if __name__ == "__main__":
    main()
