"""What PBS is told, and how its answers read: in the forms that OpenPBS and Torque document."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spearmint_int.config import Resource
from spearmint_int.errors import SchedulerError
from spearmint_int.schedulers import Scheduler, WorkerState, open_scheduler
from spearmint_int.schedulers.batch import Submission
from spearmint_int.schedulers.command import Answer
from spearmint_int.schedulers.pbs import Pbs
from spearmint_int.testing import SchedulerContract
from tests.places import Place
from tests.schedulers.pbs_commands import write_pbs_commands

SUBMISSION = Submission("spearmint-int-branin-7", Path("/a/output/00000007.out"), "")


def block(job_id: str, letter: str) -> str:
    return f"""\
Job Id: {job_id}
    Job_Name = spearmint-int-branin-7
    Job_Owner = me@login.cluster.example
    job_state = {letter}
    queue = batch
    Variable_List = PBS_O_HOME=/home/me,PBS_O_LANG=en_GB.UTF-8,
\tPBS_O_WORKDIR=/home/me/branin,job_state = Z
    etime = Wed Nov 18 09:20:27 2026

"""


def test_the_users_options_come_last_and_win() -> None:
    command = Pbs().submit_command(SUBMISSION, ["-l", "walltime=1:00:00"])
    assert command[0] == "qsub"
    assert command[-2:] == ["-l", "walltime=1:00:00"]


@pytest.mark.parametrize("printed", ["123.server\n", "123.pbs-7.site.example\n", "123\n"])
def test_the_number_is_the_id_whatever_the_server_is_called(printed: str) -> None:
    assert Pbs().read_id(printed) == "123"


def test_no_id_is_an_error() -> None:
    with pytest.raises(ValueError, match="no job id"):
        Pbs().read_id("qsub: waiting for job to start\n")


def test_states_of_all_jobs_are_read_from_one_answer() -> None:
    letters = "QHWRESBCFX"
    printed = "".join(block(f"{n}.server", letter) for n, letter in enumerate(letters, start=1))
    states = Pbs().read_states([str(n) for n in range(1, 12)], Answer(0, printed))
    assert [states[str(n)].value for n in range(1, 11)] == [
        *("queued", "held", "queued", "running", "running", "suspended", "running"),
        *("gone", "gone", "gone"),
    ]
    assert "11" not in states


@pytest.mark.parametrize(
    "said",
    [
        "qstat: Unknown Job Id 8.server\n",
        "qstat: Unknown Job Id Error 8.server\n",
        "qstat: 8.server Job has finished, use -x or -H to obtain historical job information\n",
    ],
)
def test_one_job_that_is_forgotten_does_not_spoil_the_answer(said: str) -> None:
    states = Pbs().read_states(["7", "8"], Answer(35, block("7.server", "R"), said))
    assert states == {"7": WorkerState.RUNNING}


@pytest.mark.parametrize(
    "said",
    [
        "Connection refused\nqstat: cannot connect to server server (errno=15010)\n",
        "qstat: cannot connect to server login.example (errno=111) Connection refused\n",
    ],
)
def test_a_server_that_is_away_is_no_answer(said: str) -> None:
    with pytest.raises(SchedulerError, match=r"qstat does not answer .*cannot connect to server"):
        Pbs().read_states(["7", "15010"], Answer(255, "", said))


def test_nodes_are_read() -> None:
    printed = "node1\n     Mom = node1\n     state = free\n\nnode2\n     state = job-busy\n"
    assert Pbs().read_nodes(printed) == {"node1", "node2"}


@pytest.fixture
def another_scheduler(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Scheduler]:
    folder = tmp_path / "commands"
    write_pbs_commands(folder)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    resource = Resource(scheduler="pbs")
    return lambda: open_scheduler(resource, place.directory, poll_seconds=0.2)


@pytest.fixture
def scheduler(another_scheduler: Callable[[], Scheduler]) -> Iterator[Scheduler]:
    scheduler = another_scheduler()
    yield scheduler
    scheduler.close()


@pytest.mark.timeout(60)
class TestPbs(SchedulerContract):
    """It keeps what every scheduler promises, with commands that speak as PBS does."""
