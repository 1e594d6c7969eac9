"""The shortest way: minimise a Python function over a space, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from spearmint_int.chooser import ChooserOptions, Recommendation
from spearmint_int.errors import SpaceExhausted
from spearmint_int.optimizer import Evaluation, Optimizer
from spearmint_int.space import Params, Space, Variable


@dataclass(frozen=True)
class MinimizeResult:
    """The best evaluation, what the model recommends, and everything that was evaluated."""

    params: Params
    value: float
    recommendation: Recommendation | None
    history: tuple[Evaluation, ...]
    message: str


def minimize(
    function: Callable[[Params], float],
    space: Space | Mapping[str, Variable],
    evaluations: int = 50,
    seed: int = 0,
    *,
    options: ChooserOptions | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> MinimizeResult:
    """Evaluate `function(params)` at `evaluations` points that Bayesian optimization chooses.

    A result of NaN, or infinity, says that the evaluation failed there; an exception is the
    caller's and ends the search. `progress` is shown on a terminal unless it is False.
    """
    if evaluations < 1:
        raise ValueError(f"evaluations must be at least 1, got {evaluations}")
    optimizer = Optimizer(space, seed=seed, options=options, **settings)
    message = f"{evaluations} evaluations done"
    shown = sys.stderr.isatty() if progress is None else progress
    with _Bar(evaluations) if shown else nullcontext() as bar:
        for _ in range(evaluations):
            try:
                params = optimizer.ask()[0]
            except SpaceExhausted as end:
                message = str(end)
                break
            optimizer.tell(params, function(params))
            if bar is not None:
                bar.advance(optimizer.best())
    return _result(optimizer, message)


def _result(optimizer: Optimizer, message: str) -> MinimizeResult:
    best = optimizer.best()
    if best is None:  # every evaluation failed: the first one stands for all
        first = optimizer.history[0]
        return MinimizeResult(first.params, first.value, None, optimizer.history, "all failed")
    recommendation = optimizer.recommend()
    return MinimizeResult(best.params, best.value, recommendation, optimizer.history, message)


class _Bar(AbstractContextManager["_Bar"]):
    """Evaluations done of all, the best value so far, and the time that remains."""

    def __init__(self, evaluations: int) -> None:
        self._progress = Progress(
            TextColumn("minimize"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("best {task.fields[best]}"),
            TimeRemainingColumn(),
        )
        self._task = self._progress.add_task("minimize", total=evaluations, best="-")

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def advance(self, best: Evaluation | None) -> None:
        text = "-" if best is None else f"{best.value:.6g}"
        self._progress.update(self._task, advance=1, best=text)
