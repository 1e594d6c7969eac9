"""`stop`: end a run that somebody else has started, or single jobs, by way of the store."""

from __future__ import annotations

import click

from spearmint_int import value_text
from spearmint_int.cli.arguments import config_option, job_numbers, jobs_and_folder, json_option
from spearmint_int.cli.output import print_json
from spearmint_int.jobs import JobStatus


@click.command(short_help="Stop the run, or single jobs, from elsewhere.")
@click.argument("arguments", metavar="[DIR] [JOB]...", nargs=-1, shell_complete=job_numbers)
@config_option
@json_option
def stop(arguments: tuple[str, ...], file_name: str, as_json: bool) -> None:
    """Ask the runs of this experiment, on whatever machine, to end as Ctrl-C would: they start no
    more jobs, and wait for those that run.

    With numbers, end these jobs, running or reserved: they are broken, and the run goes on. If
    one of them can't be stopped, none is.
    """
    from spearmint_int.stopping import stop_jobs, stop_runs  # noqa: PLC0415

    ids, folder = jobs_and_folder(arguments, file_name)
    with folder.store() as store:
        if not ids:
            stop_runs(store)
        stopped = [job.id for job in stop_jobs(store, ids)]
        running = store.tally().counts[JobStatus.PENDING]
    if as_json:
        print_json({"stopped": stopped or "run", "running": running})
    elif stopped:
        click.echo(f"{value_text.counted(len(stopped), 'job')} stopped")
    elif running:
        click.echo("runs of this experiment end when their jobs have ended")
    else:
        click.echo(
            "no job is running; a run that is choosing a point just now ends without starting it, "
            "and one that is started from now on is not affected"
        )
