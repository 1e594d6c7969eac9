"""What Slurm is told, and how its answers read: as Slurm 22.05 printed them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spearmint_int.errors import SchedulerError
from spearmint_int.schedulers import WorkerState
from spearmint_int.schedulers.batch import Submission, options_of
from spearmint_int.schedulers.command import Answer
from spearmint_int.schedulers.slurm import Slurm

SUBMISSION = Submission("spearmint-int-branin-7", Path("/an/experiment%1/output/00000007.out"), "")


def test_the_users_options_come_last_and_win() -> None:
    command = Slurm().submit_command(SUBMISSION, ["-p", "gpu", "--job-name=mine"])
    assert command[:2] == ["sbatch", "--parsable"]
    assert command[-3:] == ["-p", "gpu", "--job-name=mine"]
    assert "--job-name=spearmint-int-branin-7" in command


def test_a_percent_sign_in_a_folder_is_no_pattern() -> None:
    command = Slurm().submit_command(SUBMISSION, [])
    assert "--output=/an/experiment%%1/output/00000007.out" in command


@pytest.mark.parametrize("printed", ["18\n", "18;cluster\n", "a word of the site's\n18\n"])
def test_the_id_is_read(printed: str) -> None:
    assert Slurm().read_id(printed) == "18"


@pytest.mark.parametrize("printed", ["", "\n", "Submitted batch job\n"])
def test_no_id_is_an_error(printed: str) -> None:
    with pytest.raises(ValueError, match="no job id"):
        Slurm().read_id(printed)


def test_states_of_all_jobs_are_read_from_one_answer() -> None:
    printed = """\
25 PENDING PartitionConfig
24 PENDING (launch failed requeued held)
23 PENDING Resources
22 RUNNING None
13 SUSPENDED None
21 COMPLETING None
20 COMPLETED None
19 CANCELLED None
18 TIMEOUT TimeLimit
17 OUT_OF_MEMORY OutOfMemory
16 PREEMPTED None
15 A_STATE_OF_TOMORROW None
14 PENDING
"""
    ids = [str(i) for i in range(12, 26)]
    states = Slurm().read_states(ids, Answer(0, printed))
    assert {int(i): state.value for i, state in states.items()} == {
        25: "held",
        24: "held",
        23: "queued",
        22: "running",
        21: "running",
        20: "gone",
        19: "gone",
        18: "timed out",
        17: "out of memory",
        16: "gone",
        15: "running",
        14: "queued",
        13: "suspended",
    }


def test_jobs_of_others_are_left_out() -> None:
    assert Slurm().read_states(["7"], Answer(0, "7 RUNNING None\n8 RUNNING None\n")) == {
        "7": WorkerState.RUNNING
    }


def test_a_controller_that_is_away_is_no_answer() -> None:
    said = (
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"  # captured
    )
    with pytest.raises(SchedulerError, match=r"squeue does not answer \(slurm_load_jobs error: Un"):
        Slurm().read_states(["7"], Answer(1, "", said))


def test_options_are_words_of_a_command_line() -> None:
    assert options_of(Slurm(), "-t 10 --comment 'a b'") == ["-t", "10", "--comment", "a b"]
    assert options_of(Slurm(), ["-t", "10"]) == ["-t", "10"]
    assert options_of(Slurm(), None) == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("-t 10 --array=1-4", "scheduler-args: --array can't be used: each job is submitted by"),
        ("--comment 'open", "scheduler-args: No closing quotation"),
        ({"time": 10}, "scheduler-args: must be text or a list of words for sbatch"),
    ],
)
def test_options_that_would_not_work_are_refused(given: object, sentence: str) -> None:
    with pytest.raises(SchedulerError, match=sentence):
        options_of(Slurm(), given)
