"""A slow calculation in a thread of its own: the manager's loop goes on watching its workers, and
whoever waits for it still hears a signal."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class BackgroundCall(Generic[Result]):
    """One call in a thread of its own. The thread never keeps the program from ending."""

    def __init__(self, function: Callable[[], Result], *, done: Callable[[], object]) -> None:
        self._function = function
        self._done = done
        self._outcome: tuple[Result | None, BaseException | None] | None = None
        self._begin = time.perf_counter()
        self.seconds = 0.0
        threading.Thread(target=self._run, name="background-call", daemon=True).start()

    @property
    def is_finished(self) -> bool:
        return self._outcome is not None

    def result(self) -> Result:
        """What the function returned, or raised; only when it is finished."""
        if self._outcome is None:
            raise RuntimeError("the call is still running")
        value, error = self._outcome
        if error is not None:
            raise error
        return value  # type: ignore[return-value]

    def _run(self) -> None:
        try:
            outcome: tuple[Result | None, BaseException | None] = (self._function(), None)
        except BaseException as error:
            outcome = (None, error)
        self.seconds = time.perf_counter() - self._begin
        self._outcome = outcome
        self._done()


def awaited(function: Callable[[], Result]) -> Result:
    """What the function returns, computed in another thread.

    Compiled code runs for minutes without a look at signals. Here a Ctrl-C ends the wait at once,
    and the thread with the program: the function must not write anything.
    """
    done = threading.Event()
    call = BackgroundCall(function, done=done.set)
    done.wait()
    return call.result()
