"""`repair` and `backup`: jobs that can't be read any more, and copies of the store."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spearmint_int import value_text
from spearmint_int.cli.arguments import FINE, at, config_option, on_folder, one_at_most
from spearmint_int.errors import SpearmintError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.cli.arguments import Folder
    from spearmint_int.stores import Store

DAMAGED = 1  # the exit code while there are jobs that can't be read


@click.command(short_help="Show and mend jobs that can't be read.")
@click.option("--set-aside", is_flag=True, help="Move them to files.")
@click.option("--delete", is_flag=True, help="Delete them.")
@click.option("--restore", is_flag=True, help="Put files back that were mended.")
@on_folder
def repair(folder: Folder, *, set_aside: bool, delete: bool, restore: bool) -> int:
    """Show the jobs whose rows can't be read, because they were edited or the disk failed.

    With --set-aside they are moved to output/set-aside/, a file each, which can be mended with an
    editor and put back with --restore. Run it while no manager is at work.
    """
    given = {"--set-aside": set_aside, "--delete": delete, "--restore": restore}
    action = one_at_most(given)
    aside = folder.directory / "output" / "set-aside"
    is_restored = True
    with folder.store() as store:
        if action == "--restore":
            is_restored = _restore(store, aside)
        else:
            _mend(store, aside, action)
        left = [damage.sentence for damage in store.damaged()]
        gaps = _gaps(store, aside)
    for sentence in [*left, *gaps]:
        click.echo(sentence)
    if not left:
        click.echo("every job can be read")
    return DAMAGED if left or not is_restored else FINE


def _mend(store: Store, aside: Path, action: str | None) -> None:
    for damage in store.damaged() if action else []:
        if action == "--set-aside":
            path = _write(aside, damage.job_id, store.raw(damage.job_id))
            click.echo(f"job {damage.job_id}: set aside as {path}")
        else:
            click.echo(f"job {damage.job_id}: deleted")
        store.remove(damage.job_id)


def _write(aside: Path, job_id: int, raw: dict[str, Any]) -> Path:
    from spearmint_int.atomic import write_durably  # noqa: PLC0415

    aside.mkdir(parents=True, exist_ok=True)
    path = _path(aside, job_id)
    write_durably(path, json.dumps(raw, indent=2, ensure_ascii=False) + "\n")
    return path


def _path(aside: Path, job_id: int) -> Path:
    return aside / f"{job_id}.json"


def _restore(store: Store, aside: Path) -> bool:
    """Whether all files were put back."""
    refused = False
    for path in sorted(aside.glob("*.json")):
        try:
            store.put_back(_read(path))
        except (SpearmintError, ValueError) as error:
            click.echo(f"{path}: not put back: {error}")
            refused = True
            continue
        path.unlink()
        click.echo(f"{path}: put back")
    return not refused


def _read(path: Path) -> dict[str, Any]:
    from spearmint_int.config.section import show  # noqa: PLC0415 (pydantic)

    raw = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(raw, dict):
        raise ValueError(f"must hold one JSON object, got {show(raw)}")
    return raw


def _gaps(store: Store, aside: Path) -> list[str]:
    """A sentence for each id without a row, which was set aside, or somebody has deleted."""
    from spearmint_int.jobs import JobStatus  # noqa: PLC0415

    found = {point.id for point in store.job_points(list(JobStatus))}
    found |= {damage.job_id for damage in store.damaged()}
    missing = sorted(set(range(1, store.last_id() + 1)) - found)
    return [_gap(job_id, aside) for job_id in missing]


def _gap(job_id: int, aside: Path) -> str:
    path = _path(aside, job_id)
    if path.exists():
        return f"job {job_id} is in {path}: mend it there, and put it back with --restore"
    return f"job {job_id} is not there: its row was deleted"


@click.command(short_help="Copy all jobs to a file, also during a run.")
@click.argument("arguments", metavar="[DIR] FILE", nargs=-1, required=True)
@config_option
def backup(arguments: tuple[str, ...], file_name: str) -> None:
    """Copy all jobs and state to a new SQLite file, while a run may go on.

    To go on from it, put it into the folder as spearmint.sqlite, and leave out database.address.
    """
    if len(arguments) > 2:
        raise click.UsageError("give a folder and one file")
    file = Path(arguments[-1])
    folder = at(Path(arguments[0] if len(arguments) == 2 else "."), file_name)
    if file.is_dir():
        raise click.UsageError(f"{file} is a folder: give the name of the copy too")
    if file.exists():
        raise StoreError(f"{file}: is there already; choose another name")
    with folder.store() as store, _unfinished(file) as unfinished:
        store.backup(unfinished)
        jobs = value_text.counted(sum(store.tally().counts.values()), "job")
        unfinished.rename(file)
    click.echo(f"{jobs} copied to {file}")


@contextmanager
def _unfinished(file: Path) -> Iterator[Path]:
    """A context with a name beside the file, whose file is deleted at a fault."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.unfinished")
    try:
        yield unfinished
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{unfinished}{suffix}").unlink()
