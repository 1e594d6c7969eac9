"""The clock of a store, by which leases, locks and times are measured on every machine.

It begins as one machine's wall clock and then goes on with the uptime, which no setting of a clock
changes: a machine that is a minute ahead, or a jump of its clock, takes nobody's lease away.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SYNC_SECONDS = 30.0  # a server's clock may be set too
# An answer that took longer has waited for a server that was away: it is not known at which moment
# of that time the server read its clock.
QUICK_SECONDS = 0.5
MOST_QUESTIONS = 3


def uptime() -> float:
    """Seconds since the machine started, with those in which it slept."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


def boot_id() -> str:
    """The kernel's identifier of this boot of the machine; empty where there is none."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


class StoreClock:
    """A clock that goes on with our uptime from what `ask` said, and asks again now and then."""

    def __init__(self, ask: Callable[[], float], *, every: float = SYNC_SECONDS) -> None:
        self._ask = ask
        self._every = every
        self._offset = 0.0
        self._sync_at = float("-inf")

    def now(self) -> float:
        """Seconds since 1970, UTC, as the store counts them."""
        if uptime() >= self._sync_at:
            self.sync(self._ask)
        return uptime() + self._offset

    def moment(self, seconds_ago: float) -> float:
        """The time so many seconds before this call, however long the call itself takes."""
        then = uptime() - seconds_ago
        self.now()
        return then + self._offset

    def sync(self, ask: Callable[[], float]) -> None:
        """Set the clock to what `ask` says."""
        for _ in range(MOST_QUESTIONS):
            asked = uptime()
            shown = ask()
            answered = uptime()
            if answered - asked < QUICK_SECONDS:
                break
        self._offset = shown - (asked + answered) / 2
        self._sync_at = answered + self._every
