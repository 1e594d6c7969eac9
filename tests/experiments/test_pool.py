"""Tasks that fail or kill their process are recorded; the others go on."""

from __future__ import annotations

import os
import signal

from experiments.pool import Failure, run_all


def _work(task: int) -> int:
    if task == 3:
        raise ValueError("three is refused")
    if task == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return task * task


def test_every_task_has_an_outcome_whatever_happens_to_its_process() -> None:
    outcomes = list(run_all(_work, range(8), workers=1, description="squares"))
    results = {outcome.task: outcome.result for outcome in outcomes}
    assert sorted(results) == list(range(8))
    assert {task: results[task] for task in (0, 1, 2, 4, 6, 7)} == {
        task: task * task for task in (0, 1, 2, 4, 6, 7)
    }


def test_an_error_is_told_with_its_kind_and_place() -> None:
    (outcome,) = run_all(_work, [3], workers=1, description="one")
    assert isinstance(outcome.result, Failure)
    assert outcome.result.error.startswith("ValueError: three is refused (_work, line ")


def test_a_dead_process_is_a_failure() -> None:
    (outcome,) = run_all(_work, [5], workers=1, description="one")
    assert isinstance(outcome.result, Failure)
    assert "BrokenProcessPool" in outcome.result.error
