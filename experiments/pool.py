"""Many independent tasks on the cores there are, with a progress bar; nothing is lost in silence.

A task that raises, or whose process dies, is answered by a failure record that the caller stores
like a result. Processes are fresh ones with BLAS held to one thread: two cores do two tasks.
"""

from __future__ import annotations

import os
import threading
import traceback
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Generic, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Task = TypeVar("Task")
Result = TypeVar("Result")

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Failure:
    """Why a task has no result."""

    error: str


@dataclass(frozen=True)
class Outcome(Generic[Task, Result]):
    """A task and what came of it."""

    task: Task
    result: Result | Failure


def run_all(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    workers: int,
    description: str,
) -> Iterator[Outcome[Task, Result]]:
    """Each task's outcome, as it comes. `function` must be importable by name."""
    waiting = list(tasks)
    with _progress() as progress:
        bar = progress.add_task(description, total=len(waiting))
        for outcome in _outcomes(function, iter(waiting), workers):
            progress.advance(bar)
            if isinstance(outcome.result, Failure):
                progress.console.print(f"failed: {outcome.task}: {outcome.result.error}")
            yield outcome


def default_workers() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _progress() -> Progress:
    return Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )


def _outcomes(
    function: Callable[[Task], Result], tasks: Iterator[Task], workers: int
) -> Iterator[Outcome[Task, Result]]:
    """A dead process breaks its pool: what was under way has failed, the rest gets a new one."""
    while True:
        under_way: dict[Future[Result | Failure], Task] = {}
        with _single_threaded_pool(workers) as pool:
            for task in islice(tasks, workers):
                under_way[pool.submit(_guarded, function, task)] = task
            if not under_way:
                return
            broken = False
            while under_way and not broken:
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    task = under_way.pop(future)
                    broken |= isinstance(future.exception(), BrokenProcessPool)
                    yield Outcome(task, _result_of(future))
                    if not broken:
                        under_way.update(
                            {
                                pool.submit(_guarded, function, task): task
                                for task in islice(tasks, 1)
                            }
                        )
        for future, task in under_way.items():
            yield Outcome(task, _result_of(future))


def _result_of(future: Future[Result | Failure]) -> Result | Failure:
    error = future.exception()
    return Failure(f"{type(error).__name__}: {error}") if error else future.result()


def _guarded(function: Callable[[Task], Result], task: Task) -> Result | Failure:
    try:
        return function(task)
    # Any error of a task is its result: recorded, not raised, so that the others go on.
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return Failure(f"{type(error).__name__}: {error} ({place.name}, line {place.lineno})")


def _single_threaded_pool(workers: int) -> ProcessPoolExecutor:
    # Set before the processes start: BLAS reads it when it is loaded.
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    context = get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_die_with_the_parent)


def _die_with_the_parent() -> None:
    """A killed parent can't stop its pool, and the processes would wait for it for ever."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
