"""How far the search stays below the true maximum of what it climbs, and what more effort brings.

    python -m experiments.search_gap

In 5-D a problem of bbob-mixint has 1024 combinations of integers and one real. The truth is every
combination on a fine grid of the real, the best of them polished. The surfaces are those at moments
of runs with our defaults, on an instance that may be tuned on. The gap is in log EI: 0.01 is
1 % less of the expected improvement.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import numpy as np
from scipy.optimize import minimize_scalar

from experiments.markdown import markdown_table
from experiments.ours import Ours, space_of
from experiments.pool import Failure, default_workers, run_all
from experiments.suite import coco
from experiments.trial import run_trial
from spearmint_int.acquisition import SearchOptions, maximize
from spearmint_int.chooser import Observations, Problem, searched

if TYPE_CHECKING:
    from experiments.suite.problems import Case
    from spearmint_int.acquisition import Surface
    from spearmint_int.arrays import FloatArray
    from spearmint_int.space import Space

DIMENSION, INSTANCE = 5, 1
MOMENTS = (10, 20, 30, 40)  # results that are there when the search is looked at
GRID = np.linspace(0.0, 1.0, 33)
BLOCK = 1024  # points that are looked at together
POLISHED = 30
CLOSE, NEAR = 0.01, 0.1
SEARCHES = {
    "as it is": SearchOptions(),
    "200 candidates": SearchOptions(candidates=200),
    "5000 candidates": SearchOptions(candidates=5000),
    "1 start": SearchOptions(starts=1),
    "20 starts": SearchOptions(starts=20),
    "no last climb": SearchOptions(last_climb=0),
    "5000 candidates, 20 starts": SearchOptions(candidates=5000, starts=20),
    "a batch's later points": SearchOptions().lighter,
}

HEADINGS = (
    "search",
    "surfaces",
    f"gap below {CLOSE}",
    f"below {NEAR}",
    "mean share of EI lost",
    "milliseconds",
)


@dataclass(frozen=True)
class Attempt:
    """What one search found of one surface."""

    gap: float  # in log EI
    seconds: float  # of the processor


def attempts(case: Case) -> dict[str, list[Attempt]]:
    """Every search on the surfaces of one run."""
    problem = coco.load(case)
    space = space_of(problem.dimensions)
    trial = run_trial(
        Ours(problem.dimensions, seed=case.seed),
        problem.target,
        noise=problem.noise[: MOMENTS[-1]],
        recommend_from=len(problem.noise),
    )
    points = np.array([space.encode(params) for params in trial.params])
    values = np.array([problem.target(params) for params in trial.params])
    found: dict[str, list[Attempt]] = {name: [] for name in SEARCHES}
    for n in MOMENTS:
        given = Problem(space, Observations.of(points[:n], values[:n]), seed=case.seed)
        model, surface = searched(given, given.options.acquisition_in_use)
        reached, seconds = [], []
        for options in SEARCHES.values():
            began = time.process_time()
            best = maximize(
                surface, space, options, rng=np.random.default_rng(n), anchors=model.anchors
            )
            seconds.append(time.process_time() - began)
            reached.append(-np.inf if best is None else best.value)
        highest = max(true_maximum(surface, space), *reached)  # a needle may escape the grid
        for name, value, cost in zip(SEARCHES, reached, seconds, strict=True):
            found[name].append(Attempt(highest - value, cost))
    return found


def true_maximum(surface: Surface, space: Space) -> float:
    """Every combination of integers with every real of a grid; the best cells are polished."""
    (real,) = space.real_columns
    rows = np.repeat(space.lattice(), len(GRID), axis=0)
    rows[:, real] = np.tile(GRID, space.cells)
    parts = np.array_split(rows, 1 + len(rows) // BLOCK)
    values = np.concatenate([surface.value(part) for part in parts]).reshape(space.cells, -1)
    tops = rows.reshape(space.cells, len(GRID), -1)[
        np.arange(space.cells), np.argmax(values, axis=1)
    ]
    best = np.argsort(-np.max(values, axis=1), kind="stable")[:POLISHED]
    return max(_polished(surface, row, int(real)) for row in tops[best])


def _polished(surface: Surface, row: FloatArray, real: int) -> float:
    """The top of the hill between the grid's neighbours on both sides of a row."""

    def descend(x: float) -> float:
        there = row.copy()
        there[real] = x
        return -float(surface.value(there[np.newaxis, :])[0])

    ends = np.clip([row[real] - GRID[1], row[real] + GRID[1]], 0.0, 1.0)
    end = minimize_scalar(descend, bounds=tuple(ends), method="bounded", options={"xatol": 1e-7})
    return max(-float(end.fun), -descend(float(row[real])))


@click.command(help=__doc__)
@click.option("--jobs", type=int, default=default_workers(), help="Processes.")
def main(jobs: int) -> None:
    cases = coco.cases((DIMENSION,), coco.FUNCTIONS, (INSTANCE,))
    collected: dict[str, list[Attempt]] = {name: [] for name in SEARCHES}
    for outcome in run_all(attempts, cases, workers=jobs, description="functions"):
        if isinstance(outcome.result, Failure):
            raise SystemExit(1)  # the pool has said why
        for name, found in outcome.result.items():
            collected[name] += found
    click.echo(markdown_table(HEADINGS, [_row(name, found) for name, found in collected.items()]))


def _row(name: str, found: list[Attempt]) -> tuple[str, ...]:
    gaps = np.array([attempt.gap for attempt in found])
    seconds = np.median([attempt.seconds for attempt in found])
    return (
        name,
        str(len(gaps)),
        f"{np.mean(gaps < CLOSE):.0%}",
        f"{np.mean(gaps < NEAR):.0%}",
        f"{np.mean(-np.expm1(-gaps)):.1%}",
        f"{1e3 * seconds:.0f}",
    )


if __name__ == "__main__":
    main()
