"""BLAS stays on one thread while anybody needs it to."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from spearmint_int.blas import one_blas_thread


def blas_threads() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.filterwarnings("ignore:Found Intel OpenMP")
def test_a_thread_that_leaves_does_not_free_blas_under_another() -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == {2}
