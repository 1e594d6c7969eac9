"""`jobs`, `show`, `retry`: a line for each job, all about one, another try for broken ones."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from spearmint_int import result_text, value_text
from spearmint_int.cli.arguments import (
    WholeFromOne,
    config_option,
    job_numbers,
    jobs_and_folder,
    json_option,
    on_folder,
    one_at_most,
)
from spearmint_int.cli.output import fits, job_document, print_facts, print_json, print_table
from spearmint_int.errors import StoreMissing
from spearmint_int.explanation_text import reasons
from spearmint_int.jobs import JobStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spearmint_int.cli.arguments import Folder
    from spearmint_int.config import Config
    from spearmint_int.jobs import Job, ProcessInfo
    from spearmint_int.stores import Store

SHOWN_JOBS = 50
HEADER = ("id", "value", "seconds", "status")
OUTPUT_LINES = 10


@click.command(short_help="List the jobs.")
@click.option(
    "--status", "name", type=click.Choice(["new", "pending", "complete", "broken"]),
    help="Only jobs of this status.",
)  # fmt: skip
@click.option("-n", "--limit", metavar="N", type=WholeFromOne(), help="Only the newest N jobs.")
@click.option("--all", "all_jobs", is_flag=True, help=f"All, not only the newest {SHOWN_JOBS}.")
@json_option
@on_folder
def jobs(
    folder: Folder, name: str | None, limit: int | None, all_jobs: bool, as_json: bool
) -> None:
    """List the newest jobs; with --all, or --json, every one."""
    one_at_most({"--limit": limit is not None, "--all": all_jobs})
    status = None if name is None else JobStatus(name)
    if limit is None and not (all_jobs or as_json):
        limit = SHOWN_JOBS
    found, older, damaged = _found(folder, status, limit)
    if as_json:
        print_json([job_document(job, task=folder.config.task_name) for job in found])
    else:
        _print_jobs(found, folder.config)
    if older and not as_json:
        click.echo(f"({value_text.counted(older, 'job')} not shown, older: --all)")
    if damaged:
        click.echo(value_text.damaged(damaged), err=as_json)


class _Found(NamedTuple):
    """The jobs to list."""

    jobs: list[Job]
    older: int = 0  # how many older jobs are not listed
    damaged: Sequence[int] = ()


def _found(folder: Folder, status: JobStatus | None, limit: int | None) -> _Found:
    """The newest jobs; none before the first run."""
    from spearmint_int.config.declaration import of_today  # noqa: PLC0415 (pydantic)

    try:
        with folder.store() as store:
            tally = store.tally()
            jobs, newest = _newest(store, status, limit)
            there = tally.last_id if status is None else tally.counts[status]
            # all rows are only read where one must be damaged, or was deleted
            is_sound = len(newest) >= there and (not jobs or newest[-len(jobs)] == jobs[0].id)
            damaged = () if is_sound else _damaged(store, status)
    except StoreMissing:
        return _Found([])
    older = sum(job_id not in damaged for job_id in newest) - len(jobs)
    return _Found([of_today(job, folder.config) for job in jobs], older, damaged)


def _damaged(store: Store, status: JobStatus | None) -> list[int]:
    """The jobs that can't be read: all, or those that seem to have the status."""
    found = (one for one in store.damaged() if status is None or one.status == status.value)
    return [damage.job_id for damage in found]


def last_jobs(store: Store, status: JobStatus | None, limit: int | None) -> list[Job]:
    """The newest `limit` jobs of one status or all that can be read, by ascending id."""
    return _newest(store, status, limit)[0]


def _newest(
    store: Store, status: JobStatus | None, limit: int | None
) -> tuple[list[Job], list[int]]:
    """`last_jobs`, and the ids of all whose points can be read."""
    statuses = list(JobStatus) if status is None else [status]
    ids = [point.id for point in store.job_points(statuses)]
    wanted = len(ids) if limit is None else limit
    first = len(ids)
    found: list[Job] = []
    while first > 0 and len(found) < wanted:  # once, but where other parts of some are damaged
        first = max(first - (wanted - len(found)), 0)
        found = store.jobs(status, after_id=ids[first] - 1)
    return found[-wanted:], ids


def _print_jobs(found: list[Job], config: Config) -> None:
    """Print a table with a column for each variable, or one for all where those don't fit."""
    pairs = [(job, _head(job, config.task_name)) for job in found]
    header = (*HEADER, *config.variables, "")
    rows = [(*head, *_cells(job, config), _why(job)) for job, head in pairs]
    if not fits(header, rows):
        header = (*HEADER, "parameters")
        rows = [(*head, f"{value_text.params(job.params)} {_why(job)}") for job, head in pairs]
    print_table(header, rows, left=("status",))


def _head(job: Job, task: str) -> tuple[str, ...]:
    value = "" if job.values is None else value_text.number(job.values.get(task))
    return str(job.id), value, _seconds(job), _state(job)


def _state(job: Job) -> str:
    """The job's status, or `reserved` for a new one that no run takes, or `queued` for a pending
    one in a scheduler's queue."""
    if job.is_reserved:
        return "reserved"
    return "queued" if job.is_queued else job.status.value


def _seconds(job: Job) -> str:
    """How long the job took, or has been running."""
    if job.status is JobStatus.PENDING and job.started is not None:
        return f"{max(time.time() - job.started, 0.0):.1f}…"
    return "" if job.seconds is None else f"{job.seconds:.1f}"


def _cells(job: Job, config: Config) -> list[str]:
    """The parameters, by the config's variables; empty for one that the job does not have."""
    return [
        value_text.param(job.params[name]) if name in job.params else ""
        for name in config.variables
    ]


def _why(job: Job) -> str:
    """Why the job has no value, or none that counts."""
    why = job.unfulfilled_text
    if job.failures and job.values is None:
        why = job.failures[-1].message
    return f"({why})" if why else ""


@click.command(short_help="Everything about one job.")
@click.argument(
    "arguments", metavar="[DIR] JOB", nargs=-1, required=True, shell_complete=job_numbers
)
@config_option
@json_option
def show(arguments: tuple[str, ...], file_name: str, as_json: bool) -> None:
    """Everything about one job: parameters, result, times, failures, why it was chosen."""
    from spearmint_int.config.declaration import of_today  # noqa: PLC0415 (pydantic)

    ids, folder = jobs_and_folder(arguments, file_name)
    if len(ids) != 1:
        raise click.UsageError("give the number of one job")
    with folder.store() as store:
        job = of_today(store.job(ids[0]), folder.config)
    if as_json:
        print_json(job_document(job, task=folder.config.task_name, full=True))
        return
    print_facts(_facts(job, folder.config.task_name))
    _print_failures(job)
    _print_output(folder.directory, job.id)


def _facts(job: Job, objective: str) -> Iterator[tuple[str, str]]:
    yield "job", f"{job.id} ({_state(job)}, from the {job.source.value})"
    constraints = job.constraints
    yield from result_text.results(job.values, objective=objective, constraints=constraints)
    for name, value in job.params.items():
        yield name, value_text.param(value)
    yield "created", _time(job.created)
    yield "started", _time(job.started)
    yield "ended", _time(job.ended)
    yield "took", "" if job.seconds is None else value_text.duration(job.seconds)
    yield "attempts", str(job.attempts)
    if job.process is not None:
        yield from _process(job.process)
    yield from reasons(job.provenance)


def _process(process: ProcessInfo) -> Iterator[tuple[str, str]]:
    if process.pid is not None:
        yield "process", f"{process.pid} on {process.host}"
    if process.proc_id is not None and process.proc_id.isdigit():  # a batch system's
        yield "batch job", process.proc_id


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
    from spearmint_int.jobs import printable  # noqa: PLC0415
    from spearmint_int.launcher.output import output_path  # noqa: PLC0415

    path = output_path(directory, job_id)
    if not path.is_file():
        return
    lines = printable(path.read_text(encoding="utf-8", errors="replace")).splitlines()
    if lines:
        click.echo(f"\nend of {path}:")
        _print_indented(lines)


def _print_indented(lines: list[str]) -> None:
    for line in lines[-OUTPUT_LINES:]:
        click.echo(f"  {line}")


@click.command(short_help="Give broken jobs another try.")
@click.argument("arguments", metavar="[DIR] [JOB]...", nargs=-1, shell_complete=job_numbers)
@click.option("--all", "all_broken", is_flag=True, help="Every broken job, in place of numbers.")
@config_option
@json_option
def retry(arguments: tuple[str, ...], all_broken: bool, file_name: str, as_json: bool) -> None:
    """Make broken jobs new again; the next 'run' starts them, and reserved ones wait for 'tell'.

    If one of them is not broken, nothing is changed.
    """
    ids, folder = jobs_and_folder(arguments, file_name)
    if bool(ids) == all_broken:
        raise click.UsageError("give the numbers of broken jobs, or --all")
    with folder.store() as store:
        if all_broken:
            ids = [point.id for point in store.job_points([JobStatus.BROKEN])]
        else:
            _refuse_unbroken(store, ids)
        retried = [store.retry(job_id) for job_id in dict.fromkeys(ids)]
    reserved = [job.id for job in retried if job.is_reserved]
    if as_json:
        print_json({"retried": [job.id for job in retried], "reserved": reserved})
    else:
        click.echo(_retried_text(len(retried) - len(reserved), len(reserved)))


def _refuse_unbroken(store: Store, ids: Sequence[int]) -> None:
    """Raise the store's own error before any job is changed."""
    from spearmint_int.stores.records import not_broken  # noqa: PLC0415

    for job_id in ids:
        status = store.job(job_id).status
        if status is not JobStatus.BROKEN:
            raise not_broken(job_id, status.value)


def _retried_text(tried: int, reserved: int) -> str:
    """What happens to the retried jobs next: a run takes no job that is reserved."""
    again = f"{value_text.counted(tried, 'job')} will be tried again by the next run"
    waits = "is reserved and waits" if reserved == 1 else "are reserved and wait"
    held = f"{value_text.counted(reserved, 'job')} {waits} for 'tell'"
    return "; ".join([again] * (tried > 0 or not reserved) + [held] * (reserved > 0))
