"""`plot`: figures of an experiment as files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spearmint_int.cli.arguments import at, config_option
from spearmint_int.cli.waiting import in_thread
from spearmint_int.errors import NO_FIGURES, SpearmintError, UnknownNameError, alternatives
from spearmint_int.registry import PLOTS

if TYPE_CHECKING:
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.snapshot import Snapshot

ALL = "all"


@click.command(
    short_help="Draw figures of the results and the model.",
    epilog="Kinds: " + "; ".join(f"{kind} ({PLOTS.about(kind)})" for kind in PLOTS.built_in),
)
@click.argument("arguments", metavar="[DIR] [KIND]", nargs=-1)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Where to write; .html (default), .png, .svg or .pdf by its ending.",
)  # fmt: skip
@click.option("--dark", is_flag=True, help="Light on dark.")
@config_option
def plot(arguments: tuple[str, ...], output: Path | None, dark: bool, file_name: str) -> None:
    """Draw one figure, or without a KIND all of them on one page."""
    directory, kind = _directory_and_kind(arguments)
    theme, path = "dark" if dark else "light", output or Path(f"{kind}.html")
    if kind == ALL and path.suffix.lower() != ".html":
        raise click.UsageError(
            f"all figures together need an .html file, got {path}; or name one kind"
        )
    plots_or_remedy()
    from spearmint_int.plots import page, write, write_page  # noqa: PLC0415
    from spearmint_int.plots import plot as figure  # noqa: PLC0415

    snapshot = snapshot_of(at(directory, file_name))
    with announced(PLOTS if kind == ALL else [kind]) as kinds:
        figures = [in_thread(partial(figure, snapshot, each, theme=theme)) for each in kinds]
    if kind == ALL:
        write_page(page(figures, title=snapshot.name, theme=theme), path)
    else:
        write(figures[0], path)
    click.echo(str(path))


def _directory_and_kind(arguments: tuple[str, ...]) -> tuple[Path, str]:
    """`[DIR] [KIND]`: a single word that is no folder is the kind."""
    if len(arguments) > 2:
        raise click.UsageError(f"a folder and a kind at most, got {' '.join(arguments)}")
    if len(arguments) == 2:
        return Path(arguments[0]), _known(arguments[1])
    only = arguments[0] if arguments else "."
    if Path(only).exists() or Path(only).name != only:
        return Path(only), ALL
    if only != ALL and only not in PLOTS:
        others = alternatives(only, [ALL, *PLOTS])
        raise click.UsageError(f"{only}: is neither a folder nor a kind of figure{others}")
    return Path(), only


def _known(kind: str) -> str:
    if kind != ALL and kind not in PLOTS:
        raise UnknownNameError(PLOTS.kind, kind, [ALL, *PLOTS])
    return kind


@contextmanager
def announced(kinds: Collection[str]) -> Iterator[Iterator[str]]:
    """A context with the kinds in turn. On a terminal a line says which one is being drawn, since
    the model of hundreds of results takes its time."""
    from rich.console import Console  # noqa: PLC0415

    with Console(stderr=True, highlight=False).status("reading …") as line:
        yield _announced_kinds(kinds, line.update)


def _announced_kinds(kinds: Collection[str], show: Callable[[str], None]) -> Iterator[str]:
    for n, kind in enumerate(kinds, start=1):
        show(f"drawing {kind} ({n} of {len(kinds)}) …")
        yield kind


def plots_or_remedy() -> None:
    """Import the plots; one sentence where plotly is not installed."""
    try:
        import plotly  # noqa: F401, PLC0415
    except ImportError:
        raise SpearmintError(NO_FIGURES) from None


def snapshot_of(folder: Folder) -> Snapshot:
    from spearmint_int.snapshot import Snapshot  # noqa: PLC0415

    with folder.store() as store:
        return Snapshot.of_store(folder.config, store)
