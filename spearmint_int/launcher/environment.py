"""`environment-file`: NAME=value lines that a resource gives to its jobs."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from spearmint_int.errors import ObjectiveError


def job_environment(job_id: int, directory: str, environment_file: str | None) -> dict[str, str]:
    """The environment of an objective: ours, the file's lines, and where output is not buffered."""
    environment = dict(os.environ)
    if environment_file is not None:
        environment |= read_environment(Path(directory) / environment_file)
    environment["SPEARMINT_JOB_ID"] = str(job_id)
    environment["PYTHONUNBUFFERED"] = "1"  # `tail -f` on the output shows what happens now
    return environment


def read_environment(path: Path) -> dict[str, str]:
    """The variables of a file; `export`, quotes, comments and empty lines are understood."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ObjectiveError(f"the environment file {path} can't be read: {error}") from None
    pairs = (_pair(path, number, line) for number, line in enumerate(lines, start=1))
    return dict(pair for pair in pairs if pair is not None)


def _pair(path: Path, number: int, line: str) -> tuple[str, str] | None:
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        raise ObjectiveError(f"{path}:{number}: {error}, got {line!r}") from None
    if words[:1] == ["export"]:
        words = words[1:]
    if not words:
        return None
    name, equals, value = words[0].partition("=")
    if len(words) > 1 or not equals or not name.isidentifier():
        raise ObjectiveError(f"{path}:{number}: expected NAME=value, got {line!r}")
    return name, value
