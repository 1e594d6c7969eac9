"""Constraints: what models of them are worth, beside a penalty, beside failures and beside chance.

    python -m experiments.constraints

Mixed problems of which the best lies at the edge of what is allowed, 50 evaluations: the bridge of
configs/constrained; a sum of two integers among three, and two reals; a small disc in Branin's
function with an integer; and the pressure vessel (Kannan and Kramer 1994), whose walls come in
sixteenths of an inch. The first optimiser is told all numbers. 'With a penalty' a result that is
not allowed is told as the worst one so far that was, and 'as failures' as NaN: what is left to
those who can't say more. Distances are shares of the best value of the bridge and of the vessel.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

from experiments.pool import THREAD_VARIABLES

os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # before a BLAS is loaded

import click

from experiments.dimension import Dimension, Params
from experiments.failures import SPHERE, Run, compared, endings, sphere
from experiments.markdown import markdown_table
from experiments.ours import space_of
from experiments.peers.adapters import build
from experiments.peers.history import Assignment
from experiments.pool import default_workers
from experiments.statistics import estimate
from experiments.suite.designs import LEAST_VOLUME, vessel_cost, vessel_volume
from experiments.trial import log10_distance
from spearmint_int import Optimizer

EVALUATIONS = 50
OURS, PENALTY, FAILURES, RANDOM = "ours", "with a penalty", "as failures", "random"
OPTIMISERS = (OURS, PENALTY, FAILURES, RANDOM)
HEADINGS = ("problem", "optimiser", "log10 distance", "allowed", "ours better", "worse", "p")
NOTHING_ALLOWED = 1e3  # the distance of a run without any result that counts


@dataclass(frozen=True)
class Problem:
    """A distance to the best that is allowed, and what has to be at least 0."""

    dimensions: tuple[Dimension, ...]
    distance: Callable[[Params], float]
    constraints: Mapping[str, Callable[[Params], float]]

    def allows(self, p: Params) -> bool:
        return all(constraint(p) >= 0.0 for constraint in self.constraints.values())


# --- the problems ---------------------------------------------------------------------------------

YIELD, PRICE = (235.0, 460.0), (1.0, 1.35)  # of plain and of strong steel
BRIDGE = (
    Dimension("beams", 2, 12, integer=True),
    Dimension("steel", 0, 1, integer=True),
    Dimension("height", 0.1, 0.6),
    Dimension("width", 0.02, 0.12),
)
CHEAPEST = 48.622278  # 3 beams of strong steel, at both limits


def bridge_cost(p: Params) -> float:
    weight = 157.0 * p["beams"] * p["width"] * p["height"]
    return float(3.0 * p["beams"] + PRICE[int(p["steel"])] * weight)


def strength(p: Params) -> float:
    stress = 48.0 / (p["beams"] * p["width"] * p["height"] ** 2)
    return float(1.0 - stress / YIELD[int(p["steel"])])


BRANIN = (Dimension("x", -5, 10), Dimension("n", 0, 15, integer=True))
CENTRE, RADIUS2 = (7.0, 13.0), 0.5


def branin(p: Params) -> float:
    x, n = p["x"], p["n"]
    return float((n - 0.129 * x * x + 1.6 * x - 6) ** 2 + 9.6 * math.cos(x) + 10)


LEAST_BRANIN = branin({"x": CENTRE[0] + math.sqrt(RADIUS2), "n": 13})

VESSEL = (
    Dimension("shell", 1, 99, integer=True),
    Dimension("head", 1, 99, integer=True),
    Dimension("radius", 10, 200),
    Dimension("length", 10, 240),
)
LEAST_VESSEL = 6059.71433


PROBLEMS = {
    "bridge": Problem(
        BRIDGE,
        lambda p: bridge_cost(p) / CHEAPEST - 1.0,
        {"strength": strength, "buckling": lambda p: 5.0 - p["height"] / p["width"]},
    ),
    "sum": Problem(SPHERE, sphere, {"sum": lambda p: -1.0 - p["a"] - p["b"]}),
    "disc": Problem(
        BRANIN,
        lambda p: branin(p) - LEAST_BRANIN,
        {"disc": lambda p: RADIUS2 - (p["x"] - CENTRE[0]) ** 2 - (p["n"] - CENTRE[1]) ** 2},
    ),
    "vessel": Problem(
        VESSEL,
        lambda p: vessel_cost(p) / LEAST_VESSEL - 1.0,
        {
            "shell": lambda p: p["shell"] / 16 - 0.0193 * p["radius"],
            "head": lambda p: p["head"] / 16 - 0.00954 * p["radius"],
            "volume": lambda p: vessel_volume(p) - LEAST_VOLUME,
        },
    ),
}


# --- the runs -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ending:
    """The distance of the best evaluation that was allowed, as a logarithm, and how many were."""

    log10: float
    allowed: int


def run(task: Run) -> Ending:
    problem = PROBLEMS[task.problem]
    distances = told_all(problem, task.seed) if task.optimiser == OURS else told_one(task)
    return Ending(log10_distance(min(distances, default=NOTHING_ALLOWED)), len(distances))


def told_all(problem: Problem, seed: int) -> list[float]:
    """The distances of what was allowed, with a model of each constraint."""
    optimizer = Optimizer(
        space_of(problem.dimensions), seed=seed, constraints=list(problem.constraints)
    )
    for _ in range(EVALUATIONS):
        for params in optimizer.ask():
            beside = {name: function(params) for name, function in problem.constraints.items()}
            optimizer.tell(params, {"main": problem.distance(params), **beside})
    return [e.value for e in optimizer.history if problem.allows(e.params)]


def told_one(task: Run) -> list[float]:
    """The same, of an optimiser that is told one number."""
    problem = PROBLEMS[task.problem]
    assignment = Assignment(problem.dimensions, None, EVALUATIONS, task.seed)
    optimiser = build(RANDOM if task.optimiser == RANDOM else OURS, assignment)
    allowed: list[float] = []
    for _ in range(EVALUATIONS):
        params = optimiser.ask()
        value = math.nan
        if problem.allows(params):
            allowed.append(value := problem.distance(params))
        is_penal = task.optimiser == PENALTY and math.isnan(value)
        optimiser.tell(params, max(allowed, default=math.nan) if is_penal else value)
    return allowed


def table(found: dict[Run, Ending], seeds: int) -> str:
    rows = []
    for problem, optimiser in product(PROBLEMS, OPTIMISERS):
        ends = [found[Run(problem, optimiser, seed)] for seed in range(seeds)]
        ours = [found[Run(problem, OURS, seed)].log10 for seed in range(seeds)]
        logs = [end.log10 for end in ends]
        allowed = f"{sum(end.allowed for end in ends) / seeds:.0f} of {EVALUATIONS}"
        others = compared(ours, logs) if optimiser != OURS else ("", "", "")
        rows.append((problem, optimiser, str(estimate(logs)), allowed, *others))
    return markdown_table(HEADINGS, rows)


@click.command(help=__doc__)
@click.option("--seeds", type=int, default=10)
@click.option("--jobs", type=int, default=default_workers(), help="Processes.")
def main(seeds: int, jobs: int) -> None:
    tasks = [
        Run(problem, optimiser, seed)
        for problem, optimiser in product(PROBLEMS, OPTIMISERS)
        for seed in range(seeds)
    ]
    click.echo(table(endings(run, tasks, workers=jobs), seeds))


if __name__ == "__main__":
    main()
