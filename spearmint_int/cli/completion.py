"""`completion`: the tab key, for bash, zsh and fish."""

from __future__ import annotations

import os
from pathlib import Path

import click

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "spearmint-int"
VARIABLE = "_SPEARMINT_INT_COMPLETE"


@click.command(
    short_help="Print the script for shell completion.",
    epilog='bash and zsh: put  eval "$(spearmint-int completion bash)"  into ~/.bashrc '
    "or ~/.zshrc (with zsh). fish: spearmint-int completion fish > "
    "~/.config/fish/completions/spearmint-int.fish",
)
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script that completes commands and options in your shell."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise click.UsageError(f"say which shell: {', '.join(SHELLS)}")
    kind = get_completion_class(name)
    if kind is None:
        raise click.UsageError(f"this version of click can't complete for {name}")
    click.echo(kind(ctx.find_root().command, {}, PROGRAM, VARIABLE).source())
