"""The store contract on each kind of store."""

from __future__ import annotations

from functools import partial

import pytest

from spearmint_int.stores import Store, open_store_at
from spearmint_int.testing import OpenStore, StoreContract
from tests.places import Place


@pytest.fixture
def reopen(place: Place) -> OpenStore:
    return partial(open_store_at, place)


class TestStore(StoreContract):
    """Both of ours keep it."""


def test_the_location_names_the_place(store: Store, place: Place) -> None:
    expected = str(place.directory) if place.address is None else place.experiment_name
    assert expected in store.location
