"""What a command does while something takes long: a line on the terminal says what it is."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from typing import TYPE_CHECKING

from spearmint_int.cli.output import clip
from spearmint_int.jobs import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

ERASED = "\r\x1b[K"  # back to the line's beginning, and nothing behind it


@contextlib.contextmanager
def passing_line(text: str) -> Iterator[None]:
    """Show the text on the terminal, and erase it afterwards.

    On stderr, so that nothing but results is in a pipe; nothing where that is no terminal.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    width = shutil.get_terminal_size().columns - 1  # a full line would be folded
    _write(clip(printable(text), width))
    try:
        yield
    finally:
        _write(ERASED)


def _write(text: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone
        sys.stderr.write(text)
        sys.stderr.flush()
