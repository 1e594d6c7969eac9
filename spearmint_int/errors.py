"""The errors that users see, each one sentence: what was given, what is allowed, what to do.

SpearmintError
├── ConfigError (ValueError)         a config.json that can't be used
├── SpaceError (ValueError)          an impossible variable, or parameters outside of it
│   └── SpaceExhausted               every point of an all-integer space is evaluated or pending
├── ResultError (TypeError, ValueError)   a result that is no number
├── GoalReached                      the config's stop-when holds
├── UnknownNameError (KeyError)      a name that is in no registry
├── PluginError                      another package's part that can't be used
├── ObjectiveError                   a main file that can't be loaded or called
├── StoreError
│   ├── StoreUnavailable             the database is away, or its disk full (ConnectionError)
│   ├── StoreMissing                 nothing was stored yet
│   ├── StoreVersionError            the database was written by another schema
│   ├── JobNotFound (LookupError)
│   └── DamagedJob                   a job whose row can't be read
└── SchedulerError                   a job that could not be started
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class SpearmintError(Exception):
    """Root of all errors that are the user's to mend; the command line prints its text alone."""


class ConfigError(SpearmintError, ValueError):
    """A config that can't be used; the text names the file and the path of the key."""


class SpaceError(SpearmintError, ValueError):
    """An impossible variable, or parameters that lie outside of their space."""


class SpaceExhausted(SpaceError):
    """Every point of a finite space is evaluated or pending: there is nothing left to suggest."""


class ResultError(SpearmintError, TypeError, ValueError):
    """A result that is no number."""


class GoalReached(SpearmintError):
    """The config's stop-when holds: there is no need for another point."""


class UnknownNameError(SpearmintError, KeyError):
    """A name that is in no registry; the text has the nearest name, or all valid ones."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        super().__init__(f"unknown {kind} {name!r}{alternatives(name, valid)}")

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError's own would print the repr


class PluginError(SpearmintError):
    """A part of another package that can't be loaded or used; the text names the package."""


class ObjectiveError(SpearmintError):
    """A main file that can't be loaded or called."""


class StoreError(SpearmintError):
    """The job database refused or failed."""


class StoreUnavailable(StoreError, ConnectionError):
    """The job database can't be reached, or has no room; waiting may mend it."""


class StoreMissing(StoreError):
    """There is no job database yet, and it was only to be read."""


class StoreVersionError(StoreError):
    """The job database was written by another version of the schema."""


class JobNotFound(StoreError, LookupError):
    """No job with that id."""


class DamagedJob(StoreError):
    """A job whose row or document can't be read; the text has its number and the reason."""


class SchedulerError(SpearmintError):
    """A job that could not be started."""


NO_FIGURES = "figures need plotly, which is not installed: pip install 'spearmint-int[plots]'"


def alternatives(name: str, names: Iterable[str]) -> str:
    """The end of a sentence on an unknown name: what a typing error most likely meant, or all."""
    names = list(names)
    meant = closest(name, names)
    if meant is not None:
        return f"; did you mean {meant!r}?"
    there = "there is" if len(names) == 1 else "there are"
    return f"; {there} {', '.join(names)}" if names else ""


def closest(name: str, names: Iterable[str]) -> str | None:
    """The one that a typing error most likely meant; None where none is near."""
    known = {known.lower(): known for known in names}
    # None or a number may stand where a name belongs
    matches = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=0.6)
    return known[matches[0]] if matches else None
