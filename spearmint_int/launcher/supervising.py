"""A worker's life: run the objective of one order, and settle its claim in the store.

A worker depends on no manager: when that is killed, the job ends as it would have, and its result
is in the store. When the worker itself is killed, the objective dies with it (Linux), and the lease
runs out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spearmint_int.launcher.heartbeat import Heartbeat
from spearmint_int.launcher.running import run_objective

if TYPE_CHECKING:
    from spearmint_int.launcher.interrupt import Interrupt
    from spearmint_int.launcher.launch import Order


def supervise(order: Order, interrupt: Interrupt) -> None:
    """Run the order to its end; the interrupt ends the objective and hands the job back."""
    heartbeat = Heartbeat(order, interrupt)
    # The objective starts first: the connection to the store is made while it is starting too.
    outcome = run_objective(order.launch, interrupt, started=heartbeat.start)
    if heartbeat.ident is None:
        heartbeat.start()  # the objective could not be started
    heartbeat.finish(outcome)
