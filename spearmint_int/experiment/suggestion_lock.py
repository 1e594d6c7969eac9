"""The suggestion lock: held by whoever adds the next job, or declares the variables anew."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spearmint_int.errors import StoreUnavailable
from spearmint_int.launcher.liveness import owner_is_dead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.stores.protocol import Store

LOCK = "suggestion"
LOCK_SECONDS = 30.0  # how long other machines wait when the manager that suggests is killed
RENEW_SECONDS = 10.0
WAIT_SECONDS = 60.0  # a suggestion of somebody else takes seconds
# A second lock, held by whoever waits for the first: a run whose jobs end faster than it suggests
# would never release that otherwise. It ends soon where the one who waits is killed.
WAITING, WAITING_SECONDS = "suggestion-waiting", 2.0


class SuggestionLock:
    """Held from reading the data until the job is stored, so that two managers never choose from
    the same data, and the same seed gives the same jobs."""

    def __init__(self, store: Store, owner: str) -> None:
        self._store, self._owner = store, owner
        self._renew_at: float | None = None  # None: not held

    def take(self) -> bool:
        """Take or renew it for a while; False when another manager has it."""
        if self._renew_at is None or time.monotonic() >= self._renew_at:
            held = self._lock() or (self._free_of_dead_holder() and self._lock())
            self._renew_at = time.monotonic() + RENEW_SECONDS if held else None
        return self._renew_at is not None

    def _lock(self) -> bool:
        return self._store.lock(LOCK, self._owner, seconds=LOCK_SECONDS)

    def _free_of_dead_holder(self) -> bool:
        """Free the lock of a manager that has crashed on this machine, without waiting for the
        lease to end."""
        holder = self._store.lock_holder(LOCK)
        is_dead = holder is not None and owner_is_dead(holder)
        if holder is not None and is_dead:
            self._store.unlock(LOCK, holder)
        return is_dead

    def release(self) -> None:
        """Let others go on; nothing happens when it isn't held."""
        if self._renew_at is not None:
            self._renew_at = None
            self._store.unlock(LOCK, self._owner)

    @contextmanager
    def held(self) -> Iterator[None]:
        """A context that waits for the lock and holds it; StoreUnavailable after WAIT_SECONDS."""
        if not self.take():
            self._wait()
        try:
            yield
        finally:
            self.release()

    def is_wanted(self) -> bool:
        """Whether somebody waits for it: a manager lets them go first."""
        return self._store.lock_holder(WAITING) is not None

    def _wait(self) -> None:
        until = time.monotonic() + WAIT_SECONDS
        try:
            while not self.take():
                if time.monotonic() > until:
                    raise StoreUnavailable(
                        f"somebody else has been choosing a point for {WAIT_SECONDS:g} s; try again"
                    )
                self._store.lock(WAITING, self._owner, seconds=WAITING_SECONDS)
                time.sleep(0.1)
        finally:
            self._store.unlock(WAITING, self._owner)
