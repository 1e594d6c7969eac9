"""A worker's life: run the objective of one order, and settle its claim in the store.

A worker depends on no manager: when that is killed, the job ends as it would have, and its result
is in the store. When the worker itself is killed, the objective dies with it (Linux), and the lease
runs out.
"""

from __future__ import annotations

import contextlib
import threading
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from spearmint_int.errors import StoreError, StoreMissing, StoreUnavailable
from spearmint_int.jobs import Failure
from spearmint_int.launcher.delivery import keep_outcome, write_outcome
from spearmint_int.launcher.execution import open_output, run_objective
from spearmint_int.launcher.liveness import this_process
from spearmint_int.stores import open_store_at
from spearmint_int.stores.clock import uptime

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spearmint_int.jobs import ProcessInfo
    from spearmint_int.launcher.order import Order
    from spearmint_int.launcher.outcome import Outcome
    from spearmint_int.launcher.wakeup import Wakeup
    from spearmint_int.stores.protocol import Store

PATIENCE_SECONDS = 1.0  # of one call: this thread does the waiting, with the outcome safe in a file
FIRST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 2.0  # short: the result should be there before others look for its worker
REPORT_SECONDS = 10.0  # of waiting, after which the job's output says so
ATTACH_SECONDS = 600.0  # that a worker holds a cluster's node while it can't reach the store
GIVE_BACK_SECONDS = 3.0  # a job that is handed back becomes free with its lease anyway


def supervise(
    order: Order, interrupt: Wakeup, *, announce: Callable[[int], object] = lambda _: None
) -> None:
    """Run the order to its end; the interrupt ends the objective and hands the job back.

    `announce` is called with the objective's process group.
    """
    _supervise(order, interrupt, Heartbeat(order, interrupt), announce)


def supervise_after_queue(
    order: Order,
    interrupt: Wakeup,
    *,
    proc_id: str | None = None,
    attached: Callable[[], object] = lambda: None,
) -> None:
    """`supervise` for a worker that may have waited for long: only if the claim is still its own.

    `proc_id` is the batch system's id of the worker, which the manager may have died before noting.
    `attached` is called once the store knows this worker, or the claim is lost.
    """
    heartbeat = Heartbeat(order, interrupt)
    is_ours = heartbeat.attach(replace(this_process(), proc_id=proc_id))
    attached()
    if is_ours:
        _supervise(order, interrupt, heartbeat, lambda _: None)


def _supervise(
    order: Order, interrupt: Wakeup, heartbeat: Heartbeat, announce: Callable[[int], object]
) -> None:
    def started(group: int) -> None:
        announce(group)
        heartbeat.start()

    output = open_output(order.launch)
    if isinstance(output, Failure):
        heartbeat.start()
        heartbeat.finish(output)
        return
    # The output stays locked to the very end, as a sign for others that the result is on its way.
    with closing(output):
        # The objective starts first: the connection to the store is made meanwhile.
        outcome = run_objective(order.launch, output, interrupt, started=started)
        output.finish()
        if heartbeat.ident is None:
            heartbeat.start()  # the objective could not be started
        heartbeat.finish(outcome, say=output.write)


class Heartbeat(threading.Thread):
    """Renews the claim's lease until `finish`, then settles the claim.

    It alone talks to the store: an outage delays nothing of the objective. A lost claim interrupts
    the objective, because its result is not wanted any more.
    """

    def __init__(self, order: Order, interrupt: Wakeup) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._order = order
        self._interrupt = interrupt
        self._store: Store | None = None
        self._finished = threading.Event()
        self._outcome: Outcome | None = None
        self._ended = 0.0  # when the objective ended
        self._say: Callable[[bytes], object] = lambda _: None
        self._has_said = False
        self._attached = False
        self._process = this_process()
        self._has_waited = False  # in a queue, which is no time of the job
        self._kept: Path | None = None
        self._is_missing = False  # the store, when it was asked last
        self._fault = ""  # of the store, when it was asked last

    def attach(self, process: ProcessInfo) -> bool:
        """Wait for the store, and attach this worker; False when the claim is lost, SystemExit when
        the store can't be reached from here for long."""
        self._process, self._has_waited = process, True
        wait, give_up = 0.0, time.monotonic() + ATTACH_SECONDS
        while not self._attached and not self._interrupt.is_set():
            wait = self._beat(wait)
            if not self._attached:
                if time.monotonic() > give_up:
                    raise SystemExit(
                        f"the store can't be reached from {process.host}: {self._fault}"
                    )
                time.sleep(wait)
        self._disconnect()  # a client has threads, without which the objective is to be forked
        return self._attached

    def finish(
        self, outcome: Outcome | None, *, say: Callable[[bytes], object] = lambda _: None
    ) -> None:
        """Settle the claim with the outcome (None hands the job back), and wait for that.

        `say` gets a sentence when that takes long.
        """
        self._outcome, self._say, self._ended = outcome, say, uptime()
        self._finished.set()
        self.join()

    def run(self) -> None:
        wait = 0.0
        while not self._finished.wait(wait):
            wait = self._beat(wait)
        wait, begin = FIRST_WAIT_SECONDS, time.monotonic()
        while not self._settle():
            waited = time.monotonic() - begin
            is_over = self._may_leave(waited)
            if is_over or waited > REPORT_SECONDS:
                self._report_waiting()
            if is_over:
                self._disconnect()
                return
            time.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    def _may_leave(self, waited: float) -> bool:
        """Whether to stop waiting for the store. A computed result is never given up before it is
        safe in a file, which a manager delivers too: then the worker ends if it is interrupted, or
        if there is no store to wait for."""
        if self._outcome is None:
            return waited > GIVE_BACK_SECONDS
        return self._kept is not None and (self._interrupt.is_set() or self._is_missing)

    def _report_waiting(self) -> None:
        """Say in the job's output, once, that the outcome waits."""
        if self._outcome is not None and not self._has_said:
            self._has_said = True
            kept = "in memory" if self._kept is None else f"in {self._kept}"
            self._say(f"[spearmint-int: the store is away; the outcome waits {kept}]\n".encode())

    def _beat(self, last_wait: float) -> float:
        """Attach or renew once; the seconds until the next time."""
        claim, lease = self._order.claim, self._order.lease_seconds
        try:
            if self._attached:
                held = self._connected().renew(claim, lease_seconds=lease)
            else:
                held = self._connected().attach(
                    claim, self._process, lease_seconds=lease, begins=self._has_waited
                )
                self._attached = held
            if not held:
                self._interrupt.set()
        except StoreError as error:
            self._note(error)
            return min(max(2 * last_wait, FIRST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
        return self._order.heartbeat_seconds

    def _settle(self) -> bool:
        """Try to write the outcome; keep it in a file when the store is away."""
        claim, attempts = self._order.claim, self._order.max_attempts
        try:
            write_outcome(
                self._connected(),
                claim,
                self._outcome,
                max_attempts=attempts,
                seconds_ago=self._seconds_ago,
            )
        except StoreError as error:
            self._note(error)
            if self._kept is None and self._outcome is not None:
                with contextlib.suppress(OSError):  # no disk either: go on trying
                    self._kept = keep_outcome(
                        self._order, self._outcome, seconds_ago=self._seconds_ago
                    )
            return False
        if self._kept is not None:
            self._kept.unlink(missing_ok=True)
        self._disconnect()
        return True

    @property
    def _seconds_ago(self) -> float:
        """How long ago the objective ended."""
        return uptime() - self._ended

    def _note(self, error: StoreError) -> None:
        """Take note of a fault. A store that is there but fails may be well again when it is opened
        anew."""
        self._is_missing = isinstance(error, StoreMissing)
        self._fault = str(error)
        if not isinstance(error, StoreUnavailable):
            self._disconnect()

    def _disconnect(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _connected(self) -> Store:
        if self._store is None:
            self._store = open_store_at(self._order.store, create=False, patience=PATIENCE_SECONDS)
        return self._store
