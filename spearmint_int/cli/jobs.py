"""`jobs`: a line for each job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spearmint_int.cli import wording
from spearmint_int.cli.experiment import json_option, on_experiment
from spearmint_int.cli.printing import job_document, print_json, print_table

if TYPE_CHECKING:
    from spearmint_int.cli.experiment import Experiment
    from spearmint_int.jobs import Job

SHOWN_JOBS = 50
HEADER = ("id", "value", "seconds", "status", "parameters")


@click.command(short_help="List the jobs.")
@click.option(
    "--status", "name", type=click.Choice(["new", "pending", "complete", "broken"]),
    help="Only jobs of this status.",
)  # fmt: skip
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Only the newest N jobs.")
@click.option("--all", "all_jobs", is_flag=True, help=f"All, not only the newest {SHOWN_JOBS}.")
@json_option
@on_experiment
def jobs(
    experiment: Experiment, name: str | None, limit: int | None, all_jobs: bool, as_json: bool
) -> None:
    """List the jobs: the newest ones, or with --all every one (as --json does)."""
    from spearmint_int.cli.results import last_jobs  # noqa: PLC0415
    from spearmint_int.jobs import JobStatus  # noqa: PLC0415

    status = None if name is None else JobStatus(name)
    if limit is None and not (all_jobs or as_json):
        limit = SHOWN_JOBS
    with experiment.store() as store:
        found = last_jobs(store, status, limit)
        counts = store.counts()
    task = experiment.config.task_name
    if as_json:
        print_json([job_document(job, task=task) for job in found])
        return
    print_table(HEADER, [_row(job, task) for job in found], right=3)
    total = sum(counts.values()) if status is None else counts[status]
    if len(found) < total:
        click.echo(f"({total - len(found)} older jobs not shown: --all)")


def _row(job: Job, task: str) -> tuple[str, ...]:
    value = "" if job.values is None else wording.number(job.values.get(task), digits=7)
    seconds = "" if job.seconds is None else f"{job.seconds:.1f}"
    why = f"  ({job.failures[-1].message})" if job.failures and job.values is None else ""
    return str(job.id), value, seconds, job.status.value, wording.params(job.params) + why
