"""Values in MongoDB: JSON as BSON, and collections of named values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bson.int64 import Int64
from pymongo.errors import DuplicateKeyError

from spearmint_int.errors import StoreError
from spearmint_int.stores.records import plain

if TYPE_CHECKING:
    from pymongo.collection import Collection

    from spearmint_int.stores.mongo_server import Document, MongoServer


def to_bson(value: Any) -> Any:
    """The value with every integer as one of 64 bits: a field's type must not depend on its
    values."""
    if isinstance(value, dict):
        return {key: to_bson(item) for key, item in value.items()}
    if isinstance(value, list):
        return [to_bson(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        if not -(2**63) <= value < 2**63:
            raise StoreError(f"the integer {value} is too large for MongoDB (64 bits)")
        return Int64(value)
    return value


def from_bson(value: Any) -> Any:
    """The inverse of `to_bson`: Python's own integers."""
    if isinstance(value, dict):
        return {key: from_bson(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_bson(item) for item in value]
    return int(value) if isinstance(value, Int64) else value


class NamedValues:
    """A collection of JSON values, each under its name."""

    def __init__(self, server: MongoServer, collection: Collection[Document]) -> None:
        self._server = server
        self._collection = collection

    def save(self, name: str, value: Any) -> None:
        """Store the value under the name, in place of an earlier one."""
        new = {"$set": {"value": to_bson(plain(value, name))}}

        def attempt() -> None:
            try:
                self._collection.update_one({"_id": name}, new, upsert=True)
            except DuplicateKeyError:  # somebody inserted it at the same moment
                self._collection.update_one({"_id": name}, new)

        self._server.call(attempt)

    def first(self, name: str, value: Any) -> Any:
        """Store the value unless the name has one; the value that the name has then."""
        new = {"$setOnInsert": {"value": to_bson(plain(value, name))}}

        def attempt() -> None:
            try:
                self._collection.update_one({"_id": name}, new, upsert=True)
            except DuplicateKeyError:
                return  # another was first

        self._server.call(attempt)
        return self.load(name)

    def load(self, name: str) -> Any | None:
        """The value of that name, or None."""
        document = self._server.call(lambda: self._collection.find_one({"_id": name}))
        return None if document is None else from_bson(document["value"])

    def all(self) -> dict[str, Any]:
        """Every value by its name."""
        documents = self._server.call(lambda: list(self._collection.find({})))
        return {str(one["_id"]): from_bson(one["value"]) for one in documents}

    def drop(self) -> None:
        """Delete all values."""
        self._server.call(self._collection.drop)
