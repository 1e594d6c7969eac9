"""`suggest`: what would be tried next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spearmint_int.cli import value_text
from spearmint_int.cli.arguments import json_option, on_folder
from spearmint_int.cli.output import print_json

if TYPE_CHECKING:
    from spearmint_int.chooser import Suggestion
    from spearmint_int.cli.arguments import Folder


@click.command(short_help="Show the next points without running them.")
@click.option("-n", "number", default=1, type=click.IntRange(min=1), help="How many points.")
@json_option
@on_folder
def suggest(folder: Folder, number: int, as_json: bool) -> None:
    """Show the next points to try. Nothing is stored: bring their results with 'add'."""
    chosen = _suggestions(folder, number)
    if as_json:
        print_json([{"params": s.params, "provenance": s.provenance.to_json()} for s in chosen])
        return
    for suggestion in chosen:
        click.echo(value_text.params(suggestion.params))


def _suggestions(folder: Folder, number: int) -> tuple[Suggestion, ...]:
    """From the jobs that there are; an experiment without a store has none, and gets none."""
    from spearmint_int.experiment import StoredExperiment, unstored_experiment  # noqa: PLC0415

    with folder.results() as store:
        if store is None:
            return unstored_experiment(folder.config).suggest(number).suggestions
        return StoredExperiment.read(folder.config, store).suggest(number).suggestions
