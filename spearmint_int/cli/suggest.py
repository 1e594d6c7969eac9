"""`suggest`: what would be tried next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spearmint_int.cli import value_text
from spearmint_int.cli.arguments import json_option, on_folder
from spearmint_int.cli.output import print_json

if TYPE_CHECKING:
    from spearmint_int.cli.arguments import Folder


@click.command(short_help="Show the next points without running them.")
@click.option("-n", "number", default=1, type=click.IntRange(min=1), help="How many points.")
@json_option
@on_folder
def suggest(folder: Folder, number: int, as_json: bool) -> None:
    """Show the next points to try. Nothing is stored: bring their results with 'add'."""
    from spearmint_int.cli.modelling import suggestions  # noqa: PLC0415

    with folder.store(create=True) as store:
        chosen = suggestions(folder.config, store, number)
    if as_json:
        print_json([{"params": s.params, "provenance": s.provenance} for s in chosen])
        return
    for suggestion in chosen:
        click.echo(value_text.params(suggestion.params))
