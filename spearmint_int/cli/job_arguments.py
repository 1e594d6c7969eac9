"""`[DIR] JOB…` in any order: numbers are jobs, the rest is the folder."""

from __future__ import annotations

from pathlib import Path

import click

from spearmint_int.cli.experiment import Experiment, at


def jobs_and_experiment(arguments: tuple[str, ...], file_name: str) -> tuple[list[int], Experiment]:
    """The jobs and the experiment that a command line names."""
    ids = [int(argument) for argument in arguments if argument.isdecimal()]
    folders = [argument for argument in arguments if not argument.isdecimal()]
    if len(folders) > 1:
        raise click.UsageError(f"one folder at most, got {', '.join(folders)}")
    return ids, at(Path(folders[0] if folders else "."), file_name)
