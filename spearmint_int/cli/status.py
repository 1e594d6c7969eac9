"""`status`: how far the experiment is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from spearmint_int.cli import wording
from spearmint_int.cli.experiment import json_option, on_experiment
from spearmint_int.cli.printing import job_document, print_facts, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.cli.experiment import Experiment
    from spearmint_int.config import Config
    from spearmint_int.jobs import Job, JobStatus
    from spearmint_int.stores import Store


@dataclass(frozen=True)
class Standing:
    """How far an experiment is."""

    counts: dict[JobStatus, int]
    finished: int  # jobs that count against the budget and have ended
    best: Job | None
    last_broken: Job | None


@click.command(short_help="How far it is, and the best so far.")
@json_option
@on_experiment
def status(experiment: Experiment, as_json: bool) -> None:
    """Jobs done, running, waiting and broken, and the best so far."""
    config = experiment.config
    with experiment.store() as store:
        standing, location = _standing(config, store), store.location
    if as_json:
        print_json(_document(config, location, standing))
    else:
        print_facts(_facts(config, location, standing))


def _standing(config: Config, store: Store) -> Standing:
    from spearmint_int.cli.results import best_job, last_jobs  # noqa: PLC0415
    from spearmint_int.jobs import FINISHED, JobStatus  # noqa: PLC0415

    budgets = [store.budget(resource) for resource in config.resources]
    return Standing(
        counts=store.counts(),
        finished=sum(budget[status] for budget in budgets for status in FINISHED),
        best=best_job(store, config.task_name),
        last_broken=next(iter(last_jobs(store, JobStatus.BROKEN, 1)), None),
    )


def _facts(config: Config, location: str, standing: Standing) -> Iterator[tuple[str, str]]:
    of = "" if config.budget is None else f" of {config.budget}"
    each = ", ".join(
        f"{number} {status.value}" for status, number in standing.counts.items() if number
    )
    yield "experiment", config.experiment_name
    yield "store", location
    yield "finished", f"{standing.finished}{of} ({each or 'no jobs yet'})"
    best, broken = standing.best, standing.last_broken
    if best is not None and best.values is not None:
        value = wording.number(best.values[config.task_name], digits=8)
        yield "best", f"{value} at {wording.params(best.params)} (job {best.id})"
    if broken is not None and broken.failures:
        yield "last broken", f"job {broken.id}: {broken.failures[-1].message}"


def _document(config: Config, location: str, standing: Standing) -> dict[str, Any]:
    best = standing.best
    return {
        "experiment": config.experiment_name,
        "store": location,
        "budget": config.budget,
        "finished": standing.finished,
        "jobs": {status.value: number for status, number in standing.counts.items()},
        "best": None if best is None else job_document(best, task=config.task_name),
    }
