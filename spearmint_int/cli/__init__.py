"""The command line. Commands import what they need when they run: `--help` must be instant."""

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the program and leave with its exit code, also of a Ctrl-C while it is still loading."""
    try:
        from spearmint_int.cli import program  # noqa: PLC0415
    except (KeyboardInterrupt, ImportError) as error:
        if not is_interrupt(error):
            raise
        print("interrupted", file=sys.stderr)
        sys.exit(130)  # `arguments.INTERRUPTED`, which may not be loaded
    program.main()


def is_interrupt(error: BaseException | None) -> bool:
    """Whether the error is a Ctrl-C: also as an ImportError, which compiled modules (scipy's) make
    of one that comes while they load."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None
