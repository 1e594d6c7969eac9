"""The first line of a SHELL objective, by which the system finds its interpreter.

The system says no more than 'no such file'. Here is what is wrong, for `check` before the first job
and for a job that could not be started.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LONGEST_LINE = 256  # characters in which Linux looks for the interpreter's name


def first_line_fault(path: Path) -> str | None:
    """What is wrong with the first line, in words that follow the file's name; None where nothing
    is, or for a compiled program."""
    try:
        with path.open("rb") as file:
            head = file.read(LONGEST_LINE)
    except OSError as error:
        return f"it can't be read: {error.strerror}"
    if b"\0" in head:
        return None
    if not head.startswith(b"#!"):
        return "its first line must be like '#!/bin/sh'; there is none"
    line = head.split(b"\n", 1)[0]
    if line.endswith(b"\r"):
        remedy = rf"sed -i 's/\r$//' {path}"
        return f"its lines end in a carriage return, as on Windows; mend it with: {remedy}"
    return _interpreter_fault(line[2:].decode(errors="replace"), path)


def _interpreter_fault(named: str, path: Path) -> str | None:
    words = named.split()
    if not words:
        return "its first line must name an interpreter, like '#!/bin/sh'"
    if not (path.parent / words[0]).exists():
        return f"its first line names {words[0]}, which does not exist"
    return None
