"""The thread of a worker that talks to the store, while the objective runs and after it."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spearmint_int.errors import StoreError
from spearmint_int.jobs import ProcessInfo
from spearmint_int.launcher.birth import birth_of
from spearmint_int.launcher.reporting import claimed_job, keep_outcome, write_outcome
from spearmint_int.stores import open_store

if TYPE_CHECKING:
    from spearmint_int.launcher.interrupt import Interrupt
    from spearmint_int.launcher.launch import Order
    from spearmint_int.launcher.results import Outcome
    from spearmint_int.stores.protocol import Store

RENEWALS_PER_LEASE = 3
PATIENCE_SECONDS = 1.0  # of one call: this thread does the waiting, with the outcome safe in a file
FIRST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 2.0  # short: the result should be there before others look for its worker
GIVE_UP_SECONDS = 600.0  # then the kept outcome waits for the next manager
GIVE_BACK_SECONDS = 3.0  # a job that is handed back becomes free with its lease anyway


@dataclass(frozen=True)
class DatabasePlace:
    """The `database` part of a config, as `open_store` wants it."""

    address: str | None
    name: str


@dataclass(frozen=True)
class StorePlace:
    """Where the jobs are, as `open_store` wants it."""

    directory: Path
    experiment_name: str
    database: DatabasePlace


class Heartbeat(threading.Thread):
    """Renews the claim's lease until `finish`, then settles the claim.

    It alone talks to the store: an outage delays nothing of the objective. A lost claim interrupts
    the objective, because its result is not wanted any more.
    """

    def __init__(self, order: Order, interrupt: Interrupt) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._order = order
        self._interrupt = interrupt
        self._store: Store | None = None
        self._finished = threading.Event()
        self._outcome: Outcome | None = None
        self._attached = False
        self._kept: Path | None = None
        launch, claim = order.launch, order.claim
        self._job = claimed_job(launch.job_id, attempts=launch.attempt, token=claim.token)

    def finish(self, outcome: Outcome | None) -> None:
        """Settle the claim with the outcome (None hands the job back), and wait for that."""
        self._outcome = outcome
        self._finished.set()
        self.join()

    def run(self) -> None:
        wait = 0.0
        while not self._finished.wait(wait):
            wait = self._beat(wait)
        wait, until = FIRST_WAIT_SECONDS, time.monotonic() + self._patience()
        while not self._settle() and time.monotonic() < until:
            time.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    def _beat(self, last_wait: float) -> float:
        """Renew once; the seconds until the next time."""
        lease = self._order.claim.lease_seconds
        try:
            if not self._attached:
                self._attached = self._connected().attach(self._job, this_process())
            if not self._connected().renew(self._job, lease_seconds=lease):
                self._interrupt.set()
        except StoreError:
            return min(max(2 * last_wait, FIRST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
        return lease / RENEWALS_PER_LEASE

    def _settle(self) -> bool:
        """Try to write the outcome; keep it in a file when the store is away."""
        attempts = self._order.claim.max_attempts
        try:
            write_outcome(self._connected(), self._job, self._outcome, max_attempts=attempts)
        except StoreError:
            if self._kept is None and self._outcome is not None:
                with contextlib.suppress(OSError):  # no disk either: go on trying
                    self._kept = keep_outcome(self._order, self._outcome)
            return False
        if self._kept is not None:
            self._kept.unlink(missing_ok=True)
        self._connected().close()
        return True

    def _patience(self) -> float:
        return GIVE_BACK_SECONDS if self._outcome is None else GIVE_UP_SECONDS

    def _connected(self) -> Store:
        if self._store is None:
            self._store = open_store(
                store_place(self._order), create=False, patience=PATIENCE_SECONDS
            )
        return self._store


def store_place(order: Order) -> StorePlace:
    claim = order.claim
    return StorePlace(
        directory=Path(order.launch.directory),
        experiment_name=claim.experiment_name,
        database=DatabasePlace(claim.database_address, claim.database_name),
    )


def this_process() -> ProcessInfo:
    """Where this worker runs, for people who look for it."""
    pid = os.getpid()
    return ProcessInfo(host=socket.gethostname(), pid=pid, born=birth_of(pid) or None)
