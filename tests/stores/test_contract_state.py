"""The store contract: chains, meta, locks, closing and deleting; on each kind of store."""

from __future__ import annotations

import threading
import time

import pytest

from spearmint_int.errors import StoreError
from spearmint_int.jobs import Evaluation
from spearmint_int.stores import Store, open_store
from tests.places import Place
from tests.stores.drafts import add, add_and_claim, draft


def test_a_chain_comes_back_to_the_last_bit(store: Store) -> None:
    chain = {"seed": 2**61, "samples": [[0.1, 1 / 3], [1e-300, -0.0]], "kernel": "matern52"}
    store.save_chain("main", chain)
    assert repr(store.load_chain("main")) == repr(chain)


def test_a_chain_takes_the_place_of_the_last_one(store: Store) -> None:
    store.save_chain("main", {"a": 1})
    store.save_chain("other", {"b": 1})
    store.save_chain("main", {"a": 2})
    assert (store.load_chain("main"), store.load_chain("other")) == ({"a": 2}, {"b": 1})


def test_a_chain_that_was_never_saved_is_none(store: Store) -> None:
    assert store.load_chain("main") is None


def test_meta_is_kept_for_the_next_start(store: Store, place: Place) -> None:
    store.save_meta("config", {"seed": 3, "variables": ["x"]})
    again = open_store(place)
    assert again.load_meta("config") == {"seed": 3, "variables": ["x"]}
    assert again.load_meta("nothing") is None
    again.close()


def test_the_first_meta_wins(store: Store) -> None:
    assert store.first_meta("seed", 1) == 1
    assert store.first_meta("seed", 2) == 1
    store.save_meta("seed", 3)
    assert store.first_meta("seed", 4) == 3


def test_a_lock_has_one_holder(store: Store) -> None:
    assert store.lock("suggest", "a", seconds=60)
    assert not store.lock("suggest", "b", seconds=60)
    assert store.lock("another", "b", seconds=60)
    assert store.lock_holder("suggest") == "a"


def test_a_lock_can_be_extended_by_its_holder(store: Store) -> None:
    assert store.lock("suggest", "a", seconds=0.05)
    assert store.lock("suggest", "a", seconds=60)
    time.sleep(0.1)
    assert not store.lock("suggest", "b", seconds=60)


def test_a_lock_that_was_given_back_is_free(store: Store) -> None:
    store.lock("suggest", "a", seconds=60)
    store.unlock("suggest", "a")
    assert store.lock_holder("suggest") is None
    assert store.lock("suggest", "b", seconds=60)


def test_a_lock_frees_itself_when_its_time_is_over(store: Store) -> None:
    assert store.lock("suggest", "a", seconds=0.05)
    time.sleep(0.1)
    assert store.lock_holder("suggest") is None
    assert store.lock("suggest", "b", seconds=60)


def test_only_the_holder_can_give_a_lock_back(store: Store) -> None:
    store.lock("suggest", "a", seconds=60)
    store.unlock("suggest", "b")
    store.unlock("unknown", "b")
    assert store.lock_holder("suggest") == "a"


def test_threads_may_share_a_store(store: Store) -> None:
    taken: list[int] = []

    def claim_all() -> None:
        while job := store.claim(threading.current_thread().name, lease_seconds=60):
            store.complete(job, {"main": float(job.id)})
            taken.append(job.id)

    for _ in range(20):
        add(store)
    threads = [threading.Thread(target=claim_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(1, 21))


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        store.counts()


def test_a_deleted_experiment_starts_empty(store: Store, place: Place) -> None:
    add_and_claim(store)
    store.save_chain("main", {"a": 1})
    store.save_meta("config", {})
    store.lock("suggest", "a", seconds=60)
    store.destroy()
    fresh = open_store(place)
    assert fresh.jobs() == []
    assert (fresh.load_chain("main"), fresh.load_meta("config")) == (None, None)
    assert fresh.lock_holder("suggest") is None
    assert add(fresh).id == 1
    fresh.close()


def test_an_experiment_that_is_deleted_under_a_manager_is_noticed(
    store: Store, place: Place
) -> None:
    job = add_and_claim(store)
    open_store(place).destroy()
    with pytest.raises(StoreError, match=r"deleted .*while in use"):
        add(store)
    with pytest.raises(StoreError):
        store.complete(job, {"main": 1.0})


def test_a_store_that_is_not_there_is_not_made_by_a_reader(place: Place) -> None:
    for _ in range(2):
        with pytest.raises(StoreError, match="no jobs yet"):
            open_store(place, create=False)


def test_a_store_that_is_there_opens_for_a_reader(store: Store, place: Place) -> None:
    store.add_complete(draft(), {"main": 1.0})
    reader = open_store(place, create=False)
    assert isinstance(reader.evaluations()[0], Evaluation)
    reader.close()


def test_the_location_names_the_place(store: Store, place: Place) -> None:
    expected = str(place.directory) if place.address is None else place.experiment_name
    assert expected in store.location
