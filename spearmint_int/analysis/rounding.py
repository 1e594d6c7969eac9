"""What rounding would have wasted: how often in a run other treatments would have repeated points.

The naive treatment maximises over the reals and rounds; the basic one also keeps the unrounded
point for its model. Both may suggest an evaluation that is there already: in a run without noise
it teaches nothing. Each is asked at some moments of the run, with what was known then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spearmint_int.arrays import point_key
from spearmint_int.chooser import Problem, suggest

ROUNDING = ("naive", "basic")


@dataclass(frozen=True)
class Waste:
    """How many of a treatment's `asked` suggestions were evaluated or under way already."""

    treatment: str
    asked: int
    repeats: int


def waste_of_rounding(moments: Sequence[Problem]) -> list[Waste]:
    """What each treatment that rounds would have suggested at these moments."""
    return [
        Waste(name, len(moments), sum(_repeats(problem, name) for problem in moments))
        for name in ROUNDING
    ]


def _repeats(problem: Problem, treatment: str) -> bool:
    # another model would be another chain: it starts anew
    options = replace(problem.options, treatment=treatment)
    chosen = suggest(replace(problem, options=options, chain=None)).suggestions[0]
    key = point_key(problem.space.encode(chosen.params))
    return key in problem.evaluated_keys | problem.pending_keys
