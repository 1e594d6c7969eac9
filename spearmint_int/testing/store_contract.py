"""The promises of `stores/protocol.py`, as tests."""

from __future__ import annotations

from spearmint_int.testing.store_claims import ClaimsContract
from spearmint_int.testing.store_jobs import JobsContract
from spearmint_int.testing.store_state import StateContract


class StoreContract(JobsContract, ClaimsContract, StateContract):
    """Inherit it in a class named Test…, beside two fixtures.

    `store` is an empty `Store`; `reopen` (an `OpenStore`) opens another connection to the same
    experiment, and raises StoreError with `create=False` while there is none.
    """
