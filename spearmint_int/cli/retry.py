"""`retry`: give broken jobs another try."""

from __future__ import annotations

import click

from spearmint_int.cli import wording
from spearmint_int.cli.experiment import config_option, json_option
from spearmint_int.cli.job_arguments import jobs_and_experiment
from spearmint_int.cli.printing import print_json


@click.command(short_help="Give broken jobs another try.")
@click.argument("arguments", metavar="[DIR] JOB...", nargs=-1)
@click.option("--all", "all_broken", is_flag=True, help="Every broken job.")
@config_option
@json_option
def retry(arguments: tuple[str, ...], all_broken: bool, file_name: str, as_json: bool) -> None:
    """Make broken jobs new again; the next 'run' starts them."""
    from spearmint_int.jobs import JobStatus  # noqa: PLC0415

    ids, experiment = jobs_and_experiment(arguments, file_name)
    if bool(ids) == all_broken:
        raise click.UsageError("give the numbers of broken jobs, or --all")
    with experiment.store() as store:
        if all_broken:
            ids = [evaluation.id for evaluation in store.evaluations([JobStatus.BROKEN])]
        retried = [store.retry(job_id).id for job_id in ids]
    if as_json:
        print_json({"retried": retried})
    else:
        click.echo(f"{wording.counted(len(retried), 'job')} will be tried again by the next run")
