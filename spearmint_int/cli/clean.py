"""`clean`: start over."""

from __future__ import annotations

import shutil
import sys
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import click

from spearmint_int import value_text
from spearmint_int.cli.arguments import on_folder
from spearmint_int.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from spearmint_int.cli.arguments import Folder
    from spearmint_int.jobs import Job
    from spearmint_int.stores import Store

STOP_IT = "stop it first (Ctrl-C, or 'spearmint-int stop')"


@click.command(short_help="Delete all jobs and results.")
@click.option("-y", "--yes", is_flag=True, help="Don't ask.")
@on_folder
def clean(folder: Folder, yes: bool) -> None:
    """Delete all jobs and results of the experiment, its output folder and its trace."""
    from spearmint_int.experiment.identity import META as IDENTITY  # noqa: PLC0415
    from spearmint_int.experiment.identity import check_folder  # noqa: PLC0415

    output = folder.directory / "output"
    with ExitStack() as stack:
        _lock_library_folder(folder, stack)
        store = stack.enter_context(folder.store())
        check_folder(folder.config, store.load_meta(IDENTITY))
        _refuse_while_running(store)
        jobs = value_text.counted(sum(store.tally().counts.values()), "job")
        if not (yes or _agreed(f"Delete {jobs} in {store.location} and {output}?")):
            click.echo("nothing was deleted")
            return
        store.destroy()
    _delete_files(output)
    click.echo(f"{jobs} deleted")


def _lock_library_folder(folder: Folder, stack: ExitStack) -> None:
    """Lock a folder of `minimize`, or refuse while that is at work: between two points it has no
    job by which that could be seen."""
    from spearmint_int.config import CALLED_BY_MINIMIZE  # noqa: PLC0415

    if folder.config.main_file == CALLED_BY_MINIMIZE:
        from spearmint_int.library.folder import FolderLock  # noqa: PLC0415

        stack.enter_context(closing(FolderLock(folder.directory)))


def _delete_files(output: Path) -> None:
    """Delete what runs have left in the folder beside the store."""
    from spearmint_int.manager.trace import BEST_FILE, TRACE_FILE  # noqa: PLC0415

    shutil.rmtree(output, ignore_errors=True)
    for name in (BEST_FILE, TRACE_FILE):
        output.with_name(name).unlink(missing_ok=True)


def _refuse_while_running(store: Store) -> None:
    """Raise an error while a run has jobs at work, or chooses its next point: for seconds it may
    have no job at all."""
    from spearmint_int.experiment.suggestion_lock import LOCK  # noqa: PLC0415
    from spearmint_int.jobs import JobStatus  # noqa: PLC0415
    from spearmint_int.launcher.liveness import owner_is_dead  # noqa: PLC0415

    now = store.now()
    held = [job for job in store.jobs(JobStatus.PENDING) if (job.lease_expires or 0) > now]
    running = [job.id for job in held if not _was_left(job)]
    if running:
        named = ", ".join(map(str, running))
        raise StoreError(f"a run is at work on job {named}; {STOP_IT}")
    chooser = store.lock_holder(LOCK)
    if chooser is not None and not owner_is_dead(chooser):
        raise StoreError(f"a run is choosing its next point; {STOP_IT}")


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} There is no terminal to ask on: use --yes")
    return click.confirm(question)


def _was_left(job: Job) -> bool:
    """Whether nobody works on the job, whatever its lease says: its worker and its owner are
    gone."""
    from spearmint_int.launcher.liveness import is_known_dead, owner_is_dead  # noqa: PLC0415
    from spearmint_int.library.stored_optimizer import OURS  # noqa: PLC0415

    process, owner = job.process, job.lease_owner
    if owner is not None and owner.endswith(OURS):
        return True  # we have the folder's lock
    if process is None or process.pid is None or owner is None:
        return False
    return is_known_dead(process.pid, process.born or "") and owner_is_dead(owner)
