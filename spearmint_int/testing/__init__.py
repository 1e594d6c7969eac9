"""What a plugin's tests inherit: a store or a scheduler that passes can be used in a run.

class TestOurs(StoreContract):            # with the fixtures `store`, empty, and `reopen`
class TestOurs(SchedulerContract):        # with the fixtures `scheduler` and `another_scheduler`

Needs pytest. The fixtures are described at the head of the classes.
"""

import pytest

pytest.register_assert_rewrite(
    "spearmint_int.testing.scheduler_contract",
    "spearmint_int.testing.store_claims",
    "spearmint_int.testing.store_jobs",
    "spearmint_int.testing.store_state",
)

from spearmint_int.testing.drafts import OpenStore  # noqa: E402
from spearmint_int.testing.scheduler_contract import SchedulerContract  # noqa: E402
from spearmint_int.testing.store_contract import StoreContract  # noqa: E402

__all__ = ["OpenStore", "SchedulerContract", "StoreContract"]
