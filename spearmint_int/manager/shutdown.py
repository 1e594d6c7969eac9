"""Requests to end a run, from signals or other threads; each one more urgent than the last."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

from spearmint_int.launcher.wakeup import Wakeup

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENT_INTERRUPTS = 2


class Urgency(IntEnum):
    """How a run is to end."""

    GO_ON = 0
    POLITE = 1  # no new jobs; running ones are awaited
    HAND_BACK = 2  # running jobs are ended and become new again, the attempt not counted
    LEAVE = 3  # nothing is awaited; workers hand their jobs back by themselves


class StopRequest:
    """The most urgent request so far, and the means to wake the loop up for it."""

    def __init__(self) -> None:
        self.urgency = Urgency.GO_ON
        self.wakeup = Wakeup()

    def demand(self, urgency: Urgency) -> None:
        """Safe in a signal handler and from any thread."""
        self.urgency = max(self.urgency, urgency)
        self.wakeup.set()


class Stoppable(Protocol):
    """What signals can stop."""

    def stop(self, *, hand_back: bool = False) -> None: ...


@contextmanager
def stopped_by_signals(manager: Stoppable) -> Iterator[None]:
    """Ctrl-C once: politely; twice: at once; once more: KeyboardInterrupt, wherever we are.

    SIGTERM hands back, since the machine wants us gone. Workers survive either. A terminal that is
    closed (SIGHUP) ends nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread gets signals
        return
    interrupts = 0

    def on_interrupt(*_: object) -> None:
        nonlocal interrupts
        interrupts += 1
        manager.stop(hand_back=interrupts > 1)
        if interrupts > PATIENT_INTERRUPTS:
            raise KeyboardInterrupt  # out of whatever call we are in

    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, on_interrupt),
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: manager.stop(hand_back=True)),
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
