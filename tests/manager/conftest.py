"""The manager's tests run on SQLite; those that ask for it (`on_both_stores`) on MongoDB too."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from spearmint_int.stores import open_store_at
from tests.places import Place


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Where one experiment's jobs are; cleared after the test."""
    kind = getattr(request, "param", "sqlite")
    address = request.getfixturevalue("mongo_uri") if kind == "mongodb" else None
    place = Place(tmp_path, f"{tmp_path.name}-{uuid.uuid4().hex[:8]}", address)
    yield place
    open_store_at(place).destroy()
