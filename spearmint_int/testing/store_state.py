"""The store contract: chains, meta, locks, closing and deleting; on each kind of store."""

from __future__ import annotations

import threading
import time

import pytest

from spearmint_int.errors import StoreError
from spearmint_int.jobs import JobPoint
from spearmint_int.stores import Store
from spearmint_int.testing.drafts import OpenStore, add, add_and_claim, draft


class StateContract:
    """Chains, meta, locks, closing and deleting."""

    def test_a_chain_comes_back_to_the_last_bit(self, store: Store) -> None:
        chain = {"seed": 2**61, "samples": [[0.1, 1 / 3], [1e-300, -0.0]], "kernel": "matern52"}
        store.save_chain("main", chain)
        assert repr(store.load_chain("main")) == repr(chain)

    def test_a_chain_takes_the_place_of_the_last_one(self, store: Store) -> None:
        store.save_chain("main", {"a": 1})
        store.save_chain("other", {"b": 1})
        store.save_chain("main", {"a": 2})
        assert (store.load_chain("main"), store.load_chain("other")) == ({"a": 2}, {"b": 1})

    def test_a_chain_that_was_never_saved_is_none(self, store: Store) -> None:
        assert store.load_chain("main") is None

    def test_meta_is_kept_for_the_next_start(self, store: Store, reopen: OpenStore) -> None:
        store.save_meta("config", {"seed": 3, "variables": ["x"]})
        again = reopen()
        assert again.load_meta("config") == {"seed": 3, "variables": ["x"]}
        assert again.load_meta("nothing") is None
        again.close()

    def test_the_first_meta_wins(self, store: Store) -> None:
        assert store.first_meta("seed", 1) == 1
        assert store.first_meta("seed", 2) == 1
        store.save_meta("seed", 3)
        assert store.first_meta("seed", 4) == 3

    def test_a_lock_has_one_holder(self, store: Store) -> None:
        assert store.lock("suggest", "a", seconds=60)
        assert not store.lock("suggest", "b", seconds=60)
        assert store.lock("another", "b", seconds=60)
        assert store.lock_holder("suggest") == "a"

    def test_a_lock_can_be_extended_by_its_holder(self, store: Store) -> None:
        assert store.lock("suggest", "a", seconds=0.05)
        assert store.lock("suggest", "a", seconds=60)
        time.sleep(0.1)
        assert not store.lock("suggest", "b", seconds=60)

    def test_a_lock_that_was_given_back_is_free(self, store: Store) -> None:
        store.lock("suggest", "a", seconds=60)
        store.unlock("suggest", "a")
        assert store.lock_holder("suggest") is None
        assert store.lock("suggest", "b", seconds=60)

    def test_a_lock_frees_itself_when_its_time_is_over(self, store: Store) -> None:
        assert store.lock("suggest", "a", seconds=0.05)
        time.sleep(0.1)
        assert store.lock_holder("suggest") is None
        assert store.lock("suggest", "b", seconds=60)

    def test_only_the_holder_can_give_a_lock_back(self, store: Store) -> None:
        store.lock("suggest", "a", seconds=60)
        store.unlock("suggest", "b")
        store.unlock("unknown", "b")
        assert store.lock_holder("suggest") == "a"

    def test_threads_may_share_a_store(self, store: Store) -> None:
        taken: list[int] = []

        def claim_all() -> None:
            while job := store.claim(threading.current_thread().name, lease_seconds=60):
                store.complete(job.claim, {"main": float(job.id)})
                taken.append(job.id)

        for _ in range(20):
            add(store)
        threads = [threading.Thread(target=claim_all) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(taken) == list(range(1, 21))

    def test_a_closed_store_says_so(self, store: Store) -> None:
        store.close()
        store.close()
        with pytest.raises(StoreError, match="the store is closed"):
            store.tally()

    def test_a_deleted_experiment_starts_empty(self, store: Store, reopen: OpenStore) -> None:
        add_and_claim(store)
        store.save_chain("main", {"a": 1})
        store.save_meta("config", {})
        store.lock("suggest", "a", seconds=60)
        store.destroy()
        fresh = reopen()
        assert fresh.jobs() == []
        assert (fresh.load_chain("main"), fresh.load_meta("config")) == (None, None)
        assert fresh.lock_holder("suggest") is None
        assert add(fresh).id == 1
        fresh.close()

    def test_an_experiment_that_is_deleted_under_a_manager_is_noticed(
        self, store: Store, reopen: OpenStore
    ) -> None:
        job = add_and_claim(store)
        reopen().destroy()
        with pytest.raises(StoreError, match=r"deleted.* while in use"):
            add(store)
        with pytest.raises(StoreError):
            store.complete(job.claim, {"main": 1.0})

    def test_a_store_that_is_not_there_is_not_made_by_a_reader(self, reopen: OpenStore) -> None:
        for _ in range(2):
            with pytest.raises(StoreError, match="no jobs yet"):
                reopen(create=False)

    def test_a_store_that_is_there_opens_for_a_reader(
        self, store: Store, reopen: OpenStore
    ) -> None:
        store.add_complete(draft(), {"main": 1.0})
        reader = reopen(create=False)
        assert isinstance(reader.job_points()[0], JobPoint)
        reader.close()

    def test_a_lock_in_the_far_future_is_nobodys(self, store: Store) -> None:
        assert store.lock("suggestion", "one", seconds=1e9)
        assert store.lock_holder("suggestion") is None
        assert store.lock("suggestion", "two", seconds=30)
        assert not store.lock("suggestion", "one", seconds=30)
