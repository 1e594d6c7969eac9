"""Scheduler `sge`: qsub, qstat, qdel of Grid Engine and its descendants."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from spearmint_int.errors import SchedulerError
from spearmint_int.schedulers.batch import BatchScheduler, BatchSystem, Submission, user_name
from spearmint_int.schedulers.protocol import WorkerState

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spearmint_int.schedulers.command import Answer

# A line of qstat: id, priority, name (cut, without spaces in ours), user, state.
LINE = re.compile(r"^\s*(?P<id>\d+)\s+\S+\s+\S+\s+\S+\s+(?P<state>[A-Za-z]+)\s")


class GridEngine(BatchSystem):
    """The commands of Grid Engine, which forgets a job as soon as that has ended."""

    name = "Grid Engine"
    programs = ("qsub", "qstat", "qdel")
    own_id = "$JOB_ID"
    refused_options: ClassVar[Mapping[str, str]] = {
        "-t": "each job is submitted by itself",
        "-sync": "the run would wait until the job has ended",
        "-terse": "it is given already",
        "-verify": "it submits nothing",
    }

    def submit_command(self, submission: Submission, options: Sequence[str]) -> list[str]:
        return [
            "qsub",
            "-terse",
            *("-S", "/bin/sh"),
            "-V",  # as the others do by themselves: the environment of whoever submits
            *("-r", "n"),  # a job that was lost is claimed and submitted anew
            "-notify",  # a signal that can be heard (SIGUSR2) before the one that can't
            *("-N", submission.name),
            *("-j", "y"),
            *("-o", _literal(submission.output)),
            *options,
        ]

    def read_id(self, printed: str) -> str:
        words = printed.split()
        if not words or not words[-1].isdigit():
            raise ValueError(f"no job id: {printed!r}")
        return words[-1]

    def states_command(self, ids: Collection[str]) -> list[str]:  # noqa: ARG002
        return ["qstat", "-u", user_name()]

    def read_states(self, ids: Collection[str], answer: Answer) -> dict[str, WorkerState]:
        if answer.status != 0:
            raise SchedulerError(f"qstat does not answer ({answer.complaint})")
        lines = [found for line in answer.printed.splitlines() if (found := LINE.match(line))]
        states = {line["id"]: _state(line["state"]) for line in lines}
        return {i: states[i] for i in ids if i in states}

    def cancel_command(self, ids: Sequence[str]) -> list[str]:
        return ["qdel", *ids]

    def nodes_command(self) -> list[str]:
        return ["qconf", "-sel"]

    def read_nodes(self, printed: str) -> set[str]:
        return set(printed.split())


def _state(letters: str) -> WorkerState:
    """The state by its letters: `qw` waits, `hqw` and `Eqw` wait for a person; `r`, `t`, `dr` have
    begun; `s`, `S` and `T` were suspended: by a person, a queue of higher priority, or too high a
    load."""
    if "qw" not in letters:
        return WorkerState.SUSPENDED if set(letters) & set("sST") else WorkerState.RUNNING
    return WorkerState.HELD if letters[0] in "hE" else WorkerState.QUEUED


def _literal(path: Path) -> str:
    """The file name so that Grid Engine takes no $ in it for a variable, and nothing before a colon
    for a host."""
    return f":{path}".replace("$", "\\$")


class GridEngineScheduler(BatchScheduler):
    """`sge` in a config."""

    system = GridEngine()
