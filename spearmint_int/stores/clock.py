"""The clock of a store: leases, locks and times by one clock, whoever asks and whatever his shows.

A store's clock begins as somebody's wall clock and then goes on with the machine's uptime, which no
setting of the clock changes: a machine that is a minute ahead, or a jump of its clock, takes
nobody's lease away.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SYNC_SECONDS = 30.0  # a server's clock may be set too
# An answer that took longer has waited for a server that was away: nobody knows for how long of it.
QUICK_SECONDS = 0.5
MOST_QUESTIONS = 3


def uptime() -> float:
    """Seconds that only go forward, with those in which the machine slept."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


def boot_id() -> str:
    """What names this run of this machine's kernel; empty where there is none."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


class StoreClock:
    """Goes with our uptime, from what `ask` said; asks again from time to time."""

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
        """What it showed then; that asking may take its time changes nothing."""
        then = uptime() - seconds_ago
        self.now()
        return then + self._offset

    def sync(self, ask: Callable[[], float]) -> None:
        """Go on from what `ask` says."""
        for _ in range(MOST_QUESTIONS):
            asked = uptime()
            told = ask()
            answered = uptime()
            if answered - asked < QUICK_SECONDS:
                break
        self._offset = told - (asked + answered) / 2
        self._sync_at = answered + self._every
