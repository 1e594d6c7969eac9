"""The suite's engineering designs with their constraints told: what that is worth beside penalties.

    python -m experiments.constrained_designs --seeds 5     # in the suite's environment

Ours and Optuna's samplers are told every number that must not be above 0; ours 'with a penalty' and
at random are told what `suite/designs.py` makes of them. 10 evaluations a dimension; the distance
is the excess of the best design that is allowed over the best that is known, as a share of it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from experiments.pool import THREAD_VARIABLES

os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # before a BLAS is loaded

import click

from experiments.constraints import NOTHING_ALLOWED
from experiments.failures import Run, compared, endings
from experiments.markdown import markdown_table
from experiments.ours import space_of
from experiments.peers.adapters import build
from experiments.peers.history import Assignment
from experiments.pool import default_workers
from experiments.statistics import estimate
from experiments.suite.designs import DESIGNS, EVALUATIONS_PER_DIMENSION, Design
from experiments.trial import log10_distance
from spearmint_int import Optimizer

if TYPE_CHECKING:
    from experiments.dimension import Params

OURS, GP, TPE = "ours", "optuna-gp", "optuna-tpe"
PENALTY, RANDOM = "ours, with a penalty", "random"
OPTIMISERS = (OURS, GP, TPE, PENALTY, RANDOM)
HEADINGS = ("design", "optimiser", "log10 distance", "allowed", "ours better", "worse", "p")


def run(task: Run) -> tuple[float, float]:
    """log10 of the distance, and the share of the evaluations that was allowed."""
    design = DESIGNS[task.problem]
    asked = {OURS: of_ours, GP: of_optuna, TPE: of_optuna}.get(task.optimiser, of_penalties)
    judged = [design.judge(params) for params in asked(design, task)]
    costs = [cost for cost, excesses in judged if max(excesses) <= 0.0]
    distance = min(costs) / design.best - 1.0 if costs else NOTHING_ALLOWED
    return log10_distance(distance), len(costs) / len(judged)


def evaluations(design: Design) -> int:
    return EVALUATIONS_PER_DIMENSION * len(design.dimensions)


def of_ours(design: Design, task: Run) -> Iterator[Params]:
    """With a model of each constraint, which is fulfilled from 0 on."""
    names = [f"g{i}" for i in range(constraints_of(design))]
    optimizer = Optimizer(space_of(design.dimensions), seed=task.seed, constraints=names)
    for _ in range(evaluations(design)):
        for params in optimizer.ask():
            cost, excesses = design.judge(params)
            numbers = {name: -g for name, g in zip(names, excesses, strict=True)}
            optimizer.tell(params, {"main": cost, **numbers})
            yield params


def of_optuna(design: Design, task: Run) -> Iterator[Params]:
    """A trial is told its constraints one by one; they must not be above 0."""
    import optuna  # noqa: PLC0415 - the rest runs without it

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = (
            optuna.samplers.GPSampler(seed=task.seed, deterministic_objective=True)
            if task.optimiser == GP
            else optuna.samplers.TPESampler(seed=task.seed)
        )
        study = optuna.create_study(sampler=sampler)
    for _ in range(evaluations(design)):
        trial = study.ask()
        params: Params = {
            d.name: trial.suggest_int(d.name, int(d.low), int(d.high))
            if d.integer
            else trial.suggest_float(d.name, d.low, d.high)
            for d in design.dimensions
        }
        cost, excesses = design.judge(params)
        for i, excess in enumerate(excesses):
            trial.set_constraint(f"g{i}", excess)
        study.tell(trial, cost)
        yield params


def of_penalties(design: Design, task: Run) -> Iterator[Params]:
    assignment = Assignment(design.dimensions, 0.0, evaluations(design), task.seed)
    optimiser = build(RANDOM if task.optimiser == RANDOM else OURS, assignment)
    for _ in range(evaluations(design)):
        params = optimiser.ask()
        optimiser.tell(params, design.value(params))
        yield params


def constraints_of(design: Design) -> int:
    anywhere = {dimension.name: dimension.from_unit(0.5) for dimension in design.dimensions}
    return len(design.judge(anywhere)[1])


def table(found: dict[Run, tuple[float, float]], designs: Sequence[str], seeds: int) -> str:
    rows = []
    for name, optimiser in product(designs, OPTIMISERS):
        logs, allowed = zip(*(found[Run(name, optimiser, s)] for s in range(seeds)), strict=True)
        ours = [found[Run(name, OURS, seed)][0] for seed in range(seeds)]
        others = compared(ours, list(logs)) if optimiser != OURS else ("", "", "")
        share = f"{100 * sum(allowed) / seeds:.0f} %"
        rows.append((name, optimiser, str(estimate(list(logs))), share, *others))
    return markdown_table(HEADINGS, rows)


@click.command(help=__doc__)
@click.option("--designs", default=",".join(DESIGNS), help="By name, with commas.")
@click.option("--seeds", type=int, default=5)
@click.option("--jobs", type=int, default=default_workers(), help="Processes.")
def main(designs: str, seeds: int, jobs: int) -> None:
    names = designs.split(",")
    tasks = [
        Run(name, optimiser, seed)
        for seed in range(seeds)
        for name, optimiser in product(names, OPTIMISERS)
    ]
    click.echo(table(endings(run, tasks, workers=jobs), names, seeds))


if __name__ == "__main__":
    main()
