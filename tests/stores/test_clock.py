"""The clock of a store, whose server may be away when it is asked."""

from __future__ import annotations

import time

import pytest

from spearmint_int.stores.clock import StoreClock, uptime

AHEAD = 100.0


def slow_answers(*seconds: float) -> StoreClock:
    """A clock that is ahead of ours; its answers take so long, later ones no time."""
    waits = iter(seconds)

    def ask() -> float:
        time.sleep(next(waits, 0.0))
        return uptime() + AHEAD

    return StoreClock(ask)


def test_an_answer_that_waited_for_an_outage_is_asked_for_again() -> None:
    clock = slow_answers(1.0)
    assert clock.now() - uptime() == pytest.approx(AHEAD, abs=0.2)


def test_a_moment_is_that_of_the_question_however_long_the_answer_takes() -> None:
    clock, began = slow_answers(1.0), uptime()
    assert clock.moment(5.0) == pytest.approx(began - 5.0 + AHEAD, abs=0.2)
