"""Scheduler `slurm`: sbatch, squeue, scancel."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from spearmint_int.errors import SchedulerError
from spearmint_int.schedulers.batch import BatchScheduler, BatchSystem, Submission
from spearmint_int.schedulers.protocol import WorkerState

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spearmint_int.schedulers.command import Answer

# The states of squeue; a word that is not here is taken for a job that is still at work.
STATES = {
    "PENDING": WorkerState.QUEUED,
    "CONFIGURING": WorkerState.QUEUED,
    "REQUEUED": WorkerState.QUEUED,
    "REQUEUE_HOLD": WorkerState.QUEUED,
    "REQUEUE_FED": WorkerState.QUEUED,
    "RESV_DEL_HOLD": WorkerState.QUEUED,
    "SPECIAL_EXIT": WorkerState.QUEUED,
    "SUSPENDED": WorkerState.SUSPENDED,
    "STOPPED": WorkerState.SUSPENDED,
    "BOOT_FAIL": WorkerState.GONE,
    "CANCELLED": WorkerState.GONE,
    "COMPLETED": WorkerState.GONE,
    "DEADLINE": WorkerState.GONE,
    "FAILED": WorkerState.GONE,
    "NODE_FAIL": WorkerState.GONE,
    "PREEMPTED": WorkerState.GONE,
    "REVOKED": WorkerState.GONE,
    "TIMEOUT": WorkerState.TIMED_OUT,
    "OUT_OF_MEMORY": WorkerState.OUT_OF_MEMORY,
}


# The reasons for which a job waits in vain, until a person does something.
HOPELESS = frozenset(
    {
        "AccountNotAllowed",
        "BadConstraints",
        "DependencyNeverSatisfied",
        "InvalidAccount",
        "InvalidQOS",
        "JobHeldAdmin",
        "JobHeldUser",
        "PartitionConfig",
        "PartitionNodeLimit",
        "PartitionTimeLimit",
        "QOSNotAllowed",
        "launch failed requeued held",
    }
)


class Slurm(BatchSystem):
    """The commands of Slurm, from version 20 on."""

    name = "Slurm"
    programs = ("sbatch", "squeue", "scancel")
    own_id = "$SLURM_JOB_ID"
    refused_options: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("-a", "--array"), "each job is submitted by itself"),
        **dict.fromkeys(("-M", "--clusters"), "jobs are looked for on the default cluster"),
        **dict.fromkeys(("-W", "--wait"), "the run would wait until the job has ended"),
        "--test-only": "it submits nothing",
        "--wrap": "the job's script is given already",
    }

    def submit_command(self, submission: Submission, options: Sequence[str]) -> list[str]:
        return [
            "sbatch",
            "--parsable",
            "--no-requeue",  # a job that was preempted is claimed and submitted anew
            f"--job-name={submission.name}",
            f"--output={_literal(submission.output)}",
            "--open-mode=append",
            *options,
        ]

    def read_id(self, printed: str) -> str:
        """The id in the last line, `123` or `123;cluster`: a site may print words before it."""
        lines = printed.split()
        proc_id = lines[-1].partition(";")[0] if lines else ""
        if not proc_id.isdigit():
            raise ValueError(f"no job id: {printed!r}")
        return proc_id

    def states_command(self, ids: Collection[str]) -> list[str]:  # noqa: ARG002
        # It asks for all jobs of the user: with --jobs an id that is forgotten is an error.
        return [
            "squeue",
            "--noheader",
            "--states=all",
            f"--user={os.getuid()}",
            "--format=%i %T %r",
        ]

    def read_states(self, ids: Collection[str], answer: Answer) -> dict[str, WorkerState]:
        if answer.status != 0:
            raise SchedulerError(f"squeue does not answer ({answer.complaint})")
        lines = [line.split(maxsplit=2) for line in answer.printed.splitlines()]
        found = {line[0]: _state(*line[1:]) for line in lines if len(line) > 1}
        return {i: found[i] for i in ids if i in found}

    def cancel_command(self, ids: Sequence[str]) -> list[str]:
        return ["scancel", *ids]

    def nodes_command(self) -> list[str]:
        return ["sinfo", "--noheader", "--Node", "--format=%n"]

    def read_nodes(self, printed: str) -> set[str]:
        return set(printed.split())


def _state(word: str, reason: str = "") -> WorkerState:
    state = STATES.get(word, WorkerState.RUNNING)
    is_held = state is WorkerState.QUEUED and reason.strip("() ") in HOPELESS
    return WorkerState.HELD if is_held else state


def _literal(path: Path) -> str:
    """The file name so that Slurm takes no % in it for a pattern."""
    return str(path).replace("%", "%%")


class SlurmScheduler(BatchScheduler):
    """`slurm` in a config."""

    system = Slurm()
