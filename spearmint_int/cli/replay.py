"""`replay`: compute suggestions again, and see that they are the same."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import click

from spearmint_int import value_text
from spearmint_int.cli.arguments import (
    config_option,
    job_numbers,
    jobs_and_folder,
    json_option,
)
from spearmint_int.cli.output import print_json
from spearmint_int.cli.waiting import interruptible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.cli.arguments import Folder
    from spearmint_int.experiment.replay import Replayed

DIFFERENT = 1  # the exit code when one is not the same


@click.command(short_help="Compute suggestions again, bit for bit.")
@click.argument("arguments", metavar="[DIR] [JOB]...", nargs=-1, shell_complete=job_numbers)
@config_option
@json_option
def replay(arguments: tuple[str, ...], file_name: str, as_json: bool) -> int:
    """Compute suggestions again from the stored data, of all jobs or of those named, and compare.

    The exit code is 1 where one is not the same, bit for bit.
    """
    ids, folder = jobs_and_folder(arguments, file_name)
    same = []
    documents = []
    for replayed in _replayed(folder, ids):
        same.append(replayed.is_same)
        documents.append({"job": replayed.job.id, "same": replayed.is_same})
        if not as_json and (ids or not replayed.is_same):
            click.echo(f"job {replayed.job.id}: {_verdict(replayed)}")
    if as_json:
        print_json(documents)
        return 0 if all(same) else DIFFERENT
    for line in [] if ids else _left_out(folder):
        click.echo(line)
    if same:
        click.echo(f"{sum(same)} of {value_text.counted(len(same), 'suggestion')} the same")
    return 0 if all(same) else DIFFERENT


def _replayed(folder: Folder, ids: list[int]) -> Iterator[Replayed]:
    from spearmint_int.experiment.experiment import StoredExperiment  # noqa: PLC0415
    from spearmint_int.experiment.replay import is_replayable, replay  # noqa: PLC0415
    from spearmint_int.jobs import JobStatus  # noqa: PLC0415

    with folder.store() as store:
        experiment = StoredExperiment.read(folder.config, store)
        points = store.job_points(list(JobStatus))
        jobs = [store.job(i) for i in ids] if ids else filter(is_replayable, store.jobs())
        for job in jobs:
            line = f"choosing job {job.id} again; Ctrl-C ends it"
            yield interruptible(line, partial(replay, experiment, points, job))


def _left_out(folder: Folder) -> list[str]:
    """Why some jobs that a chooser chose are not computed again, a line for each reason."""
    from spearmint_int.experiment.replay import why_not_replayable  # noqa: PLC0415
    from spearmint_int.jobs import Source  # noqa: PLC0415

    with folder.store() as store:
        chosen = [job for job in store.jobs() if job.source is Source.CHOOSER]
    reasons = Counter(filter(None, map(why_not_replayable, chosen)))
    lines = [
        f"{value_text.counted(number, 'job')} can't be computed again: {reason}"
        for reason, number in reasons.items()
    ]
    return lines if chosen else ["no job was chosen by a chooser yet"]


def _verdict(replayed: Replayed) -> str:
    if replayed.is_same:
        since = " with the variables of that time: they were declared anew since"
        return "the same, bit for bit" + (since if replayed.declared_anew else "")
    return f"not the same: {_difference(replayed)}, {_why(replayed)}"


def _difference(replayed: Replayed) -> str:
    """What differs, to the last digit: the parameters, else the point, else the acquisition."""
    job, again = replayed.job, replayed.suggestion
    if again.params != job.params:
        return f"{job.params} then, {again.params} now"
    where = f"{job.params} both times"
    if tuple(again.point.tolist()) != job.point:
        return f"{where}, but at another point of the model"
    then, now = job.provenance.get("value"), again.provenance.to_json().get("value")
    return f"{where}, but worth {then} to the model then and {now} now"


def _why(replayed: Replayed) -> str:
    if replayed.same_problem:
        return "from the same data: by another version of the program or of its libraries"
    if replayed.settings_of_then:
        was = ", ".join(f"{n} was {json.dumps(v)}" for n, v in replayed.settings_of_then.items())
        return f"from settings that have changed since: {was}"
    return "from data or settings that have changed since"
