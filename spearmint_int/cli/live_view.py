"""The live view: a line for each job that ended, above a few lines that show how far the run is."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleRenderable, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from spearmint_int import value_text
from spearmint_int.cli import event_text
from spearmint_int.cli.views import Narrator
from spearmint_int.manager.events import (
    Event,
    JobEnded,
    JobStarted,
    Progress,
    ProgressMade,
    RunEnded,
    RunStarted,
    Stopping,
    SuggestionStarted,
)

if TYPE_CHECKING:
    from spearmint_int.config import Config

REFRESHES_PER_SECOND = 4
WIDEST_BAR, SHORTEST_BAR = 50, 5


class _FoldedLive(Live):
    """A live display on terminals that fold its lines when they are made narrower.

    rich erases as many rows as it has drawn; the folded ones would be left behind.
    """

    _drawn: tuple[int, ...] = ()  # the lengths of the lines on the terminal
    _width = 0

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        width = self.console.width
        if self._live_render.last_render_height and width < self._width:
            rows = sum(max(1, math.ceil(length / width)) for length in self._drawn)
            self._live_render._shape = (width, rows)  # no public way in
        lines = self.console.render_lines(self._live_render.renderable, pad=False)
        self._drawn, self._width = tuple(map(Segment.get_line_length, lines)), width
        return super().process_renderables(renderables)


class LiveView:
    """A listener for terminals; use it as a context manager."""

    def __init__(self, config: Config, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False)
        self._name = config.experiment_name
        self._narrator = Narrator(config)
        self._progress: Progress | None = None
        self._seen = time.monotonic()  # when the progress came, so that its clock runs on
        self._running: dict[int, tuple[float, str]] = {}  # when it began, and its parameters
        self._now = "starting"
        self._stopping = False
        self._live = _FoldedLive(
            console=self.console,
            get_renderable=self.render,
            refresh_per_second=REFRESHES_PER_SECOND,
            transient=True,
        )

    def __enter__(self) -> LiveView:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        self._note(event)
        for _, line in self._narrator.lines(event):
            self.console.print(_styled(line), no_wrap=True, overflow="ellipsis")
        if isinstance(event, RunEnded):
            self._live.stop()
            for name, text in event_text.summary_lines(event.summary):
                self.console.print(Text.assemble((f"{name}: ", "bold"), text))

    def _note(self, event: Event) -> None:
        """Remember what the lines at the bottom show."""
        if isinstance(event, RunStarted | ProgressMade):
            self._progress, self._seen = event.progress, time.monotonic()
        elif isinstance(event, SuggestionStarted):
            self._now = "choosing the next point"
        elif isinstance(event, JobStarted):
            params = value_text.params(event.job.params)
            self._running[event.job.id], self._now = (time.monotonic(), params), ""
        elif isinstance(event, JobEnded):
            self._running.pop(event.job.id, None)
        elif isinstance(event, Stopping):
            self._stopping = True

    def render(self) -> RenderableType:
        """The lines at the bottom."""
        progress = self._progress
        if progress is None:
            return Text(f"{self._name}: starting")
        facts = {
            "best": event_text.best_text(progress),
            "model": event_text.estimate_text(progress),
            "goal": "" if progress.goal is None else str(progress.goal),
            "now": self._now_text(),
            "pace": event_text.pace_text(progress),
        }
        lines = [_fact(name, text) for name, text in facts.items() if text]
        return Group(Text(), self._head(progress), *lines)

    def _head(self, progress: Progress) -> RenderableType:
        """The counts, and the bar with the time beside it."""
        since = time.monotonic() - self._seen
        remaining = progress.remaining_seconds
        left = None if remaining is None or self._stopping else remaining - since
        clock = Text(event_text.time_text(progress.elapsed_seconds + since, left))
        title = Text(f"{self._name}: {event_text.count_text(progress)}", "bold", no_wrap=True)
        if progress.budget is None:
            return Group(title, clock)
        width = min(WIDEST_BAR, max(self.console.width - len(clock) - 2, SHORTEST_BAR))
        beside = Table.grid(padding=(0, 2))
        beside.add_row(ProgressBar(progress.budget, progress.finished, width=width), clock)
        return Group(title, beside)

    def _now_text(self) -> str:
        """The running jobs, or what the manager does without one."""
        now = time.monotonic()
        jobs = [f"job {i} ({value_text.duration(now - t)})" for i, (t, _) in self._running.items()]
        if len(jobs) == 1:
            jobs = [f"{jobs[0]} at {next(iter(self._running.values()))[1]}"]
        ending = "stopping; " if self._stopping else ""
        return ending + (", ".join(jobs) or self._now)


def _fact(name: str, text: str) -> Text:
    """One line, cut at the terminal's edge."""
    line = Text(no_wrap=True, overflow="ellipsis")
    return line.append(f"{name:<7}", "bold").append(text)


def _styled(line: str) -> Text:
    """The line with its one coloured word."""
    text = Text(line)
    text.highlight_words(["best so far"], style="bold green")
    text.highlight_regex(r"^job \d+: (broken|failed)", style="red")
    return text
