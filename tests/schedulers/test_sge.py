"""What Grid Engine is told, and how its answers read: as 8.1.9 printed them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spearmint_int.errors import SchedulerError
from spearmint_int.schedulers.batch import Submission
from spearmint_int.schedulers.command import Answer
from spearmint_int.schedulers.sge import GridEngine

SUBMISSION = Submission("spearmint-int-branin-7", Path("/a/b c/output/00000007.out"), "")
HEAD = "job-ID  prior   name       user         state submit/start at     queue"
LINE = "{:>7} 0.55500 spearmint- me           {:<5} 11/18/2026 09:20:27 {:<30} 1        "
TABLE = "\n".join(
    [
        HEAD,
        "-" * 113,
        LINE.format(3, "r", "main.q@node1"),
        LINE.format(4, "dr", "main.q@node1"),
        LINE.format(5, "qw", ""),
        LINE.format(6, "hqw", ""),
        LINE.format(7, "Eqw", ""),
        LINE.format(8, "t", "main.q@node1"),
        LINE.format(9, "S", "main.q@node1"),
        LINE.format(10, "s", "main.q@node1"),
        "",
    ]
)


def test_the_users_options_come_last_and_win() -> None:
    command = GridEngine().submit_command(SUBMISSION, ["-q", "long.q"])
    assert command[:2] == ["qsub", "-terse"]
    assert command[-2:] == ["-q", "long.q"]
    assert command[command.index("-o") + 1] == ":/a/b c/output/00000007.out"


def test_the_id_is_read() -> None:
    assert GridEngine().read_id("231\n") == "231"
    with pytest.raises(ValueError, match="no job id"):
        GridEngine().read_id("Your job has been submitted\n")


def test_states_of_all_jobs_are_read_from_one_answer() -> None:
    states = GridEngine().read_states([str(i) for i in range(2, 11)], Answer(0, TABLE))
    assert {int(i): state.value for i, state in states.items()} == {
        3: "running",
        4: "running",
        5: "queued",
        6: "held",
        7: "held",
        8: "running",
        9: "suspended",
        10: "suspended",
    }


def test_no_jobs_are_an_empty_answer() -> None:
    assert GridEngine().read_states(["3"], Answer(0, "")) == {}


def test_a_master_that_is_away_is_no_answer() -> None:
    said = (
        "error: commlib error: got select error (Connection refused)\n"
        'unable to send message to qmaster using port 6444 on host "node1": got send error\n'
    )
    with pytest.raises(SchedulerError, match=r"qstat does not answer .*unable to send message"):
        GridEngine().read_states(["3"], Answer(1, "", said))


def test_nodes_are_read() -> None:
    assert GridEngine().read_nodes("node1\nnode2.cluster\n") == {"node1", "node2.cluster"}
