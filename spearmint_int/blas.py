"""BLAS held to one thread: the matrices are small, and the threads belong to the chains.

threadpoolctl is the one library that knows how to tell every BLAS; its look-up of the loaded
libraries takes milliseconds, so it is done once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


class _Holders:
    """The limit belongs to the process: the first holder sets it, the last one lifts it.

    Without the count, a thread that leaves would free BLAS under one that is still at work, and
    the sums of several threads are not the same to the last digit.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._limit: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._count == 0:
                self._limit = _controller().limit(limits=1, user_api="blas")
            self._count += 1

    def leave(self) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                self._limit.restore_original_limits()


_HOLDERS = _Holders()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context in which BLAS runs on the calling thread alone; threads may overlap in it."""
    _HOLDERS.enter()
    try:
        yield
    finally:
        _HOLDERS.leave()


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
