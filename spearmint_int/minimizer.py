"""The shortest way: optimise a Python function over a space, in this process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from spearmint_int.chooser import ChooserOptions, Constraint, Problem, Recommendation
from spearmint_int.errors import SpaceExhausted
from spearmint_int.evaluation import Evaluation, Result, Returned
from spearmint_int.evaluation_table import as_dataframe
from spearmint_int.jobs import NONE_FULFILS
from spearmint_int.library_arguments import as_results
from spearmint_int.optimizer import Optimizer
from spearmint_int.run_folder import optimizer_in
from spearmint_int.space import Space
from spearmint_int.variables import Params, SomeVariable

if TYPE_CHECKING:
    import pandas as pd

Function = Callable[[Params], Returned]
# A guess, or a result that is known already.
Initial = Mapping[str, Any] | Result


@dataclass(frozen=True)
class Stop:
    """When to end before the evaluations are used up.

    `value`: as soon as a result is as good as this. `no_improvement`: when the last so many
    evaluations brought nothing better; results that were known beforehand are none.
    """

    value: float | None = None
    no_improvement: int | None = None

    def __post_init__(self) -> None:
        if self.value is not None and not _is_number(self.value):
            raise TypeError(f"Stop: value must be a number, got {self.value!r}")
        if self.no_improvement is not None:
            _check_whole("Stop: no_improvement", self.no_improvement)
            if self.no_improvement < 1:
                raise ValueError(
                    f"Stop: no_improvement must be at least 1, got {self.no_improvement}"
                )


@dataclass(frozen=True)
class MinimizeResult:
    """The best evaluation, what the model recommends, and everything that was evaluated.

    Where there are constraints, it is the best one that fulfils all of them. Where none does, the
    value is NaN, the message says so, and the parameters are those that the model recommends.
    """

    params: Params
    value: float
    recommendation: Recommendation | None
    history: tuple[Evaluation, ...] = field(repr=False)
    message: str
    problem: Problem = field(
        repr=False, compare=False
    )  # as the chooser gets it: its values are minimised
    maximize: bool = field(default=False, repr=False)

    def plot(self, kind: str = "progress", *, theme: str = "light") -> Any:
        """A plotly figure of the results or the model (`spearmint_int.plots.PLOTS` has the kinds);
        it needs the extra `plots`."""
        from spearmint_int.plots import Snapshot, plot  # noqa: PLC0415 (an extra)

        seen = Snapshot.of_evaluations(self.history, self.problem, maximize=self.maximize)
        return plot(seen, kind, theme=theme)

    def to_dataframe(self) -> pd.DataFrame:
        """The evaluations as a pandas table: a column for each variable, `value`, and one for each
        constraint."""
        evaluations = (evaluation.copy() for evaluation in self.history)
        constraints = [c.task for c in self.problem.constraints]
        return as_dataframe(evaluations, self.problem.space, constraints)

    def __str__(self) -> str:
        if not self.history:
            return f"no evaluation ({self.message})"
        where = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.value:.6g} at {where} ({self.message})"


def minimize(
    function: Function,
    space: Space | Mapping[str, SomeVariable],
    evaluations: int = 50,
    seed: int | None = 0,
    *,
    direction: str = "minimize",
    initial: Iterable[Initial] = (),
    constraints: Iterable[str | Constraint] = (),
    path: str | Path | None = None,
    n_jobs: int = 1,
    timeout: float | None = None,
    stop: Stop | None = None,
    callback: Callable[[Optimizer], object] | None = None,
    options: ChooserOptions | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> MinimizeResult:
    """Evaluate `function(params)` at `evaluations` points that Bayesian optimization chooses.

    A result of NaN, or infinity, says that the evaluation failed there.

    `direction` is "minimize" or "maximize". `initial` has guesses, which are evaluated first, and
    results that are known: `(params, value)`. `constraints` are the names of numbers that have to
    be at least 0: the function then returns `{"main": value, "name": number, …}`.

    With `path`, a folder, every evaluation is kept in it as soon as it is there, for the command
    line too, and the next call with it goes on: `evaluations` are those of all calls. `n_jobs`
    threads evaluate at the same time (−1: one for each core). After `timeout` seconds no evaluation
    begins. `callback(optimizer)` is called after each one, and ends the search when it returns
    True. `progress` is shown on a terminal unless it is False. `settings` are fields of
    ChooserOptions.

    In a folder one call at a time is at work. Its seed is that of the first call, and so are the
    settings that a call does not name. Bounds, options and settings that it names may be others
    than before: that is a warning, all results are kept, and the best is the best within the
    present bounds. Results that were added or told by the command line are seen, and are none of
    the `evaluations`.

    Nothing is lost when it ends early: Ctrl-C gives back the result so far, and an exception of the
    function is raised with that in its attribute `result`.
    """
    _check(evaluations, n_jobs, timeout, stop)
    if path == "":
        raise ValueError("path must name a folder, got ''; '.' is the present one")
    _check_callable("function", function)
    if callback is not None:
        _check_callable("callback", callback)
    guesses, known = _guesses_and_results(initial)
    optimizer = Optimizer(
        space,
        seed=seed,
        direction=direction,
        initial=guesses,
        constraints=constraints,
        options=options,
        **settings,
    )
    for _, value in known:
        as_results(value, optimizer.constraints)  # before any work
    with ExitStack() as stack:
        begun = 0
        if path is not None:
            given = {*settings, *_differing(options)}
            stored = optimizer_in(path, optimizer, given=given, initial=guesses)
            optimizer = folder = stack.enter_context(stored)
            begun = folder.spent
        shown = sys.stderr.isatty() if progress is None else progress
        search = _Search(
            function=function,
            optimizer=optimizer,
            evaluations=evaluations,
            deadline=None if timeout is None else time.monotonic() + timeout,
            stop=stop or Stop(),
            callback=callback,
            bar=stack.enter_context(_Bar(evaluations)) if shown else None,
            begun=begun,
        )
        search.begin(known)
        return search.run(n_jobs if n_jobs > 0 else os.cpu_count() or 1)


def _differing(options: ChooserOptions | None) -> list[str]:
    """The names of those that somebody has set."""
    default = ChooserOptions()
    names = default.__dataclass_fields__ if options is not None else ()
    return [name for name in names if getattr(options, name) != getattr(default, name)]


def _check(evaluations: int, n_jobs: int, timeout: float | None, stop: Stop | None) -> None:
    _check_whole("evaluations", evaluations)
    _check_whole("n_jobs", n_jobs)
    if timeout is not None and not _is_number(timeout):
        raise TypeError(f"timeout must be a number of seconds, got {timeout!r}")
    if stop is not None and not isinstance(stop, Stop):
        raise TypeError(f"stop must be Stop(value=…) or Stop(no_improvement=…), got {stop!r}")
    if timeout is not None and not timeout >= 0:
        raise ValueError(f"timeout must be at least 0 seconds, got {timeout}")
    if evaluations < 1:
        raise ValueError(f"evaluations must be at least 1, got {evaluations}")
    if n_jobs < 1 and n_jobs != -1:
        raise ValueError(f"n_jobs must be at least 1, or -1 for one for each core, got {n_jobs}")


def _check_callable(name: str, given: object) -> None:
    if not callable(given):
        raise TypeError(f"{name} must be a function, got {given!r}")


def _check_whole(name: str, count: int) -> None:
    if isinstance(count, bool) or not isinstance(count, Integral):  # numpy's integers too
        raise TypeError(f"{name} must be a whole number, got {count!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _guesses_and_results(
    initial: Iterable[Initial],
) -> tuple[list[Mapping[str, Any]], list[Result]]:
    if isinstance(initial, Mapping):
        raise TypeError("initial must be a list of guesses and results, got a single one: [{…}]")
    if isinstance(initial, str) or not isinstance(initial, Iterable):
        raise TypeError(f"initial must be a list of guesses and results, got {initial!r}")
    guesses: list[Mapping[str, Any]] = []
    results: list[Result] = []
    for entry in initial:
        if isinstance(entry, Mapping):
            guesses.append(entry)
        else:
            results.append(_as_known(entry))
    return guesses, results


def _as_known(entry: Any) -> Result:
    pair = isinstance(entry, tuple | list) and len(entry) == 2
    if not pair or not isinstance(entry[0], Mapping):
        raise TypeError(
            f"initial must have guesses {{…}} and results ({{…}}, value), got {entry!r}"
        )
    return entry[0], entry[1]


@dataclass
class _Search:
    """A search under way: what was begun and what has ended."""

    function: Function
    optimizer: Optimizer
    evaluations: int
    deadline: float | None
    stop: Stop
    callback: Callable[[Optimizer], object] | None
    bar: _Bar | None
    begun: int = 0
    message: str | None = None  # why it ends

    def begin(self, known: list[Result]) -> None:
        """Take over what the caller knows, but for what an earlier call has brought."""
        for params, value in self.optimizer.without_known(known):
            self.optimizer.tell(params, value)
        self.message = self._reason_to_stop()
        if self.bar is not None:
            self.bar.advance(self.begun, self.optimizer.best())

    def run(self, n_jobs: int) -> MinimizeResult:
        """To its end; whatever ends it, what was evaluated is in the result."""
        try:
            if n_jobs == 1:
                self._run_alone()
            else:
                self._run_threads(n_jobs)
        except KeyboardInterrupt:
            self.message = "interrupted"
        except BaseException as error:  # an exit from within the function too
            error.result = self._result(f"ended by {type(error).__name__}")  # type: ignore[attr-defined]
            raise
        return self._result(self.message or "")

    def _run_alone(self) -> None:
        while self._may_begin():
            for params in self._ask(1):
                self._ended(params, self.function(deepcopy(params)))

    def _run_threads(self, n_jobs: int) -> None:
        running: dict[Future[Returned], Params] = {}
        with ThreadPoolExecutor(n_jobs) as pool:
            try:
                while self._may_begin() or running:
                    free = min(n_jobs - len(running), self.evaluations - self.begun)
                    for params in self._ask(free) if free > 0 and self._may_begin() else ():
                        running[pool.submit(self.function, deepcopy(params))] = params
                    if running:
                        done, _ = wait(running, return_when=FIRST_COMPLETED)
                        for future in done:
                            self._ended(running.pop(future), future.result())
            finally:  # what has begun can't be stopped; its results are kept
                wait(running)
                for future, params in running.items():
                    if future.exception() is None:
                        with suppress(Exception):  # the first error is on its way already
                            self._ended(params, future.result())

    def _may_begin(self) -> bool:
        if self.message is None and self.begun >= self.evaluations:
            self.message = f"{self.evaluations} evaluations done"
        elif self.message is None and self.deadline is not None:
            self.message = "the time is over" if time.monotonic() >= self.deadline else None
        return self.message is None

    def _ask(self, count: int) -> list[Params]:
        try:
            chosen = self.optimizer.ask(count)
        except SpaceExhausted as end:
            self.message = str(end)
            return []
        self.begun += len(chosen)
        return chosen

    def _ended(self, params: Params, value: Returned) -> None:
        self.optimizer.tell(params, value)
        if self.bar is not None:
            self.bar.advance(1, self.optimizer.best())
        self.message = self.message or self._reason_to_stop()
        stops = None if self.callback is None else self.callback(self.optimizer)
        if isinstance(stops, bool | np.bool_) and stops:  # what else it returns was not meant so
            self.message = self.message or "stopped by the callback"

    def _reason_to_stop(self) -> str | None:
        best = self.optimizer.best()
        if best is None:
            return None
        sign = -1.0 if self.optimizer.direction == "maximize" else 1.0
        if self.stop.value is not None and sign * best.value <= sign * self.stop.value:
            return f"a value as good as {self.stop.value:g} was found"
        patience = self.stop.no_improvement
        if patience is not None and self.optimizer.without_improvement >= patience:
            return f"no improvement in {patience} evaluations"
        return None

    def _result(self, message: str) -> MinimizeResult:
        best, history = self.optimizer.best(), self.optimizer.history
        posed = (self.optimizer.problem(), self.optimizer.direction == "maximize")
        if best is not None:
            found = self.optimizer.recommend()
            return MinimizeResult(best.params, best.value, found, history, message, *posed)
        if not history:
            return MinimizeResult({}, float("nan"), None, history, message, *posed)
        if any(np.isfinite(evaluation.value) for evaluation in history):
            found = self.optimizer.recommend()
            params = deepcopy(history[0].params) if found is None else found.params
            return MinimizeResult(params, float("nan"), found, history, self._why_none(), *posed)
        first = history[0].copy()  # every evaluation failed: the first one stands for all
        return MinimizeResult(first.params, first.value, None, history, "all failed", *posed)

    def _why_none(self) -> str:
        """Why no result counts: a constraint without any number is likely misspelt."""
        told = {name for e in self.optimizer.history for name in e.constraints}
        untold = [c.task for c in self.optimizer.constraints if c.task not in told]
        return f"{NONE_FULFILS}; none has {', '.join(untold)}" if untold else NONE_FULFILS


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

    def advance(self, evaluations: int, best: Evaluation | None) -> None:
        text = "-" if best is None else f"{best.value:.6g}"
        self._progress.update(self._task, advance=evaluations, best=text)
