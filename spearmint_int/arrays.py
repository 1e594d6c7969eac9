"""The array types that all parts share; which points are the same, and which in the cube."""

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


def inside_cube(U: FloatArray) -> BoolArray:
    """Which rows of U [n, D] lie in the unit cube: bounds that were narrowed leave some beyond."""
    within: BoolArray = np.all((U >= 0.0) & (U <= 1.0), axis=1)
    return within


def point_key(row: FloatArray) -> bytes:
    """What two canonical points have in common exactly when they are the same."""
    return np.ascontiguousarray(row, dtype=np.float64).tobytes()
