"""The array types that all parts share; arrays of large numbers; which points are the same."""

from __future__ import annotations

import math
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


def in_units(values: FloatArray) -> tuple[FloatArray, int]:
    """The values over a power of two, none of them above 1, and its exponent.

    No digit changes, and sums and squares don't overflow: those of 1e155 are no doubles.
    """
    exponent = math.frexp(float(np.max(np.abs(values), initial=0.0)))[1]
    return np.ldexp(values, -exponent), exponent


def inside_cube(U: FloatArray) -> BoolArray:
    """Which rows of U [n, D] lie in the unit cube: bounds that were narrowed leave some beyond."""
    within: BoolArray = np.all((U >= 0.0) & (U <= 1.0), axis=1)
    return within


def point_key(row: FloatArray) -> bytes:
    """What two canonical points have in common exactly when they are the same."""
    return np.ascontiguousarray(row, dtype=np.float64).tobytes()
