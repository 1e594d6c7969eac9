"""The bar that `minimize` shows on a terminal."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from spearmint_int import value_text

if TYPE_CHECKING:
    from spearmint_int.library.evaluation import Evaluation


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """Evaluations done of all, the best value so far, and the time that remains."""

    def __init__(self, evaluations: int) -> None:
        self._progress = Progress(
            TextColumn("minimize"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("best {task.fields[best]}"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=Console(stderr=True),  # what a program prints may go to a file
        )
        self._task = self._progress.add_task("minimize", total=evaluations, best="-")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def advance(self, evaluations: int, best: Evaluation | None) -> None:
        text = "-" if best is None else value_text.number(best.value)
        self._progress.update(self._task, advance=evaluations, best=text)

    def say(self, sentence: str) -> None:
        """A line above the bar."""
        self._progress.console.print(sentence, highlight=False, markup=False)
