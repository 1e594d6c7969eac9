"""`explain`: why a job is where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spearmint_int import value_text
from spearmint_int.cli.arguments import (
    config_option,
    job_numbers,
    jobs_and_folder,
    json_option,
)
from spearmint_int.cli.output import print_facts, print_json
from spearmint_int.cli.waiting import fitting, interruptible
from spearmint_int.explanation_text import explanation_facts, reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.jobs import Job

# The explanation of a job without provenance, by its source.
WITHOUT_PROVENANCE = {
    "chooser": "the chooser, in a version that did not keep why",
    "initial": "the user, not a chooser: it is a guess, to be tried first",
    "user": "the user, not a chooser: its result was added",
}


@click.command(short_help="Why a job was chosen.")
@click.argument(
    "arguments", metavar="[DIR] JOB", nargs=-1, required=True, shell_complete=job_numbers
)
@config_option
@json_option
def explain(arguments: tuple[str, ...], file_name: str, as_json: bool) -> None:
    """Why a job was chosen: what the model expected there, what else it weighed, and what would
    have changed its mind."""
    from spearmint_int.experiment.experiment import StoredExperiment  # noqa: PLC0415
    from spearmint_int.experiment.explanation import explain as explanation_of  # noqa: PLC0415
    from spearmint_int.jobs import JobStatus  # noqa: PLC0415

    ids, folder = jobs_and_folder(arguments, file_name)
    if len(ids) != 1:
        raise click.UsageError("give the number of one job")
    with folder.store() as store:
        job = store.job(ids[0])
        experiment = StoredExperiment.read(folder.config, store)
        points = store.job_points(list(JobStatus))
        line = fitting(experiment.history.finished)
        found = interruptible(line, lambda: explanation_of(experiment, points, job))
    if as_json:
        print_json({"job": job.id, "explanation": found and found.to_json()})
        return
    print_facts([*_facts(job), *(() if found is None else explanation_facts(found))])


def _facts(job: Job) -> Iterator[tuple[str, str]]:
    yield "job", f"{job.id} at {value_text.params(job.params)}"
    yield from reasons(job.provenance)
    if not job.provenance:
        yield "chosen by", WITHOUT_PROVENANCE[job.source.value]
