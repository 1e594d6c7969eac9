"""Jobs into MongoDB under the ids 1, 2, 3, …, without a counter.

A writer reads the last id and inserts the next one; if somebody was faster, the unique index on
`_id` refuses it, and it starts over. So there are no gaps, and what was checked after reading the
last id (a limit) still holds when the insert succeeds, since jobs are never deleted. A counter
would leave a gap, and lose a piece of the budget, when a manager dies between counting and
inserting.
"""

from __future__ import annotations

import random
import time
import uuid
from typing import TYPE_CHECKING

from pymongo import DESCENDING
from pymongo.errors import BulkWriteError

from spearmint_int.stores.mongo_documents import to_bson
from spearmint_int.stores.records import Record, job_from_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pymongo.collection import Collection

    from spearmint_int.jobs import Job
    from spearmint_int.stores.mongo_server import Document, MongoServer

DUPLICATE_KEY = 11000
JOBS: Document = {"_id": {"$type": "number"}}  # and not what somebody else put among them

# Many results are inserted in batches of this size: few round trips, each far below the 48 MB that
# a message may have.
BATCH = 500

# The longest pause of a writer that was too slow; an insert takes a few milliseconds.
PAUSE_SECONDS = 0.02


def insert_next(
    server: MongoServer,
    jobs: Collection[Document],
    rows: Sequence[Record],
    *,
    removed: int,
    permitted: Callable[[int], bool] = lambda _: True,
    after: int | None = None,
) -> list[Job]:
    """Insert the rows under the next ids, in order, while permitted; the jobs that were added.

    `removed` is the highest id that was in use at a removal, 0 without one. `permitted` is asked
    with the last id in use. With `after` nothing is added unless that is the last id in use.
    """
    added: list[Job] = []
    while len(added) < len(rows):
        last = max(server.call(lambda: last_id(jobs)), removed)
        if (after is not None and last != after) or not permitted(last):
            break
        batch = dict(enumerate(rows[len(added) : len(added) + BATCH], start=last + 1))
        number = _insert_as(server, jobs, batch)
        added += [job_from_record(i, batch[i]) for i in range(last + 1, last + number + 1)]
        if number < len(batch):
            time.sleep(random.uniform(0.0, PAUSE_SECONDS))
    return added


def last_id(jobs: Collection[Document]) -> int:
    """The highest id that is in use, 0 without one."""
    last = jobs.find_one(JOBS, {"_id": 1}, sort=[("_id", DESCENDING)])
    return 0 if last is None else int(last["_id"])


def _insert_as(server: MongoServer, jobs: Collection[Document], batch: Mapping[int, Record]) -> int:
    """Insert rows under their ids until one is taken by somebody else; how many were added."""
    mark = uuid.uuid4().hex
    documents = [
        to_bson({"_id": job_id, **row, "settled": None, "added": mark})
        for job_id, row in batch.items()
    ]

    def attempt() -> int:
        try:
            return len(jobs.insert_many(documents, ordered=True).inserted_ids)
        except BulkWriteError as error:
            if [fault["code"] for fault in error.details["writeErrors"]] != [DUPLICATE_KEY]:
                raise
            # Taken by others; or by us, when the answer to the first try got lost.
            ours = {"_id": {"$gte": min(batch), "$lte": max(batch)}, "added": mark}
            return jobs.count_documents(ours)

    return server.call(attempt)
