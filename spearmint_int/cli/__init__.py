"""The command line. Commands import what they need when they run: `--help` must be instant."""

from spearmint_int.cli.program import main

__all__ = ["main"]
