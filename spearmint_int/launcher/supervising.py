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
    from collections.abc import Callable

    from spearmint_int.launcher.interrupt import Interrupt
    from spearmint_int.launcher.launch import Order


def supervise(
    order: Order, interrupt: Interrupt, *, announce: Callable[[int], object] = lambda _: None
) -> None:
    """Run the order to its end; the interrupt ends the objective and hands the job back.

    `announce` is told the objective's process group.
    """
    heartbeat = Heartbeat(order, interrupt)

    def started(group: int) -> None:
        announce(group)
        heartbeat.start()

    # The objective starts first: the connection to the store is made while it is starting too.
    outcome = run_objective(order.launch, interrupt, started=started)
    if heartbeat.ident is None:
        heartbeat.start()  # the objective could not be started
    heartbeat.finish(outcome)
