"""Branin's function with an integer input and noise of standard deviation 2; two jobs at a time.

What to expect: the lowest value is lucky (below 0, where the function never is), so that
`spearmint-int best` also says the model's minimum with its sd: within 1 of the true 0.494, near
x1 = 3, x2 = 2.4 or x1 = -3, x2 = 11.9. A repeat is launched only where the model gains by it.
"""

from __future__ import annotations

import math
import random
from typing import Any

NOISE = 2.0


def branin(x1: float, x2: float) -> float:
    """The usual one, on [-5, 10] x [0, 15]."""
    valley = x2 - 5.1 / (4 * math.pi**2) * x1**2 + 5 / math.pi * x1 - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x1) + 10


def main(job_id: int, params: dict[str, Any]) -> float:
    """One noisy evaluation; the noise comes from the job's number, so that runs can be repeated."""
    noise = random.Random(job_id).gauss(0.0, NOISE)
    return branin(int(params["x1"][0]), float(params["x2"][0])) + noise
