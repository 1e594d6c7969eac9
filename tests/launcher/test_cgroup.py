"""Control groups: with the kernel's own, where this machine lets us make some."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spearmint_int.launcher import cgroup
from spearmint_int.launcher.cgroup import JobGroup, end_groups
from spearmint_int.launcher.order import Launch
from tests.launcher.launches import call, eventually, is_running, shell_launch

pytestmark = pytest.mark.timeout(60)

# A child without session, parent and environment of the job, and its number.
HIDE = 'env -i setsid --fork sh -c "echo \\$\\$ > child.pid; exec sleep 300"'
UNTIL_IT_HIDES = "while [ ! -s child.pid ]; do sleep 0.01; done"


def groups(mark: str) -> list[Path]:
    mount = cgroup.mount_point()
    return [] if mount is None else list(mount.rglob(f"{cgroup._prefix(mark)}*"))


@pytest.fixture(autouse=True)
def usable() -> None:
    group = JobGroup.make("a test")
    if group is None:
        pytest.skip("no control group can be made here")
    group.end()


def hiding(folder: Path, rest: str, **changes: int) -> Launch:
    return shell_launch(folder, f"#!/bin/sh\n{HIDE}\n{UNTIL_IT_HIDES}\n{rest}\n", **changes)


def child_of(folder: Path) -> int:
    path = folder / "child.pid"
    assert eventually(lambda: path.exists() and path.read_text().strip() != "")
    return int(path.read_text())


def test_a_child_that_hides_ends_with_its_job(tmp_path: Path) -> None:
    launched = hiding(tmp_path, "echo 1")
    assert call(launched) == {"main": 1.0}
    assert not is_running(child_of(tmp_path))
    assert groups(launched.mark) == []


def test_a_child_that_hides_from_a_killed_worker_ends_before_the_next_attempt(
    tmp_path: Path,
) -> None:
    launched = hiding(tmp_path, "sleep 300")
    code = (
        "import sys; "
        "from tests.launcher.launches import call, shell_launch; from pathlib import Path; "
        "call(shell_launch(Path(sys.argv[1]), Path(sys.argv[1], 'objective.sh').read_text()))"
    )
    worker = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    child = child_of(tmp_path)
    worker.kill()
    worker.wait()
    assert is_running(child), "it has hidden well"
    again = shell_launch(tmp_path, "#!/bin/sh\necho 2\n", attempt=2)
    assert again.mark == launched.mark
    assert call(again) == {"main": 2.0}
    assert not is_running(child)
    assert groups(launched.mark) == []


def test_an_attempt_that_ends_late_leaves_the_next_one_alone(tmp_path: Path) -> None:
    first, second = JobGroup.make("7@here"), JobGroup.make("7@here")
    assert first is not None
    assert second is not None
    child = subprocess.Popen(["sleep", "300"], preexec_fn=second.join)  # noqa: PLW1509
    first.end()
    time.sleep(0.1)
    assert child.poll() is None
    end_groups("7@here")
    assert child.wait(5) == -signal.SIGKILL
    assert groups("7@here") == []
    second.end()


def test_a_job_that_cant_start_leaves_no_group(tmp_path: Path) -> None:
    launched = shell_launch(tmp_path, "#!/no/such/program\n")
    call(launched)
    assert groups(launched.mark) == []
