"""What the end of a process means, without processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from spearmint_int.jobs import FailureKind
from spearmint_int.launcher.outcome import outcome_without_result
from spearmint_int.launcher.process import ProcessEnd
from spearmint_int.testing.orders import launch

KILLED = -9


def end(returncode: int, *, oom_kills: int | None = 0, cancelled: bool = False) -> ProcessEnd:
    return ProcessEnd(returncode, 1.0, False, cancelled, "", False, "", oom_kills)


@pytest.mark.parametrize(
    ("oom_kills", "kind"),
    [
        (0, FailureKind.SIGNAL),
        (1, FailureKind.OUT_OF_MEMORY),
        (None, FailureKind.OUT_OF_MEMORY),
    ],
)
def test_a_kill_is_for_want_of_memory_unless_the_kernel_denies_it(
    tmp_path: Path, oom_kills: int | None, kind: FailureKind
) -> None:
    found = outcome_without_result(end(KILLED, oom_kills=oom_kills), launch(tmp_path, ""))
    assert found is not None
    assert found.kind is kind


def test_other_signals_have_nothing_to_do_with_memory(tmp_path: Path) -> None:
    found = outcome_without_result(end(-6, oom_kills=1), launch(tmp_path, ""))
    assert found is not None
    assert (found.kind, found.message) == (FailureKind.SIGNAL, "killed by signal SIGABRT")


def test_a_cancelled_process_has_not_failed(tmp_path: Path) -> None:
    assert outcome_without_result(end(-15, cancelled=True), launch(tmp_path, "")) is None
