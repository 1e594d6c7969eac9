"""`status`: how far the experiment is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from spearmint_int.cli import value_text
from spearmint_int.cli.arguments import json_option, on_folder
from spearmint_int.cli.output import job_document, print_facts, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.cli.arguments import Folder
    from spearmint_int.config import Config
    from spearmint_int.jobs import Job, JobStatus
    from spearmint_int.stores import Store


@dataclass(frozen=True)
class StatusReport:
    """How far an experiment is."""

    counts: dict[JobStatus, int]
    finished: int  # jobs that count against the budget and have ended
    best: Job | None
    last_broken: Job | None


@click.command(short_help="How far it is, and the best so far.")
@json_option
@on_folder
def status(folder: Folder, as_json: bool) -> None:
    """Jobs done, running, waiting and broken, and the best so far."""
    config = folder.config
    with folder.store() as store:
        report, location = _report(config, store), store.location
    if as_json:
        print_json(_document(config, location, report))
    else:
        print_facts(_facts(config, location, report))


def _report(config: Config, store: Store) -> StatusReport:
    from spearmint_int.cli.results import best_job, last_jobs  # noqa: PLC0415
    from spearmint_int.jobs import FINISHED, JobStatus  # noqa: PLC0415

    budgets = [store.budget(resource) for resource in config.resources]
    return StatusReport(
        counts=store.counts(),
        finished=sum(budget[status] for budget in budgets for status in FINISHED),
        best=best_job(store, config.task_name),
        last_broken=next(iter(last_jobs(store, JobStatus.BROKEN, 1)), None),
    )


def _facts(config: Config, location: str, report: StatusReport) -> Iterator[tuple[str, str]]:
    of = "" if config.budget is None else f" of {config.budget}"
    each = ", ".join(
        f"{number} {status.value}" for status, number in report.counts.items() if number
    )
    yield "experiment", config.experiment_name
    yield "store", location
    yield "finished", f"{report.finished}{of} ({each or 'no jobs yet'})"
    best, broken = report.best, report.last_broken
    if best is not None and best.values is not None:
        value = value_text.number(best.values[config.task_name])
        yield "best", f"{value} at {value_text.params(best.params)} (job {best.id})"
    if broken is not None and broken.failures:
        yield "last broken", f"job {broken.id}: {broken.failures[-1].message}"


def _document(config: Config, location: str, report: StatusReport) -> dict[str, Any]:
    best = report.best
    return {
        "experiment": config.experiment_name,
        "store": location,
        "budget": config.budget,
        "finished": report.finished,
        "jobs": {status.value: number for status, number in report.counts.items()},
        "best": None if best is None else job_document(best, task=config.task_name),
    }
