"""Schedulers of clusters: workers wait in the queue of a batch system, by its own commands.

A batch system is a few small things (`BatchSystem`): the command that submits, reading the id, the
command that asks for all jobs at once, reading their states. Those are pure; the code that runs the
commands is here, and the same for all.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from spearmint_int import worker
from spearmint_int.errors import SchedulerError
from spearmint_int.launcher.order import queued_order_path
from spearmint_int.launcher.output import output_path
from spearmint_int.schedulers.command import Answer, RunningCommand, run_command
from spearmint_int.schedulers.protocol import WorkerState

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spearmint_int.config import Resource
    from spearmint_int.launcher.order import Order

SUBMIT_SECONDS = 60.0  # a busy controller may take as long
POLL_SECONDS = 5.0  # between questions, by default
CLOSE_SECONDS = 10.0
IMPATIENT_SECONDS = 1.0  # between questions while cancelled workers are awaited
LONGEST_IMPATIENCE = 60.0  # after a cancellation: a worker on a dead node may never be gone
LOOKS_UNTIL_GONE = 2  # answers without a job, after which it is gone: a single one may be wrong
LONGEST_NAME = 200
UNFIT = re.compile(r"[^A-Za-z0-9._-]+")  # characters of a job's name that some system refuses


@dataclass(frozen=True)
class Submission:
    """A worker as it is submitted to a batch system."""

    name: str
    output: Path  # to be appended to
    script: str  # for its standard input


class BatchSystem(Protocol):
    """The commands of one batch system, and how their answers are read."""

    name: ClassVar[str]
    programs: ClassVar[tuple[str, ...]]  # that have to be on PATH
    own_id: ClassVar[str]  # shell text that is the job's id inside of the job, as `read_id` has it
    refused_options: ClassVar[Mapping[str, str]]  # of scheduler-args, and why

    def submit_command(self, submission: Submission, options: Sequence[str]) -> list[str]:
        """The command that submits the script on its standard input; the user's options come last,
        and win."""

    def read_id(self, printed: str) -> str:
        """The id in what a submission prints; ValueError when there is none."""

    def states_command(self, ids: Collection[str]) -> list[str]:
        """The command that asks for these jobs, and perhaps for more."""

    def read_states(self, ids: Collection[str], answer: Answer) -> dict[str, WorkerState]:
        """The states of those jobs that the answer has; the others are unknown to the system.

        SchedulerError when the question was not answered.
        """

    def cancel_command(self, ids: Sequence[str]) -> list[str]: ...

    def nodes_command(self) -> list[str]:
        """The command that asks for the hosts that run jobs."""

    def read_nodes(self, printed: str) -> set[str]: ...


class BatchScheduler:
    """A `Scheduler` of a batch system.

    Questions run beside the manager: `states` answers from the last one that was answered, and
    `wakeups` tells when the next one is.
    """

    system: ClassVar[BatchSystem]
    has_queue = True

    def __init__(self, directory: Path, resource: Resource) -> None:
        self._directory = directory
        self._options = options_of(self.system, resource.scheduler_args)
        check_programs(self.system)
        self.poll_seconds = POLL_SECONDS
        self.trouble: str | None = None
        self._states: dict[str, WorkerState] = {}  # of all that was submitted or asked about
        self._left_out: dict[str, int] = {}  # how many answers in a row have not had it
        self._orders: dict[str, Path] = {}
        self._cancelled: dict[str, float] = {}  # until when the end is awaited impatiently
        self._question: _Question | None = None
        self._next_at = 0.0
        self._cancels: list[RunningCommand] = []

    def submit(self, order: Order) -> str:
        path = queued_order_path(self._directory, order.claim)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            order.save(path)
        except OSError as error:
            raise SchedulerError(f"{path} can't be written: {error.strerror}") from None
        try:
            proc_id = self._submitted(order, path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        self._states[proc_id] = WorkerState.QUEUED
        self._orders[proc_id] = path
        return proc_id

    def states(self, ids: Collection[str]) -> dict[str, WorkerState]:
        ours = [proc_id for proc_id in ids if _is_number(proc_id)]
        for proc_id in ours:
            self._states.setdefault(proc_id, WorkerState.UNANSWERED)
        if ours or self.trouble is not None:  # which nobody else would find to be over
            self._collect()
            self._ask()
        return {proc_id: self._states.get(proc_id, WorkerState.UNKNOWN) for proc_id in ids}

    def cancel(self, proc_id: str) -> None:
        if not _is_number(proc_id):
            return
        self._states.setdefault(proc_id, WorkerState.UNANSWERED)
        now = time.monotonic()
        self._cancelled.setdefault(proc_id, now + LONGEST_IMPATIENCE)
        self._next_at = min(self._next_at, now + IMPATIENT_SECONDS)
        self._send_cancel([proc_id])

    def wakeups(self) -> Sequence[int]:
        fd = None if self._question is None else self._question.command.wakeup
        return () if fd is None else (fd,)

    def nodes(self) -> set[str]:
        """The hosts that run jobs; none where they are not known."""
        try:
            answer = run_command(self.system.nodes_command(), seconds=SUBMIT_SECONDS)
        except SchedulerError:
            return set()
        return self.system.read_nodes(answer.printed) if answer.status == 0 else set()

    def close(self) -> None:
        if self._question is not None:
            self._question.command.kill()
            self._question = None
        for command in self._cancels:  # they should be heard
            command.wait(CLOSE_SECONDS)
        self._cancels.clear()

    def _submitted(self, order: Order, path: Path) -> str:
        submission = submission_for(
            order, path, directory=self._directory.resolve(), own_id=self.system.own_id
        )
        command = self.system.submit_command(submission, self._options)
        answer = run_command(
            command,
            given=submission.script,
            seconds=SUBMIT_SECONDS,
            directory=self._directory,
        )
        if answer.status != 0:
            raise SchedulerError(f"{command[0]} failed: {answer.complaint}")
        try:
            return self.system.read_id(answer.printed)
        except ValueError:
            raise SchedulerError(
                f"{command[0]} gave no job id, but {answer.printed.strip()!r}"
            ) from None

    # --- asking ---

    def _ask(self) -> None:
        """Begin on the next question when it is due, about all workers that are not over."""
        if self._question is not None or time.monotonic() < self._next_at:
            return
        ids = frozenset(i for i, state in self._states.items() if not state.is_over)
        if not ids:
            return
        now = time.monotonic()
        is_impatient = any(now < self._cancelled.get(proc_id, 0.0) for proc_id in ids)
        self._next_at = now + (IMPATIENT_SECONDS if is_impatient else self.poll_seconds)
        try:
            command = RunningCommand(self.system.states_command(ids), directory=self._directory)
        except SchedulerError as error:
            self.trouble = str(error)
            return
        self._question = _Question(ids, command)

    def _collect(self) -> None:
        """Take note of the answer, if it has come."""
        self._cancels = [command for command in self._cancels if command.answer() is None]
        question = self._question
        if question is None or (answer := question.command.answer()) is None:
            return
        self._question = None
        try:
            found = self.system.read_states(question.ids, answer)
        except SchedulerError as error:
            self.trouble = f"{error}; jobs that are queued or running are not touched"
            return
        self.trouble = None
        for proc_id in question.ids:
            self._note(proc_id, found.get(proc_id))
        self._send_cancel(sorted(i for i in self._cancelled if not self._states[i].is_over))

    def _note(self, proc_id: str, state: WorkerState | None) -> None:
        """Keep the state of a worker; None says that the system does not know it."""
        if state is None:
            self._left_out[proc_id] = self._left_out.get(proc_id, 0) + 1
            if self._left_out[proc_id] < LOOKS_UNTIL_GONE:
                self._next_at = min(self._next_at, time.monotonic() + IMPATIENT_SECONDS)
                return
            state = WorkerState.GONE
        self._left_out.pop(proc_id, None)
        self._states[proc_id] = state
        if state.is_over:
            self._cancelled.pop(proc_id, None)
            if (path := self._orders.pop(proc_id, None)) is not None:
                path.unlink(missing_ok=True)  # the worker has not deleted it

    def _send_cancel(self, ids: Sequence[str]) -> None:
        """Cancel these workers; again after each answer, since the system may have been away when
        the command was sent first."""
        if ids:
            with contextlib.suppress(SchedulerError):
                command = self.system.cancel_command(ids)
                self._cancels.append(RunningCommand(command, directory=self._directory))


def _is_number(proc_id: str) -> bool:
    """Whether the id is a number, as in all three systems; else it is from another scheduler, which
    the config had before."""
    return proc_id.isascii() and proc_id.isdigit()


@dataclass(frozen=True)
class _Question:
    ids: frozenset[str]
    command: RunningCommand


def options_of(system: BatchSystem, given: object) -> list[str]:
    """`scheduler-args` as words; SchedulerError for what would not work."""
    if isinstance(given, str):
        try:
            words = shlex.split(given)
        except ValueError as error:
            raise SchedulerError(f"scheduler-args: {error}, got {given!r}") from None
    elif isinstance(given, dict):
        raise SchedulerError(
            f"scheduler-args: must be text or a list of words for {system.programs[0]}, as on a "
            "command line, got an object"
        )
    else:
        words = [str(word) for word in given] if isinstance(given, list | tuple) else []
    for word in words:
        option = word.partition("=")[0]
        if option in system.refused_options:
            raise SchedulerError(
                f"scheduler-args: {option} can't be used: {system.refused_options[option]}"
            )
    return words


def check_programs(system: BatchSystem) -> None:
    """Raise SchedulerError where one of the commands is not installed."""
    for program in system.programs:
        if shutil.which(program) is None:
            raise SchedulerError(
                f"scheduler: {program} is not on PATH; {system.name} needs a machine with "
                f"{system.name}'s commands, such as a cluster's login node"
            )


def submission_for(order: Order, path: Path, *, directory: Path, own_id: str) -> Submission:
    """The submission of a worker for the order in a file, with this Python."""
    output = output_path(directory, order.claim.job_id)
    words = [sys.executable, str(Path(worker.__file__).resolve()), "run", str(path)]
    command = " ".join(shlex.quote(word) for word in words)
    script = f'#!/bin/sh\nexec {command} "{own_id}" >>{shlex.quote(str(output))} 2>&1\n'
    return Submission(job_name(order), output, script)


def job_name(order: Order) -> str:
    """`spearmint-int-<experiment>-<id>`, of characters that every batch system takes."""
    experiment = UNFIT.sub("_", order.store.experiment_name)[:LONGEST_NAME]
    return f"spearmint-int-{experiment}-{order.claim.job_id}"


def user_name() -> str:
    """The user's name, as batch systems know it."""
    import pwd  # noqa: PLC0415 (not on every system)

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
