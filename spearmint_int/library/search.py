"""The loop of `minimize`: ask, evaluate, tell, in this thread or in several, until it ends."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from spearmint_int import value_text
from spearmint_int.arrays import FloatArray
from spearmint_int.errors import SpaceExhausted
from spearmint_int.jobs import NONE_FULFILS
from spearmint_int.library.arguments import as_results, check_number, check_whole
from spearmint_int.library.evaluation import Evaluation, Result, Returned
from spearmint_int.library.optimizer import Optimizer
from spearmint_int.library.progress_bar import ProgressBar
from spearmint_int.library.result import MinimizeResult
from spearmint_int.space import Space
from spearmint_int.variables import Params

Function = Callable[[Params], Returned]
# Below the traceback of an exception that ends a search.
WHERE_THE_RESULT_IS = "minimize: the evaluations before this one are in the exception's `result`"


@dataclass(frozen=True)
class Stop:
    """When `minimize` ends before its evaluations are used up.

    - `value`: as soon as a result is as good as this.
    - `no_improvement`: after so many evaluations without a better one; results that were known
      beforehand don't count.
    """

    value: float | None = None
    no_improvement: int | None = None

    def __post_init__(self) -> None:
        if self.value is not None:
            check_number("Stop: value", self.value)
        if self.no_improvement is not None:
            check_whole("Stop: no_improvement", self.no_improvement, least=1)

    def reason(self, optimizer: Optimizer) -> str | None:
        """Why the search ends here; None where it goes on."""
        best = optimizer.best()
        if best is None:
            return None
        sign = -1.0 if optimizer.direction == "maximize" else 1.0
        if self.value is not None and sign * best.value <= sign * self.value:
            return f"a value as good as {self.value:g} was found"
        patience = self.no_improvement
        if patience is not None and _without_improvement(optimizer.history, best) >= patience:
            return f"no improvement in {patience} evaluations"
        return None


@dataclass
class Search:
    """One call of `minimize`: `begun` counts its evaluations, and `message` says why it ends."""

    function: Function
    optimizer: Optimizer
    evaluations: int
    deadline: float | None
    stop: Stop
    callback: Callable[[Optimizer], object] | None
    bar: ProgressBar | None
    begun: int = 0
    message: str | None = None

    def take_over(self, known: Iterable[Result]) -> None:
        """Tell the results that the caller knows, unless an earlier call has told them already."""
        for params, value in _untold(known, self.optimizer):
            self.optimizer.tell(params, value)
        self.message = self.stop.reason(self.optimizer)
        if self.bar is not None:
            self.bar.advance(self.begun, self.optimizer.best())

    def run(self, n_jobs: int) -> MinimizeResult:
        """Evaluate until there is a reason to end. No evaluation is lost: an exception has the
        result in its attribute `result`."""
        try:
            if n_jobs == 1:
                self._run_alone()
            else:
                self._run_threads(n_jobs)
        except KeyboardInterrupt:
            self.message = "interrupted"
        except BaseException as error:  # an exit from within the function too
            error.result = self._result(f"ended by {type(error).__name__}")  # type: ignore[attr-defined]
            if self.optimizer.best() is not None and hasattr(error, "add_note"):  # Python 3.11 on
                error.add_note(WHERE_THE_RESULT_IS)
            raise
        return self._result(self.message or "")

    # --- evaluating -----------------------------------------------------------------------------

    def _run_alone(self) -> None:
        while self._may_begin():
            for params in self._ask(1):
                self._ended(params, self.function(deepcopy(params)))

    def _run_threads(self, n_jobs: int) -> None:
        running: dict[Future[Returned], Params] = {}
        pool = ThreadPoolExecutor(n_jobs)
        try:
            while self._may_begin() or running:
                for params in self._ask(n_jobs - len(running)):
                    running[pool.submit(self.function, deepcopy(params))] = params
                self._await_one(running)
        except KeyboardInterrupt:
            self._say_what_is_awaited(len(running))
            raise
        finally:  # evaluations that have begun can't be stopped: their results are kept
            try:
                self._await_all(running)
            finally:  # all have ended, but after a second Ctrl-C
                pool.shutdown(wait=False)

    def _say_what_is_awaited(self, running: int) -> None:
        if self.bar is not None and running:
            under_way = value_text.counted(running, "evaluation")
            self.bar.say(f"stopping: waiting for {under_way} under way (Ctrl-C again leaves them)")

    def _await_one(self, running: dict[Future[Returned], Params]) -> None:
        if running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                self._ended(running.pop(future), future.result())

    def _await_all(self, running: dict[Future[Returned], Params]) -> None:
        try:
            wait(running)
        finally:  # a second Ctrl-C does not wait for the others
            for future, params in running.items():
                if future.done() and future.exception() is None:
                    with suppress(Exception):  # the first error is on its way already
                        self._ended(params, future.result())

    def _may_begin(self) -> bool:
        if self.message is None and self.begun >= self.evaluations:
            self.message = f"{self.evaluations} evaluations done"
        elif self.message is None and self.deadline is not None:
            self.message = "the time is over" if time.monotonic() >= self.deadline else None
        return self.message is None

    def _ask(self, free: int) -> list[Params]:
        """Parameters for `free` threads; fewer, or none, at the end of the budget or the time."""
        count = min(free, self.evaluations - self.begun)
        if count < 1 or not self._may_begin():
            return []
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
        self.message = self.message or self.stop.reason(self.optimizer)
        stops = None if self.callback is None else self.callback(self.optimizer)
        if isinstance(stops, bool | np.bool_) and stops:  # a truthy number was not meant to stop
            self.message = self.message or "stopped by the callback"

    # --- the result -----------------------------------------------------------------------------

    def _result(self, message: str) -> MinimizeResult:
        optimizer = self.optimizer
        best, history, found = optimizer.best(), optimizer.history, optimizer.recommend()
        params, value = ({}, math.nan) if best is None else (best.params, best.value)
        if best is None and history:
            first = history[0].copy()
            if any(math.isfinite(evaluation.value) for evaluation in history):
                params, message = first.params if found is None else found.params, self._why_none()
            else:  # every evaluation failed: the first one stands for all
                params, value, message = first.params, first.value, "all failed"
        return MinimizeResult(
            params=params,
            value=value,
            recommendation=found,
            history=history,
            message=message,
            problem=optimizer.problem(),
            maximize=optimizer.direction == "maximize",
        )

    def _why_none(self) -> str:
        """Why no result fulfils all constraints: one without any number is likely misspelt."""
        told = {name for e in self.optimizer.history for name in e.constraints}
        untold = [c.task for c in self.optimizer.constraints if c.task not in told]
        return f"{NONE_FULFILS}; none has {', '.join(untold)}" if untold else NONE_FULFILS


def _without_improvement(history: Sequence[Evaluation], best: Evaluation) -> int:
    """How many evaluations since the best one were asked for, and brought nothing better."""
    return sum(evaluation.was_asked for evaluation in history[history.index(best) + 1 :])


def _untold(results: Iterable[Result], optimizer: Optimizer) -> list[Result]:
    """The results that were not told yet; failures at one point count as the same result."""
    space = optimizer.space
    known = {_result_key(e.point, e.numbers, space) for e in optimizer.history}
    return [
        (params, value)
        for params, value in results
        if _result_key(space.encode(params), as_results(value, optimizer.constraints), space)
        not in known
    ]


def _result_key(point: FloatArray, numbers: Mapping[str, float], space: Space) -> str:
    finite = {name: number for name, number in numbers.items() if math.isfinite(number)}
    return repr((space.decode(point), sorted(finite.items())))
