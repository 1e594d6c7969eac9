"""The store's outages: how long it has been away, and when to ask again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spearmint_int.manager.events import StoreAway, StoreBack

if TYPE_CHECKING:
    from spearmint_int.manager.events import Listener

# For the manager's store (`open_store`): its loop does the waiting, and stays open to Ctrl-C.
PATIENCE_SECONDS = 1.0
FIRST_SECONDS, LONGEST_SECONDS = 0.5, 10.0


class Outage:
    """Doubles the pause with each failure, and tells the listener of the beginning and the end."""

    def __init__(self, listener: Listener) -> None:
        self._tell = listener
        self._since: float | None = None
        self._pause = FIRST_SECONDS
        self._retry_at = 0.0

    @property
    def is_on(self) -> bool:
        return self._since is not None

    @property
    def seconds_left(self) -> float:
        """Until the next try; 0 when it is time."""
        return max(self._retry_at - time.monotonic(), 0.0) if self.is_on else 0.0

    def note_failure(self, error: Exception) -> None:
        now = time.monotonic()
        if self._since is None:
            self._since, self._pause = now, FIRST_SECONDS
        self._retry_at = now + self._pause
        self._tell(StoreAway(str(error), self._pause))
        self._pause = min(2 * self._pause, LONGEST_SECONDS)

    def note_success(self) -> bool:
        """True when an outage has just ended."""
        if self._since is None:
            return False
        self._tell(StoreBack(time.monotonic() - self._since))
        self._since = None
        return True
