"""The array types that all parts share, and when two points are the same."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


ALIGNMENT = 64  # bytes: the widest vectors there are


def aligned_square(n: int) -> FloatArray:
    """Zeros [n, n] in Fortran order whose first element is aligned.

    LAPACK's sums are ordered by the place of a matrix in memory: for the same factor to the last
    bit, in every thread and process, that place must be the same.
    """
    buffer = np.zeros(n * n + ALIGNMENT // 8)
    start = -buffer.ctypes.data % ALIGNMENT // 8
    return buffer[start : start + n * n].reshape((n, n), order="F")


def point_key(row: FloatArray) -> bytes:
    """What two canonical points have in common exactly when they are the same."""
    return np.ascontiguousarray(row, dtype=np.float64).tobytes()
