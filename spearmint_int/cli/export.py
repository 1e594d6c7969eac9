"""`export`: the jobs as a file for a spreadsheet, a notebook or another experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from spearmint_int.cli.arguments import on_folder

if TYPE_CHECKING:
    from spearmint_int.cli.arguments import Folder


@click.command(short_help="Write all jobs as CSV or JSON.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; by default to the screen. Its ending says the format.",
)  # fmt: skip
@click.option("--csv", "chosen", flag_value="csv", help="Write CSV (the default).")
@click.option("--json", "chosen", flag_value="json", help="Write JSON.")
@on_folder
def export(folder: Folder, output: Path | None, chosen: str | None) -> None:
    """Write all jobs as CSV or JSON; 'add' reads both."""
    as_json = chosen == "json" or (chosen is None and output is not None and _is_json(output))
    text = _text(folder, as_json=as_json)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{output} can't be written: {error.strerror}") from None


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _text(folder: Folder, *, as_json: bool) -> str:
    from spearmint_int.cli.output import job_document, json_text  # noqa: PLC0415
    from spearmint_int.cli.results_file import csv_text  # noqa: PLC0415

    config = folder.config
    with folder.store() as store:
        jobs = store.jobs()
    if not as_json:
        return csv_text(jobs, config)
    return json_text([job_document(job, task=config.task_name) for job in jobs]) + "\n"
