"""What a command does while something takes long: a line says what it is, and Ctrl-C ends it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from typing import TYPE_CHECKING, TypeVar

from spearmint_int import value_text
from spearmint_int.cli.output import clip
from spearmint_int.jobs import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Result = TypeVar("Result")

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


def fitting(jobs: int) -> str:
    """The line while a model is fitted, which is a blink for 100 jobs and minutes for thousands."""
    return f"fitting the model to {value_text.counted(jobs, 'job')}; Ctrl-C ends it"


def interruptible(text: str, function: Callable[[], Result]) -> Result:
    """`in_thread`, with the text as the passing line."""
    with passing_line(text):
        return in_thread(function)


def in_thread(function: Callable[[], Result]) -> Result:
    """`background_call.awaited`: what the function returns, while a Ctrl-C ends the wait."""
    from spearmint_int.manager.background_call import awaited  # noqa: PLC0415 (loads numpy)

    return awaited(function)
