"""The scheduler of batch systems with commands that are scripts: what it asks, and concludes."""

from __future__ import annotations

import select
import time
from pathlib import Path

import pytest

from spearmint_int.config import Resource
from spearmint_int.errors import SchedulerError
from spearmint_int.launcher.order import Order
from spearmint_int.schedulers import WorkerState, batch
from spearmint_int.schedulers.slurm import SlurmScheduler
from spearmint_int.stores import Store
from spearmint_int.testing.orders import claimed_order
from spearmint_int.testing.scheduler_contract import SQUARE, state, wait_until
from tests.places import Place
from tests.schedulers.slurm_commands import Commands, commands_on_path

on_sqlite = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
pytestmark = [on_sqlite, pytest.mark.timeout(60)]


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    return commands_on_path(tmp_path, monkeypatch)


@pytest.fixture
def scheduler(place: Place, commands: Commands) -> SlurmScheduler:
    scheduler = SlurmScheduler(place.directory, Resource(scheduler="slurm"))
    scheduler.poll_seconds = 0.1
    return scheduler


@pytest.fixture
def order(place: Place, store: Store) -> Order:
    return claimed_order(place, store, SQUARE)[1]


def test_the_script_runs_the_worker_with_the_managers_python(
    scheduler: SlurmScheduler, order: Order, commands: Commands
) -> None:
    import sys

    assert scheduler.submit(order) == "17"
    first, second = commands.lines("script")
    assert first == "#!/bin/sh"
    assert second.startswith(f"exec {sys.executable} ")
    assert ' "$SLURM_JOB_ID" >>' in second
    assert second.endswith("00000001.out 2>&1")


def test_no_password_goes_to_the_batch_system(
    scheduler: SlurmScheduler,
    order: Order,
    commands: Commands,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPEARMINT_DB_ADDRESS", "mongodb://me:secret@host")
    commands.write("sbatch", "cat >script; env >environment; echo 17")
    scheduler.submit(order)
    assert "secret" not in "".join(commands.lines("environment") + commands.lines("script"))
    (path,) = (Path(order.launch.directory) / "output" / "queue").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


def test_one_question_is_asked_for_all_jobs_and_no_more_often_than_every_so_often(
    scheduler: SlurmScheduler, commands: Commands
) -> None:
    scheduler.poll_seconds = 30.0
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        scheduler.states(["17", "18", "19"])
        scheduler.states(["18", "20"])
    assert len(commands.lines("asked")) == 1


def test_a_question_does_not_hold_the_manager_up_and_wakes_it_when_it_is_answered(
    scheduler: SlurmScheduler, order: Order, commands: Commands
) -> None:
    commands.write("squeue", "sleep 1; echo 17 RUNNING None")
    scheduler.submit(order)
    begin = time.monotonic()
    assert state(scheduler, "17") is WorkerState.QUEUED
    assert time.monotonic() - begin < 0.5
    assert select.select(scheduler.wakeups(), [], [], 20)[0]
    assert state(scheduler, "17") is WorkerState.RUNNING
    scheduler.close()


def test_a_job_that_one_answer_leaves_out_is_not_gone_and_one_that_two_leave_out_is(
    scheduler: SlurmScheduler, order: Order, commands: Commands
) -> None:
    commands.write("squeue", "echo >>asked; cat answer; [ $(wc -l <asked) -gt 1 ] || sleep 0.5")
    scheduler.submit(order)
    commands.answer("")
    assert wait_until(lambda: state(scheduler, "17") is not WorkerState.QUEUED)
    assert scheduler.states(["17"]) == {"17": WorkerState.GONE}
    assert len(commands.lines("asked")) == 2


def test_a_system_that_does_not_answer_has_lost_nothing(
    scheduler: SlurmScheduler, order: Order, commands: Commands
) -> None:
    scheduler.submit(order)
    commands.write("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1")
    assert wait_until(
        lambda: bool(scheduler.states(["17", "18"])) and scheduler.trouble is not None
    )
    assert scheduler.trouble == (
        "squeue does not answer (Unable to contact slurm controller); jobs that are queued or "
        "running are not touched"
    )
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        found = scheduler.states(["17", "18"])
    assert found == {"17": WorkerState.QUEUED, "18": WorkerState.UNANSWERED}
    commands.write("squeue", "cat answer")
    assert wait_until(lambda: bool(scheduler.states(["17"])) and scheduler.trouble is None)


def test_a_cancellation_that_was_not_heard_is_sent_again(
    scheduler: SlurmScheduler, order: Order, commands: Commands
) -> None:
    scheduler.submit(order)
    commands.write("scancel", "echo lost >>cancelled; exit 1")
    scheduler.cancel("17")
    assert wait_until(lambda: commands.lines("cancelled") == ["lost"])
    commands.write("scancel", 'echo "$@" >>cancelled')
    assert wait_until(
        lambda: bool(scheduler.states(["17"])) and "17" in commands.lines("cancelled")
    )
    scheduler.close()


def test_a_cancelled_job_that_does_not_go_is_not_asked_about_impatiently_for_ever(
    scheduler: SlurmScheduler, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "IMPATIENT_SECONDS", 0.05)
    monkeypatch.setattr(batch, "LONGEST_IMPATIENCE", 0.5)
    commands.answer("17 COMPLETING None")
    scheduler.poll_seconds = 30.0
    scheduler.cancel("17")
    asked = []
    for _ in range(2):
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            scheduler.states(["17"])
            time.sleep(0.01)
        asked.append(len(commands.lines("asked")))
    assert asked[0] == asked[1] > 1
    scheduler.close()


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("echo 'sbatch: error: no such partition' >&2; exit 1", "no such partition"),
        ("echo 'welcome'", "sbatch gave no job id, but 'welcome'"),
        ("exit 3", "sbatch failed: exit status 3"),
    ],
)
def test_a_submission_that_failed_is_one_sentence_and_leaves_no_file(
    scheduler: SlurmScheduler, order: Order, commands: Commands, code: str, sentence: str
) -> None:
    commands.write("sbatch", code)
    with pytest.raises(SchedulerError, match=sentence):
        scheduler.submit(order)
    assert list((Path(order.launch.directory) / "output" / "queue").iterdir()) == []


def test_an_order_whose_worker_never_came_is_deleted_with_it(
    scheduler: SlurmScheduler, order: Order, commands: Commands
) -> None:
    scheduler.submit(order)
    commands.answer("17 CANCELLED None\n")
    assert wait_until(lambda: state(scheduler, "17") is WorkerState.GONE)
    assert list((Path(order.launch.directory) / "output" / "queue").iterdir()) == []


def test_an_id_of_another_scheduler_is_not_asked_about(
    scheduler: SlurmScheduler, commands: Commands
) -> None:
    """The config may have had scheduler local when the job was started."""
    assert scheduler.states(["boot:1:token"]) == {"boot:1:token": WorkerState.UNKNOWN}
    scheduler.cancel("boot:1:token")
    scheduler.close()
    assert commands.lines("asked") == commands.lines("cancelled") == []


def test_a_trouble_ends_also_when_nobody_is_asked_about_any_more(
    scheduler: SlurmScheduler, commands: Commands
) -> None:
    commands.write("squeue", "exit 1")
    assert wait_until(lambda: bool(scheduler.states(["18"])) and scheduler.trouble is not None)
    commands.write("squeue", "cat answer")
    assert wait_until(lambda: scheduler.states([]) == {} and scheduler.trouble is None)
