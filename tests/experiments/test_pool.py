"""Tasks that fail or kill their process are recorded; the others go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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


def test_the_processes_of_a_killed_parent_end(tmp_path: Path) -> None:
    program = tmp_path / "parent.py"
    program.write_text(
        "import os, time\n"
        "from experiments.pool import run_all\n"
        "def tell(path):\n"
        "    open(path, 'w').write(str(os.getpid()))\n"
        "    time.sleep(60)\n"
        "if __name__ == '__main__':\n"
        f"    list(run_all(tell, [{str(tmp_path / 'pid')!r}], workers=1, description='sleep'))\n"
    )
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    parent = subprocess.Popen([sys.executable, str(program)], env=environment)
    child = int(_awaited(tmp_path / "pid"))
    parent.kill()
    parent.wait()
    for _ in range(200):
        if not _is_running(child):
            return
        time.sleep(0.05)
    pytest.fail("the process is still there ten seconds after its parent's death")


def _awaited(path: Path) -> str:
    for _ in range(600):
        if path.exists() and path.read_text():
            return path.read_text()
        time.sleep(0.05)
    raise TimeoutError(f"{path} was not written")


def _is_running(pid: int) -> bool:
    """A zombie that nobody has reaped yet has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_dead_process_is_a_failure() -> None:
    (outcome,) = run_all(_work, [5], workers=1, description="one")
    assert isinstance(outcome.result, Failure)
    assert "BrokenProcessPool" in outcome.result.error
