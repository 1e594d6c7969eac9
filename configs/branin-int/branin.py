"""Branin's function, whose first input is an integer here; it has no noise.

What to expect: the minimum is 0.49398, twice: at x1 = 3, x2 = 2.388 and at x1 = -3, x2 = 11.937.
The 30 jobs find it to four digits, in a few seconds.
"""

from __future__ import annotations

import math
from typing import Any


def branin(x1: float, x2: float) -> float:
    """The usual one, on [-5, 10] x [0, 15]."""
    valley = x2 - 5.1 / (4 * math.pi**2) * x1**2 + 5 / math.pi * x1 - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x1) + 10


def main(job_id: int, params: dict[str, Any]) -> float:
    """One evaluation; every parameter is an array, here of one element."""
    x1, x2 = int(params["x1"][0]), float(params["x2"][0])
    value = branin(x1, x2)
    print(f"job {job_id}: branin({x1}, {x2:.6g}) = {value:.6g}")
    return value
