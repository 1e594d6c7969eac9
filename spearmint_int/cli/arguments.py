"""What commands share: the folder that they work on, their common options, how they end."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spearmint_int.errors import SpearmintError, StoreMissing
from spearmint_int.jobs import JobStatus

if TYPE_CHECKING:
    from spearmint_int.config import Config
    from spearmint_int.stores import Store

CONFIG_FILE = "config.json"

# The program's exit codes.
FINE = 0
ALL_BROKEN = 1  # a run in which no job has worked
USERS_MISTAKE = 2  # told in one sentence on stderr
INTERRUPTED = 130  # Ctrl-C


@dataclass(frozen=True)
class Folder:
    """A folder and the name of its config, which is read when it is needed."""

    directory: Path
    file_name: str

    @cached_property
    def config(self) -> Config:
        from spearmint_int.config import load_config  # noqa: PLC0415

        return load_config(self.directory, self.file_name)

    @contextmanager
    def store(self, *, create: bool = False, patience: float | None = None) -> Iterator[Store]:
        """The job store, closed at the end; by default it must exist. One of another experiment is
        refused."""
        from spearmint_int.experiment.identity import open_own_store  # noqa: PLC0415

        store = open_own_store(self.config, create=create, patience=patience)
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def results(self) -> Iterator[Store | None]:
        """The store to read results of these variables from; None while there is no job yet."""
        from spearmint_int.config.declaration import check_variables, eras  # noqa: PLC0415
        from spearmint_int.experiment.identity import load_identity  # noqa: PLC0415

        with ExitStack() as stack:
            try:
                store = stack.enter_context(self.store())
            except StoreMissing:
                yield None
                return
            load_identity(self.config, store)
            check_variables(self.config, eras(store))
            yield store


def silence_stdout() -> None:
    """Discard what stdout could not write: Python would complain of it once more at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def at(directory: Path, file_name: str) -> Folder:
    """The experiment in a folder; a path to its config is understood too."""
    if directory.is_file() and directory.suffix == ".json":
        return Folder(directory.parent, directory.name)
    return Folder(directory, file_name)


config_option = click.option(
    "--config", "file_name", default=CONFIG_FILE, metavar="FILE", show_default=True,
    help="Name of the config in DIR.",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def on_folder(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the argument DIR and the option --config, and hand it the Folder."""

    @click.argument("directory", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
    @config_option
    @functools.wraps(function)
    def wrapper(directory: Path, file_name: str, **others: Any) -> Any:
        return function(at(directory, file_name), **others)

    return wrapper


class WholeFromOne(click.IntRange):
    """A count; what click says of another value speaks of ranges."""

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            name = param.opts[-1] if param is not None else "N"
            message = f"{name} must be a whole number from 1 on, got {value!r}"
            raise click.UsageError(message, ctx) from None


def one_at_most(given: Mapping[str, bool]) -> str | None:
    """The one of these options that was given; a usage error where there are two."""
    names = [name for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise click.UsageError(f"{' and '.join(names)} exclude each other; give one of them")
    return names[0] if names else None


def job_numbers(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001
    """The completions of a job's number: the jobs of the folder that was typed, newest first."""
    typed = tuple(context.params.get("arguments") or ())
    try:
        _, folder = jobs_and_folder(typed, context.params.get("file_name") or CONFIG_FILE)
        with folder.store() as store:
            ids = [str(point.id) for point in reversed(store.job_points(list(JobStatus)))]
    except (SpearmintError, click.ClickException):
        return []
    return [job_id for job_id in ids if job_id.startswith(incomplete)]


def jobs_and_folder(arguments: tuple[str, ...], file_name: str) -> tuple[list[int], Folder]:
    """`[DIR] JOB…` in any order: numbers are jobs, the rest is the folder."""
    ids = [int(argument) for argument in arguments if argument.isdecimal()]
    folders = [argument for argument in arguments if not argument.isdecimal()]
    if len(folders) > 1:
        raise click.UsageError(_not_two(folders))
    return ids, at(Path(folders[0] if folders else "."), file_name)


def _not_two(folders: list[str]) -> str:
    """The sentence on several folders, or on a word that was meant as a job and is no number."""
    missing = [given for given in folders if not Path(given).exists()]
    if missing:
        return f"JOB must be a number, got {missing[-1]!r}"
    return f"one folder at most, got {', '.join(folders)}"
