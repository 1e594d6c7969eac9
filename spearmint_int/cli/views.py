"""Listeners of a run: plain lines, JSON lines, and the part that the live view shares with them."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from spearmint_int.cli.arguments import silence_stdout
from spearmint_int.cli.event_text import ended_line, line_of, summary_lines
from spearmint_int.jobs import COUNTED_SOURCES, printable
from spearmint_int.manager.events import (
    Event,
    JobEnded,
    Progress,
    ProgressMade,
    RunEnded,
    RunStarted,
)
from spearmint_int.plain_json import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.config import Config
    from spearmint_int.jobs import Job


class View(Protocol):
    """A listener that restores the terminal at the end."""

    def __call__(self, event: Event) -> None: ...
    def __enter__(self) -> object: ...
    def __exit__(self, *_: Any) -> None: ...


class Narrator:
    """Turns events into lines; the line of a job's end waits for the progress after it."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._ended: list[JobEnded] = []
        self._best: float | None = None  # before they ended

    def lines(self, event: Event) -> Iterator[tuple[Progress | None, str]]:
        """The lines that are due with this event, each with the progress after it if it has one."""
        if isinstance(event, JobEnded):
            self._ended.append(event)
        elif isinstance(event, ProgressMade):
            yield from self._ended_lines(event.progress)
        elif isinstance(event, RunEnded):
            yield from self._ended_lines(event.summary.progress)
        else:
            if isinstance(event, RunStarted):
                self._best = _best_value(event.progress)
            line = line_of(event, name=self._config.experiment_name)
            if line is not None:
                yield None, printable(line)  # a folder may be called anything

    def _ended_lines(self, progress: Progress) -> Iterator[tuple[Progress | None, str]]:
        """The lines of jobs that ended together. The progress is that after the last, so that its
        counts are reduced for those before."""
        counted = [self._counts(ended.job) for ended in self._ended]
        for place, ended in enumerate(self._ended, start=1):
            then = replace(progress, finished=progress.finished - sum(counted[place:]))
            yield (
                then,
                ended_line(
                    ended,
                    then,
                    max_attempts=self._config.max_attempts,
                    task=self._config.task_name,
                    beaten=self._best,
                ),
            )
        self._ended.clear()
        self._best = _best_value(progress)

    def _counts(self, job: Job) -> bool:
        """Whether the job counts against the budget and has finished."""
        ours = job.source in COUNTED_SOURCES and job.resource in self._config.resources
        return ours and job.is_finished


def _best_value(progress: Progress) -> float | None:
    return None if progress.best is None else progress.best.value


class PlainView:
    """A line for everything that happens, for logs and pipes."""

    def __init__(self, config: Config) -> None:
        self._narrator = Narrator(config)
        self._muted = False

    def __call__(self, event: Event) -> None:
        for progress, line in self._narrator.lines(event):
            self._print(f"{time.strftime('%H:%M:%S')} {_counter(progress)}{line}")
        if isinstance(event, RunEnded):
            for name, text in summary_lines(event.summary):
                self._print(f"{name}: {text}")

    def _print(self, line: str) -> None:
        self._muted = self._muted or not write_line(line)

    def __enter__(self) -> PlainView:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to put back."""


class JsonView:
    """Every event as one line of JSON, for programs."""

    def __init__(self) -> None:
        self._muted = False

    def __call__(self, event: Event) -> None:
        if not self._muted:
            document = {"event": _name(type(event).__name__), **_brief(plain(event))}
            self._muted = not write_line(json.dumps(document, ensure_ascii=False))

    def __enter__(self) -> JsonView:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to put back."""


class LastingView:
    """A view whose terminal may go away: the run goes on without it."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._is_gone = False

    def __call__(self, event: Event) -> None:
        with self._lasting():
            self._view(event)

    def __enter__(self) -> LastingView:
        with self._lasting():
            self._view.__enter__()
        return self

    def __exit__(self, *reason: Any) -> None:
        with self._lasting():
            self._view.__exit__(*reason)

    @contextmanager
    def _lasting(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            if not self._is_gone:
                silence_stdout()
            self._is_gone = True


def write_line(line: str) -> bool:
    """Print at once. False when that is no longer possible, which must not end a run."""
    if sys.stdout is None:  # closed before we began
        return False
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):  # nobody reads, a full disk, a terminal that is gone
        silence_stdout()
        return False
    return True


def _counter(progress: Progress | None) -> str:
    if progress is None:
        return ""
    if progress.budget is None:
        return f"[{progress.finished}] "
    return f"[{progress.finished:{len(str(progress.budget))}d}/{progress.budget}] "


def _name(class_name: str) -> str:
    """JobEnded → job-ended."""
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in class_name).lstrip("-")


def _brief(value: Any) -> Any:
    """The value, without a job's point and provenance, which `show` has."""
    if isinstance(value, dict):
        return {k: _brief(v) for k, v in value.items() if k not in ("point", "provenance")}
    return [_brief(item) for item in value] if isinstance(value, list) else value
