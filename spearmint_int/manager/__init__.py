"""The manager: from a config and a store to a finished run.

manager = Manager(config, store, listener=show)    # prints nothing; `show` gets the events
with stopped_by_signals(manager):                  # Ctrl-C: once politely, twice at once
    summary = manager.run()                        # Summary: why it ended, best, estimate
"""

from spearmint_int.manager.events import (
    Best,
    EndReason,
    Estimate,
    Event,
    JobAdded,
    JobEnded,
    JobLost,
    JobStarted,
    Listener,
    Notice,
    Progress,
    ProgressMade,
    RunEnded,
    RunStarted,
    Stopping,
    StoreAway,
    StoreBack,
    SuggestionStarted,
    Summary,
)
from spearmint_int.manager.manager import Manager
from spearmint_int.manager.outage import PATIENCE_SECONDS
from spearmint_int.manager.shutdown import stopped_by_signals

__all__ = [
    "PATIENCE_SECONDS",
    "Best",
    "EndReason",
    "Estimate",
    "Event",
    "JobAdded",
    "JobEnded",
    "JobLost",
    "JobStarted",
    "Listener",
    "Manager",
    "Notice",
    "Progress",
    "ProgressMade",
    "RunEnded",
    "RunStarted",
    "Stopping",
    "StoreAway",
    "StoreBack",
    "SuggestionStarted",
    "Summary",
    "stopped_by_signals",
]
