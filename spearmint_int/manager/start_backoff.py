"""Jobs that could not be started: the run waits a while longer each time, and ends at last.

A network drive is away, no process may be forked, or a batch system refuses: that passes, and costs
no job an attempt.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spearmint_int.jobs import FailureKind

if TYPE_CHECKING:
    from spearmint_int.jobs import Failure

FIRST_SECONDS, LONGEST_SECONDS = 0.5, 30.0
MOST_FAILURES = 8  # in a row: about a minute in all


class StartBackoff:
    """Of one resource: counts the starts that failed since the last one that did not."""

    def __init__(self) -> None:
        self._failures = 0
        self._next_at = 0.0

    def note_end(self, failure: Failure | None) -> None:
        """Take note of a job of this run that ended, by the failure of its attempt."""
        if failure is None or failure.kind is not FailureKind.START:
            self._failures = 0
            return
        if self.seconds_left > 0:
            return  # one of several that failed together
        pause = min(FIRST_SECONDS * 2**self._failures, LONGEST_SECONDS)
        self._failures = min(self._failures + 1, MOST_FAILURES)  # others may go on for days
        self._next_at = time.monotonic() + pause

    @property
    def seconds_left(self) -> float:
        """Until the next start; 0 when it may be tried."""
        return max(self._next_at - time.monotonic(), 0.0)

    @property
    def is_hopeless(self) -> bool:
        """Whether so many starts failed in a row that waiting is of no use."""
        return self._failures >= MOST_FAILURES
