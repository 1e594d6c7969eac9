"""`run`: work through the budget."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from spearmint_int.cli.arguments import ALL_BROKEN, FINE, INTERRUPTED, WholeFromOne, on_folder
from spearmint_int.cli.waiting import passing_line
from spearmint_int.errors import ConfigError
from spearmint_int.jobs import JobStatus

if TYPE_CHECKING:
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.cli.views import View
    from spearmint_int.config import Config
    from spearmint_int.manager import Summary


@click.command(short_help="Run the experiment, or go on with it.")
@click.option(
    "--max-finished-jobs", "jobs", type=WholeFromOne(), metavar="N",
    help="The budget of jobs in all, instead of the config's.",
)  # fmt: skip
@click.option(
    "--max-time", "seconds", metavar="TIME", help='Limit of this run: seconds, "30m" or "2h".'
)
@click.option("--plain", is_flag=True, help="Lines instead of the live view.")
@click.option("--json", "as_json", is_flag=True, help="Every event as a line of JSON.")
@on_folder
def run(
    folder: Folder, jobs: int | None, seconds: str | None, *, plain: bool, as_json: bool
) -> int:
    """Run jobs until the budget is spent; started again, go on where it stopped.

    Ctrl-C once waits for the running jobs, twice hands them back. Exit code 1 says that no job
    worked, 130 that the run was interrupted.
    """
    config = with_limits(folder.config, jobs=jobs, seconds=seconds)
    # The numeric modules take a second, and what the objective imports may take many.
    with passing_line(f"{config.experiment_name}: loading {config.main_file}"):
        _prepare(folder, config)
        view = _view(config, plain=plain, as_json=as_json)
    summary = _run(folder, config, view)
    return _exit_code(summary)


def _prepare(folder: Folder, config: Config) -> None:
    """Load what a run needs; an objective that has not worked yet is tried."""
    from spearmint_int.check.probe import load_main_file  # noqa: PLC0415

    _refuse_unusable(config)
    if not _has_results(folder):
        load_main_file(config)


def with_limits(config: Config, *, jobs: int | None, seconds: str | None) -> Config:
    """The experiment with other limits of its run."""
    update: dict[str, Any] = {}
    if jobs is not None:
        if len(config.resources) > 1:
            raise click.UsageError("there are several resources: set max-finished-jobs of each")
        ((name, resource),) = config.resources.items()
        changed = resource.model_copy(update={"max_finished_jobs": jobs})
        update["resources"] = {name: changed}
    if seconds is not None:
        update["max_time"] = _seconds(seconds)
    return config.model_copy(update=update)


def _seconds(text: str) -> float:
    from spearmint_int.config.section import seconds_of  # noqa: PLC0415

    try:
        return seconds_of(text)
    except ConfigError as error:
        raise click.UsageError(f"--max-time {error}") from None


def _has_results(folder: Folder) -> bool:
    """Whether the objective has worked once; else `run` loads it before the first job."""
    with folder.results() as store:
        return store is not None and store.tally().counts[JobStatus.COMPLETE] > 0


def _refuse_unusable(config: Config) -> None:
    """Raise the error that no job could be started with, before anything is written."""
    from spearmint_int.check.batch import batch_resources  # noqa: PLC0415
    from spearmint_int.launcher.environment import objective_environments  # noqa: PLC0415
    from spearmint_int.registry import CHOOSERS  # noqa: PLC0415

    _ = config.main_path, config.chooser_options(), CHOOSERS[config.chooser]
    batch_resources(config)
    objective_environments(config)


def _view(config: Config, *, plain: bool, as_json: bool) -> View:
    from spearmint_int.cli.views import JsonView, LastingView, PlainView  # noqa: PLC0415

    if as_json:
        return JsonView()
    if plain or not sys.stdout.isatty():
        return PlainView(config)
    from spearmint_int.cli.live_view import LiveView  # noqa: PLC0415

    return LastingView(LiveView(config))


def _run(folder: Folder, config: Config, view: View) -> Summary:
    from spearmint_int.manager import PATIENCE_SECONDS, Manager, stopped_by_signals  # noqa: PLC0415

    with folder.store(create=True, patience=PATIENCE_SECONDS) as store, view:
        manager = Manager(config, store, listener=view)
        with stopped_by_signals(manager):
            return manager.run()


def _exit_code(summary: Summary) -> int:
    from spearmint_int.manager import EndReason  # noqa: PLC0415

    if summary.reason is EndReason.STOPPED:
        return INTERRUPTED
    return FINE if summary.succeeded else ALL_BROKEN
