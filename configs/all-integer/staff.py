"""How many people for each of three shifts, and how many counters? All inputs are integers.

864 combinations; a vector of three INTs and a single one. No combination is ever tried twice,
since the experiment is NOISELESS.

What to expect: the best plan costs 74.25: 3, 6 and 4 people at 4 counters (the worst, 436.5).
With this seed the 35 jobs end next to it (4, 6 and 4 people: 77.53), with the seeds 0 and 2 to 9 at
it; trying all would take 864.
"""

from __future__ import annotations

from typing import Any

CUSTOMERS = (14.0, 31.0, 22.0)  # that arrive in each shift
SERVED = 8.0  # by one person at a counter, in a shift
WAGE, RENT, WAIT = 4.0, 3.0, 1.5  # of a person, of a counter, of a waiting customer


def cost(staff: list[int], counters: int) -> float:
    """Wages, rent, and the customers' patience: a queue grows as its load comes near to 1."""
    total = RENT * counters
    for people, customers in zip(staff, CUSTOMERS, strict=True):
        capacity = SERVED * min(people, counters + 0.3 * max(people - counters, 0))
        load = customers / capacity
        queue = load**2 / (1 - load) if load < 0.95 else 18.0 + 40.0 * (load - 0.95)
        total += WAGE * people + WAIT * queue
    return total


def main(job_id: int, params: dict[str, Any]) -> float:  # noqa: ARG001 (the manager's signature)
    """The cost of one plan; `staff` is an array of three integers."""
    return cost([int(n) for n in params["staff"]], int(params["counters"][0]))
