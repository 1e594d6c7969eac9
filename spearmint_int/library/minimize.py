"""`minimize`: optimise a Python function over a space, in this process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any

from spearmint_int.chooser import ChooserOptions, Constraint
from spearmint_int.library.arguments import (
    Initial,
    as_guesses_and_results,
    as_results,
    check_callable,
    check_flag,
    check_path,
    check_seconds,
    check_whole,
)
from spearmint_int.library.folder import optimizer_in
from spearmint_int.library.optimizer import Optimizer
from spearmint_int.library.progress_bar import ProgressBar
from spearmint_int.library.result import MinimizeResult
from spearmint_int.library.search import Function, Search, Stop
from spearmint_int.library.stored_optimizer import StoredOptimizer
from spearmint_int.space import Space
from spearmint_int.variables import SomeVariable


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

    `params` is a dictionary of plain numbers, texts and lists. A result of NaN, or infinity, says
    that the evaluation failed there.

    - `space`: a `Float`, `Int` or `Enum` for each name.
    - `seed`: the same one gives the same points; None is another one each time.
    - `direction`: "minimize" or "maximize".
    - `initial`: guesses, which are evaluated first, and known results, as `(params, value)`.
    - `constraints`: the names of numbers that have to be at least 0. The function then returns
      `{"main": value, "name": number, …}`.
    - `path`: a folder that keeps every evaluation, for the command line and for the next call.
    - `n_jobs`: so many threads evaluate at the same time; −1 is one for each core.
    - `timeout`: after so many seconds no evaluation begins; those under way are awaited.
    - `stop`: an earlier end, `Stop(value=…)` or `Stop(no_improvement=…)`.
    - `callback(optimizer)`: called after each evaluation; it ends the search by returning True.
    - `progress`: whether a bar is shown; by default on a terminal only.
    - `settings`: fields of `ChooserOptions`, which `options` has as a whole. The one that matters:
      `likelihood="NOISELESS"` where the same parameters always give the same result.

    With the same `path`, `evaluations` are those of all calls; results that the command line added
    or told are seen, and are none of them. The seed is that of the first call, and so are settings
    that a call does not name; another seed is a warning, and has no effect. Other bounds, options
    and settings than before are a warning too: all results are kept, and the best is the best
    within the present bounds. One call at a time is at work in a folder.

    Nothing is lost when it ends early: Ctrl-C gives back the result so far (with `n_jobs` once the
    evaluations under way have ended; a second Ctrl-C leaves them), and an exception of the function
    is raised with that in its attribute `result`.
    """
    _check_parts(function, callback, stop, path)
    if progress is not None:
        check_flag("progress", progress)
    _check_budget(evaluations, n_jobs, timeout)
    guesses, known = as_guesses_and_results(initial)
    asked = Optimizer(
        space,
        seed=seed,
        direction=direction,
        initial=guesses,
        constraints=constraints,
        options=options,
        **settings,
    )
    for _, value in known:
        as_results(value, asked.constraints)  # before any work
    named = {*settings, *_differing(options)} | ({"seed"} if seed else set())  # 0 is the default
    with (
        _kept(asked, path, named=named, initial=guesses) as optimizer,
        _shown(evaluations, progress) as bar,
    ):
        search = Search(
            function=function,
            optimizer=optimizer,
            evaluations=evaluations,
            deadline=None if timeout is None else time.monotonic() + timeout,
            stop=stop or Stop(),
            callback=callback,
            bar=bar,
            begun=optimizer.spent if isinstance(optimizer, StoredOptimizer) else 0,
        )
        search.take_over(known)
        return search.run(n_jobs if n_jobs > 0 else os.cpu_count() or 1)


def _kept(
    asked: Optimizer,
    path: str | Path | None,
    *,
    named: Collection[str],
    initial: Iterable[Mapping[str, Any]],
) -> AbstractContextManager[Optimizer]:
    """The optimizer in the folder, with all that is known there, or the one in memory. `named` are
    the options that the call gives."""
    if path is None:
        return nullcontext(asked)
    return optimizer_in(path, asked, given=named, initial=initial)


def _shown(evaluations: int, progress: bool | None) -> AbstractContextManager[ProgressBar | None]:
    is_shown = sys.stderr.isatty() if progress is None else progress
    return ProgressBar(evaluations) if is_shown else nullcontext()


def _check_parts(function: object, callback: object, stop: object, path: object) -> None:
    check_callable("function", function)
    if callback is not None:
        check_callable("callback", callback)
    if stop is not None and not isinstance(stop, Stop):
        raise TypeError(f"stop must be Stop(value=…) or Stop(no_improvement=…), got {stop!r}")
    if path is not None:
        check_path("path", path)


def _check_budget(evaluations: object, n_jobs: object, timeout: object) -> None:
    check_whole("evaluations", evaluations, least=1)
    if n_jobs != -1:
        check_whole("n_jobs", n_jobs, least=1, other="-1 for one for each core")
    if timeout is not None:
        check_seconds("timeout", timeout)


def _differing(options: ChooserOptions | None) -> list[str]:
    """The names of the options that differ from their defaults."""
    if options is None:
        return []
    default = ChooserOptions()
    return [f.name for f in fields(options) if getattr(options, f.name) != getattr(default, f.name)]
