"""`suggest` and `tell`: points for people who evaluate by themselves, and their results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from spearmint_int import result_text, value_text
from spearmint_int.cli.arguments import (
    WholeFromOne,
    config_option,
    job_numbers,
    jobs_and_folder,
    json_option,
    on_folder,
)
from spearmint_int.cli.output import job_document, print_json
from spearmint_int.cli.waiting import fitting, interruptible

if TYPE_CHECKING:
    from spearmint_int.chooser import Answer, Problem, Suggestion
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.jobs import Job


@click.command(short_help="Show the next points without running them.")
@click.option(
    "-n", "number", default=1, metavar="N", type=WholeFromOne(), help="N points; default 1."
)
@click.option("--reserve", is_flag=True, help="Hold them under job numbers, for 'tell'.")
@json_option
@on_folder
def suggest(folder: Folder, number: int, *, reserve: bool, as_json: bool) -> None:
    """Show the next points to try.

    Nothing is stored: bring their results with 'add'. With --reserve each gets a job number, and
    nobody else gets the same point: bring its result with 'tell'.
    """
    if reserve:
        _print_reserved(_reserved(folder, number), folder.config.task_name, as_json=as_json)
        return
    chosen = _suggestions(folder, number)
    if as_json:
        print_json([{"params": s.params, "provenance": s.provenance.to_json()} for s in chosen])
        return
    for suggestion in chosen:
        click.echo(value_text.params(suggestion.params))


def _suggestions(folder: Folder, number: int) -> tuple[Suggestion, ...]:
    """Suggestions from the jobs that there are; an experiment without a store does not get one."""
    from spearmint_int.experiment.experiment import StoredExperiment, unstored_experiment  # noqa: PLC0415

    with folder.results() as store:
        if store is None:
            return unstored_experiment(folder.config).suggest(number).suggestions
        experiment = StoredExperiment.read(folder.config, store)
        model = fitting(experiment.history.finished)
        return interruptible(model, lambda: experiment.suggest(number)).suggestions


def _reserved(folder: Folder, number: int) -> list[Job]:
    """The next points as jobs. Only choosing them is left to another thread: a Ctrl-C leaves no job
    and no lock behind."""
    from spearmint_int.chooser import chooser_named  # noqa: PLC0415
    from spearmint_int.experiment.reservation import reserve  # noqa: PLC0415

    chooser = chooser_named(folder.config.chooser)

    def choose(problem: Problem, count: int = 1) -> Answer:
        return interruptible(fitting(len(problem.observations)), lambda: chooser(problem, count))

    with folder.store(create=True) as store:
        return reserve(folder.config, store, number, chooser=choose)


def _print_reserved(jobs: list[Job], task: str, *, as_json: bool) -> None:
    if as_json:
        print_json([job_document(job, task=task, full=True) for job in jobs])
        return
    for job in jobs:
        click.echo(f"job {job.id}: {value_text.params(job.params)}")


# an option that isn't known may be a negative result
@click.command(
    short_help="Give the result of a reserved job.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument(
    "arguments",
    metavar="[DIR] JOB VALUE [CONSTRAINT=VALUE]...",
    nargs=-1,
    required=True,
    shell_complete=job_numbers,
)
@config_option
@json_option
def tell(arguments: tuple[str, ...], file_name: str, as_json: bool) -> None:
    """Bring the result of a job that 'suggest --reserve' gave out; 'nan' says that it failed.

    The numbers of constraints follow by their names: 0.35 weight=0.2.
    """
    beside = [a for a in arguments if "=" in a and not Path(a).is_dir()]
    words = [a for a in arguments if a not in beside]
    _check_number(words)
    ids, folder = jobs_and_folder(tuple(words[:-1]), file_name)
    if len(ids) != 1:
        raise click.UsageError("give the number of one job, and its result")
    job = _brought(folder, ids[0], [words[-1], *beside])
    if as_json:
        print_json(job_document(job, task=folder.config.task_name))
    else:
        kept = result_text.result((job.values or {}).get(folder.config.task_name))
        judged = f", {job.unfulfilled_text}" if job.unfulfilled else ""
        click.echo(f"job {job.id}: {kept}{judged} at {value_text.params(job.params)}")


def _check_number(words: list[str]) -> None:
    """A usage error where the last word is no number: it may be an unknown option."""
    if not words or Path(words[-1]).is_dir():
        raise click.UsageError("give the number of one job, and its result")
    try:
        float(words[-1])
    except ValueError:
        raise click.UsageError(f"the result must be a number, got {words[-1]!r}") from None


def _brought(folder: Folder, job_id: int, words: list[str]) -> Job:
    from spearmint_int.experiment.reservation import tell as tell_job  # noqa: PLC0415
    from spearmint_int.experiment.reservation import told_values  # noqa: PLC0415

    values = told_values(words, folder.config)
    with folder.store() as store:
        return tell_job(store, job_id, values)
