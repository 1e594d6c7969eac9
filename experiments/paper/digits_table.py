"""Computes the table of the digits experiment: `python -m experiments.paper.digits_table`.

A fit takes seconds and Figure 4 needs 30 000 of them, so the objective of the repetitions is a
table of the real one, made here once and kept in the repository. The nodes are wide where the loss
is large and smooth, and close where it is small. There it is rough: trees change their splits from
one learning rate to the next, so that half the spacing does not bring a smaller error. `--check`
trains midway between the nodes as well, which is what the stated interpolation error is measured
against.
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
    for node in np.concatenate([np.linspace(-3, -2, 11), np.linspace(-1.95, 0, 40)])
)
ROUGH_FROM = -1.5
# Every midpoint for shallow trees; every third for deep ones, whose training takes long.
CHECK_STRIDE = {1: 1, 2: 1, 3: 1, 4: 3, 5: 3}

Points = list[tuple[float, int]]


def table_points() -> Points:
    """Every node at every depth."""
    return [(node, depth) for depth in DEPTHS for node in NODES]


def check_points() -> Points:
    """Midpoints, the worst place of an interpolation, where the loss is rough."""
    rough = np.array([node for node in NODES if node >= ROUGH_FROM])
    middles = [round(float(middle), 4) for middle in (rough[:-1] + rough[1:]) / 2]
    return [(middle, depth) for depth in DEPTHS for middle in middles[:: CHECK_STRIDE[depth]]]


def compute(target: RowFile, points: Points) -> None:
    """Train at every point that `target` lacks."""
    loss: Callable[[float, int], float] = runpy.run_path(str(OBJECTIVE_FILE))["validation_loss"]
    done = target.keys(COLUMNS[:2])
    missing = [(node, depth) for node, depth in points if (str(node), str(depth)) not in done]
    for node, depth in track(missing, description=f"training for {target.path.name}"):
        row = {"log10_learning_rate": node, "max_depth": depth, "loss": loss(node, depth)}
        target.append([row])


def main() -> None:
    """The table, then, if asked for, the points between its nodes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="also train between the nodes")
    arguments = parser.parse_args()
    compute(TABLE, table_points())
    if arguments.check:
        compute(CHECK, check_points())


if __name__ == "__main__":
    main()
