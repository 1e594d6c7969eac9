"""Scheduler `pbs`: qsub, qstat, qdel of OpenPBS, PBS Pro and Torque."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from spearmint_int.errors import SchedulerError
from spearmint_int.schedulers.batch import BatchScheduler, BatchSystem, Submission
from spearmint_int.schedulers.protocol import WorkerState

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spearmint_int.schedulers.command import Answer

ID = re.compile(r"\b(?P<number>\d+)(?:\.[\w.-]+)?\s*$")
JOB = re.compile(r"^Job Id:?\s+(?P<number>\d+)")
STATE = re.compile(r"^\s+job_state = (?P<letter>\w)")
# The messages of qstat on stderr for a job that it does not have (any more); any other is a fault.
FORGOTTEN = re.compile(r"(?:Unknown Job Id|has finished)", re.IGNORECASE)
NUMBER = re.compile(r"\b(\d+)(?:\.[\w.-]+|\b)")

# Finished are F (OpenPBS), C (Torque) and X (a subjob); a letter that is not here (R, E, B) is
# taken for a job at work.
STATES = {
    "Q": WorkerState.QUEUED,
    "H": WorkerState.HELD,
    "W": WorkerState.QUEUED,
    "T": WorkerState.QUEUED,
    "M": WorkerState.QUEUED,
    "S": WorkerState.SUSPENDED,
    "U": WorkerState.SUSPENDED,
    "C": WorkerState.GONE,
    "F": WorkerState.GONE,
    "X": WorkerState.GONE,
}


class Pbs(BatchSystem):
    """The commands of PBS. Jobs are known by their number: some commands cut server names off."""

    name = "PBS"
    programs = ("qsub", "qstat", "qdel")
    own_id = "${PBS_JOBID%%.*}"
    refused_options: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("-J", "-t"), "each job is submitted by itself"),
        "-I": "the jobs have no terminal",
        "-z": "the job's id has to be printed",
    }

    def submit_command(self, submission: Submission, options: Sequence[str]) -> list[str]:
        return [
            "qsub",
            *("-S", "/bin/sh"),
            "-V",  # the environment of whoever submits
            *("-r", "n"),  # a job that was lost is claimed and submitted anew
            *("-N", submission.name),
            *("-j", "oe"),
            # It would be copied over the job's output at the end; the script writes there itself.
            *("-o", "/dev/null"),
            *options,
        ]

    def read_id(self, printed: str) -> str:
        """`123.server` in the last line; the number is the id."""
        found = ID.search(printed)
        if found is None:
            raise ValueError(f"no job id: {printed!r}")
        return found["number"]

    def states_command(self, ids: Collection[str]) -> list[str]:
        return ["qstat", "-f", *sorted(ids)]

    def read_states(self, ids: Collection[str], answer: Answer) -> dict[str, WorkerState]:
        """See `BatchSystem`. One unknown id makes the exit status a failure, though the answer has
        the other jobs."""
        found = _listed(answer.printed)
        forgotten = {
            number
            for line in answer.errors.splitlines()
            if FORGOTTEN.search(line)
            for number in NUMBER.findall(line)
        }
        if answer.status != 0 and not set(ids) <= found.keys() | forgotten:
            raise SchedulerError(f"qstat does not answer ({answer.complaint})")
        return {i: found[i] for i in ids if i in found}

    def cancel_command(self, ids: Sequence[str]) -> list[str]:
        return ["qdel", *ids]

    def nodes_command(self) -> list[str]:
        return ["pbsnodes", "-a"]

    def read_nodes(self, printed: str) -> set[str]:
        return {line.strip() for line in printed.splitlines() if line and not line[0].isspace()}


def _listed(printed: str) -> dict[str, WorkerState]:
    """The jobs of `qstat -f`, each a block of lines after its id."""
    found: dict[str, WorkerState] = {}
    number = ""
    for line in printed.splitlines():
        if job := JOB.match(line):
            number = job["number"]
        elif number and (state := STATE.match(line)):
            found[number] = STATES.get(state["letter"], WorkerState.RUNNING)
    return found


class PbsScheduler(BatchScheduler):
    """`pbs` in a config."""

    system = Pbs()
