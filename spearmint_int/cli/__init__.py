"""The command line. Commands import what they need when they run: `--help` must be instant."""

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the program and leave with its exit code, also of a Ctrl-C while it is still loading."""
    try:
        from spearmint_int.cli import program  # noqa: PLC0415
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)  # `arguments.INTERRUPTED`, which may not be loaded
    program.main()
