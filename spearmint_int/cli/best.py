"""`best`: the best settings so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spearmint_int.cli import value_text
from spearmint_int.cli.arguments import json_option, on_folder
from spearmint_int.cli.output import job_document, print_facts, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.chooser import Recommendation
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.config import Config
    from spearmint_int.jobs import Job


@click.command(short_help="The best settings: observed, and by the model.")
@json_option
@on_folder
def best(folder: Folder, as_json: bool) -> None:
    """The job with the lowest value, and the minimum of the model.

    Under noise trust the model: the lowest value of many noisy ones is lucky.
    """
    from spearmint_int.cli.results import best_job  # noqa: PLC0415
    from spearmint_int.experiment import StoredExperiment  # noqa: PLC0415

    config = folder.config
    with folder.store() as store:
        job = best_job(store, config.task_name)
        model = StoredExperiment.read(config, store).recommend()
    if as_json:
        print_json(_document(config, job, model))
    elif job is None:
        click.echo("no result yet")
    else:
        print_facts(_facts(config, job, model))


def _facts(config: Config, job: Job, model: Recommendation | None) -> Iterator[tuple[str, str]]:
    value = (job.values or {}).get(config.task_name)
    yield "lowest value", f"{value_text.number(value)} (job {job.id})"
    yield "  at", value_text.params(job.params)
    if model is not None:
        yield "model's minimum", value_text.estimate(model.mean, model.sd)
        yield "  at ", value_text.params(model.params)


def _document(config: Config, job: Job | None, model: Recommendation | None) -> dict[str, Any]:
    found = model and {"params": model.params, "mean": model.mean, "sd": model.sd}
    return {
        "lowest": None if job is None else job_document(job, task=config.task_name),
        "model": found,
    }
