"""BLAS held to one thread: the matrices are small, and the threads belong to the chains.

threadpoolctl is the one library that knows how to tell every BLAS; its look-up of the loaded
libraries takes milliseconds, so it is done once.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS runs on the calling thread alone."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
