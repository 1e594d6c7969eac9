"""`add` and `export`: results from files, and jobs as files for others."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spearmint_int import value_text
from spearmint_int.atomic import write_whole
from spearmint_int.cli.arguments import at, config_option, json_option, on_folder, one_at_most
from spearmint_int.cli.output import job_document, json_text, print_json

if TYPE_CHECKING:
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.config import Config
    from spearmint_int.experiment.results_file import Result, Row
    from spearmint_int.jobs import Job


@click.command(short_help="Add results from a CSV or JSON file.")
@click.argument("arguments", metavar="[DIR] FILE", nargs=-1, required=True)
@click.option("--value", "column", default="value", show_default=True, help="The result's column.")
@click.option("--skip", is_flag=True, help="Leave out rows that don't fit, instead of stopping.")
@click.option("--again", is_flag=True, help="Also add results that are there already.")
@config_option
@json_option
def add(
    arguments: tuple[str, ...],
    *,
    column: str,
    skip: bool,
    again: bool,
    file_name: str,
    as_json: bool,
) -> None:
    """Add results that were computed elsewhere, from a CSV or JSON file ('-' for stdin).

    A column (or key) for each variable, one for the value; an empty value means 'failed there'.
    Either every row is added or, if one does not fit, none. A result that the experiment has
    already, with the same parameters and the same values, is left out; a row that stands twice in
    the file is two results.
    """
    from spearmint_int.experiment.imported_results import add_results  # noqa: PLC0415 (linear algebra)

    file, folder = _file_and_folder(arguments, file_name)
    results, skipped = _results(file, folder.config, column=column, skip=skip)
    with folder.store(create=True) as store:
        added = add_results(folder.config, store, results, again=again)
    known, failed = len(results) - len(added), _without_number(added, folder.config.task_name)
    if as_json:
        ids = [job.id for job in added]
        print_json({"added": ids, "skipped": skipped, "known": known, "failed": failed})
        return
    for sentence in skipped:
        click.echo(f"skipped: {sentence}", err=True)
    left_out = f"; {known} left out, which are there already (--again)" if known else ""
    failures = f", {failed} of them as failed there: no finite value" if failed else ""
    click.echo(f"{value_text.counted(len(added), 'result')} added{failures}{left_out}")


def _without_number(jobs: list[Job], task: str) -> int:
    return sum(not math.isfinite((job.values or {}).get(task, math.nan)) for job in jobs)


def _file_and_folder(arguments: tuple[str, ...], file_name: str) -> tuple[str, Folder]:
    if len(arguments) > 2:
        raise click.UsageError("give a folder and one file")
    folders = [a for a in arguments if Path(a).is_dir()]
    files = [a for a in arguments if not Path(a).is_dir()]
    if len(files) != 1:
        raise click.UsageError("name one file with results, .csv or .json")
    return files[0], at(Path(folders[0] if folders else "."), file_name)


def _results(
    file: str, config: Config, *, column: str, skip: bool
) -> tuple[list[Result], list[str]]:
    """The results of a file, and a sentence for each row that was left out."""
    from spearmint_int.experiment.results_file import check_columns, read_rows  # noqa: PLC0415

    text = _read(file)
    is_json = file.lower().endswith(".json") or (file == "-" and text.lstrip()[:1] == "[")
    name = "stdin" if file == "-" else Path(file).name
    if not is_json:
        check_columns(text, config, name=name, value_column=column)
    rows = [row for row in read_rows(text, name=name, as_json=is_json) if row.has_result]
    results, skipped = _judge(rows, config, column)
    if skipped and not skip:
        nothing = " Nothing" if skipped[0].endswith("?") else "; nothing"
        raise click.ClickException(f"{skipped[0]}{nothing} was added (--skip leaves such rows out)")
    return results, skipped


def _judge(rows: list[Row], config: Config, column: str) -> tuple[list[Result], list[str]]:
    from spearmint_int.experiment.results_file import ResultsFileError, result_of  # noqa: PLC0415

    space = config.space()
    results: list[Result] = []
    faults: list[str] = []
    for row in rows:
        try:
            results.append(result_of(row, config, space, value_column=column))
        except ResultsFileError as error:  # noqa: PERF203 (each row is judged by itself)
            faults.append(str(error))
    return results, faults


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise click.ClickException(f"{file} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise click.ClickException(f"{file} is not UTF-8 text") from None


@click.command(short_help="Write all jobs as CSV or JSON.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; by default to the screen. Its ending gives the format.",
)  # fmt: skip
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV (the default).")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@on_folder
def export(folder: Folder, *, output: Path | None, as_csv: bool, as_json: bool) -> None:
    """Write all jobs as CSV or JSON; 'add' reads both."""
    chosen = one_at_most({"--csv": as_csv, "--json": as_json})
    text = _export_text(folder, as_json=_format_of(output, chosen) == "json")
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        write_whole(output, text)
    except OSError as error:
        raise click.ClickException(f"{output} can't be written: {error.strerror}") from None


def _format_of(output: Path | None, chosen: str | None) -> str:
    """The format that the option names, or else the ending of the file; CSV without both."""
    ending = "" if output is None else output.suffix.lower().removeprefix(".")
    if chosen is not None:
        _check_ending(output, ending, chosen)
        return chosen.removeprefix("--")
    if ending not in ("", "csv", "json"):
        raise click.UsageError(f"{output} must end in .csv or .json; or say --csv or --json")
    return ending or "csv"


def _check_ending(output: Path | None, ending: str, chosen: str) -> None:
    """A usage error for a file whose ending is that of the other format: `add` would read it as
    that."""
    if ending in ("csv", "json") and chosen != f"--{ending}":
        raise click.UsageError(f"{output} ends in .{ending}, but {chosen} was given; leave one out")


def _export_text(folder: Folder, *, as_json: bool) -> str:
    from spearmint_int.config.declaration import of_today  # noqa: PLC0415
    from spearmint_int.experiment.results_file import csv_text  # noqa: PLC0415

    config = folder.config
    with folder.results() as store:
        jobs = [] if store is None else [of_today(job, config) for job in store.jobs()]
    if not as_json:
        return csv_text(jobs, config)
    return json_text([job_document(job, task=config.task_name) for job in jobs]) + "\n"
