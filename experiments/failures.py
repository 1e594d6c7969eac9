"""Evaluations that fail: what a model of the failures is worth, beside a penalty and beside peers.

    python -m experiments.failures

Three integers and two reals around a known minimum, 50 evaluations, of which some fail: those in a
half of the space that has the minimum at its edge, or beside it, or those of a quarter of the
integers' combinations, here and there; and a network that is the better the larger it is, until it
does not fit. These are what the model of failures was made with. The fifth is not: bbob-mixint in
5-D, instances 4 to 6, of which everything above the middle fails, and with it the best of many.
An optimiser is told NaN, as its users would tell it; 'with a penalty' ours is told the worst result
so far instead.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from typing import TypeVar

from experiments.pool import THREAD_VARIABLES

os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # before a BLAS is loaded

import click

from experiments.dimension import Dimension, Params
from experiments.markdown import markdown_table
from experiments.peers.adapters import build
from experiments.peers.history import Assignment
from experiments.pool import Failure, default_workers, run_all
from experiments.statistics import estimate, paired_test
from experiments.suite import coco
from experiments.suite.plan import THREE
from experiments.trial import log10_distance

E = TypeVar("E")  # what a run ends with
EVALUATIONS = 50
PENALTY = "ours, with a penalty"
OPTIMISERS = ("ours", PENALTY, "optuna-gp", "optuna-tpe", "random")
HEADINGS = ("problem", "optimiser", "log10 distance", "failed", "ours better", "worse", "p")
CENTRE = {"a": 3, "b": -4, "c": 7, "x": 1.2, "y": -2.3}
SPHERE = (
    Dimension("a", -10, 10, integer=True),
    Dimension("b", -10, 10, integer=True),
    Dimension("c", 0, 20, integer=True),
    Dimension("x", -5, 5),
    Dimension("y", -5, 5),
)
NETWORK = (
    Dimension("layers", 1, 20, integer=True),
    Dimension("width", 1, 100, integer=True),
    Dimension("rate", 0, 1),
)
MEMORY = 400  # layers times width


@dataclass(frozen=True)
class Problem:
    """A distance to its minimum, and where it can't be had."""

    dimensions: tuple[Dimension, ...]
    distance: Callable[[Params], float]
    fails: Callable[[Params], bool]


def sphere(p: Params) -> float:
    return float(sum((p[name] - centre) ** 2 for name, centre in CENTRE.items()))


def in_a_bad_cell(p: Params) -> bool:
    """A quarter of the cells, by their hash; not that of the minimum."""
    cell = [int(p[name]) for name in "abc"]
    bad = sha256(repr(cell).encode()).digest()[0] % 4 == 0
    return bad and cell != [CENTRE[name] for name in "abc"]


def network_loss(p: Params) -> float:
    """The larger the better, with eight layers or so."""
    size = math.log(p["layers"] * p["width"])
    return float((p["rate"] - 0.3) ** 2 - size + (p["layers"] - 8) ** 2 / 40)


def does_not_fit(p: Params) -> bool:
    return p["layers"] * p["width"] > MEMORY


LEAST_LOSS = min(
    network_loss({"layers": layers, "width": width, "rate": 0.3})
    for layers, width in product(range(1, 21), range(1, 101))
    if layers * width <= MEMORY
)
BBOB = "bbob-mixint"
CASES = coco.cases((5,), coco.FUNCTIONS, THREE)
MIDDLE = 0.55  # of the mean of all inputs
PROBLEMS = {
    "at the edge": Problem(SPHERE, sphere, lambda p: p["a"] + p["b"] > -1),
    "beside the edge": Problem(SPHERE, sphere, lambda p: p["a"] + p["b"] > 2),
    "here and there": Problem(SPHERE, sphere, in_a_bad_cell),
    "out of memory": Problem(NETWORK, lambda p: network_loss(p) - LEAST_LOSS, does_not_fit),
}


def problem_of(name: str, seed: int) -> Problem:
    """The seed is the number of the case where there are many."""
    if name != BBOB:
        return PROBLEMS[name]
    target = coco.CocoTarget(CASES[seed])

    def is_above_the_middle(p: Params) -> bool:
        places = [d.to_unit(p[d.name]) for d in target.dimensions]
        return sum(places) / len(places) > MIDDLE

    return Problem(target.dimensions, target.distance, is_above_the_middle)


def runs_of(name: str, seeds: int) -> range:
    return range(len(CASES) if name == BBOB else seeds)


@dataclass(frozen=True)
class Run:
    """Who is to solve what."""

    problem: str
    optimiser: str
    seed: int


@dataclass(frozen=True)
class Ending:
    """The distance of the best evaluation that worked, as a logarithm, and how many did not."""

    log10: float
    failed: int


def run(task: Run) -> Ending:
    warnings.simplefilter("ignore")  # Optuna tells of each failure
    problem, has_penalty = problem_of(task.problem, task.seed), task.optimiser == PENALTY
    assignment = Assignment(problem.dimensions, None, EVALUATIONS, task.seed)
    optimiser = build("ours" if has_penalty else task.optimiser, assignment)
    worked: list[float] = []
    for _ in range(EVALUATIONS):
        params = optimiser.ask()
        value = math.nan
        if not problem.fails(params):
            worked.append(value := problem.distance(params))
        told = max(worked, default=math.nan) if has_penalty and math.isnan(value) else value
        optimiser.tell(params, told)
    return Ending(log10_distance(min(worked, default=math.inf)), EVALUATIONS - len(worked))


def endings(run: Callable[[Run], E], tasks: Sequence[Run], *, workers: int) -> dict[Run, E]:
    """What came of each run; the first that fails ends the program."""
    found: dict[Run, E] = {}
    for outcome in run_all(run, tasks, workers=workers, description=f"{len(tasks)} runs"):
        if isinstance(outcome.result, Failure):
            raise SystemExit(outcome.result.error)
        found[outcome.task] = outcome.result
    return found


def compared(ours: Sequence[float], others: Sequence[float]) -> tuple[str, str, str]:
    """How often ours is better and worse, and the p value."""
    test = paired_test(ours, others)
    return str(test.first_lower), str(test.second_lower), f"{test.p_value:.2g}"


def table(found: dict[Run, Ending], seeds: int) -> str:
    rows = []
    for problem, optimiser in product((*PROBLEMS, BBOB), OPTIMISERS):
        numbers = runs_of(problem, seeds)
        ends = [found[Run(problem, optimiser, seed)] for seed in numbers]
        ours = [found[Run(problem, "ours", seed)].log10 for seed in numbers]
        logs = [end.log10 for end in ends]
        failed = f"{sum(end.failed for end in ends) / len(ends):.0f} of {EVALUATIONS}"
        others = compared(ours, logs) if optimiser != "ours" else ("", "", "")
        rows.append((problem, optimiser, str(estimate(logs)), failed, *others))
    return markdown_table(HEADINGS, rows)


@click.command(help=__doc__)
@click.option("--seeds", type=int, default=20)
@click.option("--jobs", type=int, default=default_workers(), help="Processes.")
def main(seeds: int, jobs: int) -> None:
    tasks = [
        Run(problem, optimiser, seed)
        for problem, optimiser in product((*PROBLEMS, BBOB), OPTIMISERS)
        for seed in runs_of(problem, seeds)
    ]
    click.echo(table(endings(run, tasks, workers=jobs), seeds))


if __name__ == "__main__":
    main()
