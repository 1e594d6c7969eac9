"""`show`: everything about one job."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spearmint_int.cli import wording
from spearmint_int.cli.experiment import config_option, json_option
from spearmint_int.cli.job_arguments import jobs_and_experiment
from spearmint_int.cli.printing import job_document, print_facts, print_json
from spearmint_int.cli.why import reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.jobs import Job

OUTPUT_LINES = 10


@click.command(short_help="Everything about one job.")
@click.argument("arguments", metavar="[DIR] JOB", nargs=-1, required=True)
@config_option
@json_option
def show(arguments: tuple[str, ...], file_name: str, as_json: bool) -> None:
    """Everything about one job: parameters, result, times, failures, why it was chosen."""
    ids, experiment = jobs_and_experiment(arguments, file_name)
    if len(ids) != 1:
        raise click.UsageError("give the number of one job")
    with experiment.store() as store:
        job = store.job(ids[0])
    if as_json:
        print_json(job_document(job, task=experiment.config.task_name, full=True))
        return
    print_facts(_facts(job))
    _print_failures(job)
    _print_output(experiment.directory, job.id)


def _facts(job: Job) -> Iterator[tuple[str, str]]:
    yield "job", f"{job.id} ({job.status.value}, from the {job.source.value})"
    for task, value in (job.values or {}).items():
        yield task, wording.number(value, digits=12)
    for name, value in job.params.items():
        yield name, wording.param(value, digits=12)
    yield "created", _time(job.created)
    yield "started", _time(job.started)
    yield "ended", _time(job.ended)
    yield "took", "" if job.seconds is None else wording.duration(job.seconds)
    yield "attempts", str(job.attempts)
    if job.process is not None:
        yield "process", f"{job.process.pid or job.process.proc_id} on {job.process.host}"
    yield from reasons(job.provenance)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _print_failures(job: Job) -> None:
    for n, failure in enumerate(job.failures, start=1):
        click.secho(f"\nfailure {n}: {failure.message} [{failure.kind.value}]", fg="red")
    if job.failures and job.failures[-1].stderr_tail:
        _print_indented(job.failures[-1].stderr_tail.splitlines())


def _print_output(directory: Path, job_id: int) -> None:
    from spearmint_int.launcher.output import output_path  # noqa: PLC0415

    path = output_path(directory, job_id)
    if not path.is_file():
        return
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if lines:
        click.echo(f"\nend of {path}:")
        _print_indented(lines)


def _print_indented(lines: list[str]) -> None:
    for line in lines[-OUTPUT_LINES:]:
        click.echo(f"  {line}")
