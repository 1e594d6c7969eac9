"""`run`: work through the budget."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from spearmint_int.cli.arguments import ALL_BROKEN, FINE, INTERRUPTED, on_folder

if TYPE_CHECKING:
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.cli.live_view import LiveView
    from spearmint_int.cli.views import JsonView, PlainView
    from spearmint_int.config import Config
    from spearmint_int.manager import Summary


@click.command(short_help="Run the experiment, or go on with it.")
@click.option("--plain", is_flag=True, help="Lines instead of the live view.")
@click.option("--json", "as_json", is_flag=True, help="Every event as a line of JSON.")
@on_folder
def run(folder: Folder, plain: bool, as_json: bool) -> int:
    """Run jobs until the budget is spent; started again, go on where it stopped.

    Ctrl-C once waits for the running jobs, twice hands them back. Exit code 1 says that the run
    stopped early because every job broke, 130 that it was interrupted.
    """
    config = folder.config
    _refuse_unusable(config)
    view = _view(config, plain=plain, as_json=as_json)
    summary = _run(folder, view)
    return _exit_code(summary)


def _refuse_unusable(config: Config) -> None:
    """A missing objective, or a plugin that can't be loaded, is told before anything is written."""
    from spearmint_int.registry import CHOOSERS, SCHEDULERS  # noqa: PLC0415

    _ = config.main_path, config.chooser_options(), CHOOSERS[config.chooser]
    for resource in config.resources.values():
        _ = SCHEDULERS[resource.scheduler]


def _view(config: Config, *, plain: bool, as_json: bool) -> LiveView | PlainView | JsonView:
    from spearmint_int.cli.views import JsonView, PlainView  # noqa: PLC0415

    if as_json:
        return JsonView()
    if plain or not sys.stdout.isatty():
        return PlainView(config)
    from spearmint_int.cli.live_view import LiveView  # noqa: PLC0415

    return LiveView(config)


def _run(folder: Folder, view: LiveView | PlainView | JsonView) -> Summary:
    from spearmint_int.manager import PATIENCE_SECONDS, Manager, stopped_by_signals  # noqa: PLC0415

    with folder.store(create=True, patience=PATIENCE_SECONDS) as store, view:
        manager = Manager(folder.config, store, listener=view)
        with stopped_by_signals(manager):
            return manager.run()


def _exit_code(summary: Summary) -> int:
    from spearmint_int.manager import EndReason  # noqa: PLC0415

    if summary.reason is EndReason.STOPPED:
        return INTERRUPTED
    return FINE if summary.succeeded else ALL_BROKEN
