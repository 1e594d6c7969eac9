"""`add`: bring results from elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spearmint_int.cli import value_text
from spearmint_int.cli.arguments import at, config_option, json_option
from spearmint_int.cli.output import print_json

if TYPE_CHECKING:
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.cli.results_file import Result, Row
    from spearmint_int.config import Config


@click.command(short_help="Add results from a CSV or JSON file.")
@click.argument("arguments", metavar="[DIR] FILE", nargs=-1, required=True)
@click.option("--value", "column", default="value", show_default=True, help="The result's column.")
@click.option("--skip", is_flag=True, help="Leave out rows that don't fit, instead of stopping.")
@config_option
@json_option
def add(arguments: tuple[str, ...], column: str, skip: bool, file_name: str, as_json: bool) -> None:
    """Add results that were computed elsewhere, from a CSV or JSON file ('-' for stdin).

    A column (or key) for each variable, one for the value; an empty value means 'failed there'.
    Either every row is added or, if one does not fit, none.
    """
    from spearmint_int.experiment import StoredExperiment  # noqa: PLC0415

    file, folder = _file_and_folder(arguments, file_name)
    results, skipped = _results(file, folder.config, column=column, skip=skip)
    with folder.store(create=True) as store:
        StoredExperiment.begin(folder.config, store)
        added = [job.id for job in store.add_all_complete(results)]
    if as_json:
        print_json({"added": added, "skipped": skipped})
        return
    for sentence in skipped:
        click.echo(f"skipped: {sentence}", err=True)
    click.echo(f"{value_text.counted(len(added), 'result')} added")


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
    from spearmint_int.cli.results_file import read_rows  # noqa: PLC0415

    text = _read(file)
    is_json = file.lower().endswith(".json") or (file == "-" and text.lstrip()[:1] == "[")
    name = "stdin" if file == "-" else Path(file).name
    rows = [row for row in read_rows(text, name=name, as_json=is_json) if row.has_result]
    results, skipped = _judge(rows, config, column)
    if skipped and not skip:
        raise click.ClickException(f"{skipped[0]}; nothing was added (--skip leaves such rows out)")
    return results, skipped


def _judge(rows: list[Row], config: Config, column: str) -> tuple[list[Result], list[str]]:
    from spearmint_int.cli.results_file import ResultsFileError, result_of  # noqa: PLC0415

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
