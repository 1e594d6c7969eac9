"""The collection of an experiment's jobs in MongoDB: its documents, and how they are changed.

When the connection breaks, nobody knows whether the last change was applied: an update therefore
leaves a mark, by which the repeated call recognises its own first try.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pymongo import ASCENDING
from pymongo.errors import DuplicateKeyError

from spearmint_int.errors import DamagedJob
from spearmint_int.jobs import (
    Claim,
    Job,
    JobPoint,
    JobStatus,
    ProcessInfo,
    Tally,
)
from spearmint_int.stores import records
from spearmint_int.stores.mongo_documents import from_bson, to_bson
from spearmint_int.stores.mongo_insert import JOBS, insert_next, last_id

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pymongo.collection import Collection as MongoCollection

    from spearmint_int.stores.mongo_server import Document, MongoServer

# The index for claims, leases and lists by status.
INDEX = [("status", ASCENDING), ("_id", ASCENDING)]


class JobCollection:
    """The documents of the jobs; every call outlasts a short outage."""

    def __init__(self, server: MongoServer, collection: MongoCollection[Document]) -> None:
        self._server, self._collection = server, collection
        self.removed = 0  # the highest id that was in use when a job was removed

    def make_index(self) -> None:
        self._server.call(lambda: self._collection.create_index(INDEX))

    def insert(
        self,
        rows: Sequence[records.Record],
        *,
        permitted: Callable[[int], bool] = lambda _: True,
        after: int | None = None,
    ) -> list[Job]:
        """See `insert_next`."""
        return insert_next(
            self._server,
            self._collection,
            rows,
            removed=self.removed,
            permitted=permitted,
            after=after,
        )

    def insert_as_it_is(self, document: Document) -> None:
        def attempt() -> None:
            try:
                self._collection.insert_one(document)
            except DuplicateKeyError:
                raise records.already_there(document["_id"]) from None

        self._server.call(attempt)

    # --- reading ---

    def is_empty(self) -> bool:
        return self._server.call(lambda: self._collection.find_one({}, {"_id": 1})) is None

    def last_id(self) -> int:
        return max(self._server.call(partial(last_id, self._collection)), self.removed)

    def document(self, job_id: int) -> Document:
        """The job with this id; raises JobNotFound."""
        wanted = {"_id": records.possible_id(job_id)}
        document = self._server.call(lambda: self._collection.find_one(wanted))
        if document is None:
            raise records.no_such_job(job_id)
        return document

    def find(
        self,
        wanted: Document,
        *,
        fields: Mapping[str, int] | None = None,
        limit: int = 0,
        index: str | None = None,
    ) -> list[Document]:
        """The jobs by ascending id, with these of their fields; at most `limit`, 0 for all."""

        def attempt() -> list[Document]:
            found = self._collection.find(wanted, fields, hint=index)
            return list(found.sort("_id", ASCENDING).limit(limit))

        return self._server.call(attempt)

    def tally(self, resources: Collection[str]) -> Tally:
        """See `Store.tally`."""
        kind = {name: f"${name}" for name in ("resource", "source", "status")}
        group = {"$group": {"_id": kind, "number": {"$sum": 1}, "last": {"$max": "$_id"}}}
        pipeline = [{"$match": JOBS}, group]
        found = self._server.call(lambda: list(self._collection.aggregate(pipeline)))
        rows = [(*(row["_id"].get(name) for name in kind), int(row["number"])) for row in found]
        highest = max((int(row["last"]) for row in found), default=0)
        highest = max(highest, self.removed)
        return records.tally_of(rows, resources, last_id=highest)

    # --- changes ---

    def update(
        self,
        condition: Document,
        changes: Mapping[str, Any],
        *,
        mark: Document,
        push: Mapping[str, Any] | None = None,
    ) -> bool:
        """One conditional update; True also when an earlier try left its mark already."""
        update = {"$set": to_bson(changes)} | ({"$push": to_bson(push)} if push else {})

        def attempt() -> bool:
            if self._collection.update_one(condition, update).matched_count == 1:
                return True
            return self._collection.find_one({"_id": condition["_id"], **mark}) is not None

        return self._server.call(attempt)

    def change_claimed(self, claim: Claim, changes: Mapping[str, Any]) -> bool:
        """Change the job of a claim; False when the claim is lost. The call may be repeated."""
        update = {"$set": to_bson(changes)}
        result = self._server.call(lambda: self._collection.update_one(held_by(claim), update))
        return result.matched_count == 1

    def change_all(self, condition: Document, changes: Mapping[str, Any]) -> None:
        self._server.call(lambda: self._collection.update_many(condition, {"$set": changes}))

    def remove(self, job_id: int) -> None:
        self._server.call(lambda: self._collection.delete_one({"_id": job_id}))

    def drop(self) -> None:
        self._server.call(self._collection.drop)


# --- documents ---


def job_of(document: Document) -> Job:
    return records.job_from_record(from_bson(document["_id"]), from_bson(document))


def job_point_of(document: Document) -> JobPoint:
    status = JobStatus(document["status"])
    return JobPoint(
        records.checked_id(document["_id"]),
        status,
        records.checked_point(document["point"]),
        records.result_from_record(document["result"]),
        records.seconds_of(document["started"], document["ended"]),
        records.is_void_record(status, document["failures"]),
    )


def damage_of(document: Document) -> records.Damage | None:
    try:
        job_of(document)
    except DamagedJob as error:
        return records.Damage.of(document["_id"], error, document)
    return None


def process_changes(process: ProcessInfo) -> Document:
    """Changes of the known parts, each by itself: an unknown one stays as it was written before."""
    return {f"process.{name}": value for name, value in records.process_record(process).items()}


def held_by(claim: Claim) -> Document:
    """The condition that the claim still holds the job."""
    return {"_id": claim.job_id, "token": claim.token, "status": JobStatus.PENDING.value}
