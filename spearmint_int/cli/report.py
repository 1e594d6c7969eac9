"""`report`: the experiment as one file to mail."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spearmint_int.cli.arguments import on_folder
from spearmint_int.cli.plot import announced, plots_or_remedy
from spearmint_int.cli.waiting import in_thread
from spearmint_int.registry import PLOTS

if TYPE_CHECKING:
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.config import Config

# The store is shown elsewhere, without its password; the rest are paths and names of this machine.
LEFT_OUT = {"directory", "file_name", "database", "experiment_name"}


@click.command(short_help="Write results, figures and settings into one HTML file.")
@click.option(
    "-o", "--output", default="report.html", type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE", show_default=True, help="Where to write.",
)  # fmt: skip
@on_folder
def report(folder: Folder, output: Path) -> None:
    """One HTML file that needs no network: best, figures, jobs, failures, settings, versions."""
    plots_or_remedy()
    from spearmint_int.plots import write_page  # noqa: PLC0415
    from spearmint_int.report import report as report_of  # noqa: PLC0415
    from spearmint_int.snapshot import Snapshot  # noqa: PLC0415

    with folder.store() as store:
        snapshot, location = Snapshot.of_store(folder.config, store), store.location
    made = datetime.now().astimezone()
    settings = _settings(folder.config)
    with announced(PLOTS.built_in) as kinds:
        text = in_thread(
            lambda: report_of(snapshot, settings, made=made, store=location, kinds=kinds)
        )
    write_page(text, output)
    click.echo(f"{output} ({len(text.encode()) / 1e6:.1f} MB)")


def _settings(config: Config) -> dict[str, Any]:
    """The settings that are not empty, by the keys of a config.json."""
    stored = config.model_dump(mode="json", exclude=LEFT_OUT)
    filled = {key: value for key, value in stored.items() if value not in (None, {}, [])}
    return {key.replace("_", "-"): value for key, value in filled.items()}
