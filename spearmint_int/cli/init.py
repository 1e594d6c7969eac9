"""`init`: a folder to start from."""

from __future__ import annotations

from pathlib import Path

import click

from spearmint_int.cli.starter import starter_files


@click.command(short_help="Write a small experiment to start from.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--shell", is_flag=True, help="An executable script instead of a Python function.")
def init(directory: Path, shell: bool) -> None:
    """Write a small experiment that runs as it is: config, objective and README."""
    files = starter_files(directory.resolve().name, "SHELL" if shell else "PYTHON")
    present = [name for name in files if (directory / name).exists()]
    if present:
        raise click.ClickException(
            f"{directory} already has {', '.join(present)}; nothing was written"
        )
    try:
        _write(directory, files)
    except OSError as error:
        raise click.ClickException(f"{directory} can't be written: {error.strerror}") from None
    click.echo(f"{directory}: {', '.join(files)} written")
    click.echo(f"next: spearmint-int run {directory}")


def _write(directory: Path, files: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = directory / name
        path.write_text(text, encoding="utf-8")
        if name.endswith(".sh"):
            path.chmod(0o755)
