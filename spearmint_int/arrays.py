"""The array types that all parts share, and when two points are the same."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]


def point_key(row: FloatArray) -> bytes:
    """What two canonical points have in common exactly when they are the same."""
    return np.ascontiguousarray(row, dtype=np.float64).tobytes()
