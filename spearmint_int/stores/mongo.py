"""The job store in MongoDB, for several machines: collections `<experiment>.jobs` and so on.

Every change is one conditional update of one document, which MongoDB does atomically: neither
transactions nor a replica set are needed. Operations are those of MongoDB 4.4. When the connection
breaks, nobody knows whether the last change was applied: changes therefore leave a mark (`added`,
`token`, `settled`) by which the repeated call recognises its own first try.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from bson import json_util
from pymongo.errors import DuplicateKeyError

from spearmint_int.errors import (
    StoreError,
    StoreMissing,
    StoreVersionError,
)
from spearmint_int.jobs import (
    FINISHED,
    Claim,
    Failure,
    Job,
    JobDraft,
    JobPoint,
    JobStatus,
    ProcessInfo,
    Tally,
    status_after_failure,
)
from spearmint_int.stores import records
from spearmint_int.stores.clock import StoreClock
from spearmint_int.stores.mongo_documents import NamedValues, from_bson
from spearmint_int.stores.mongo_jobs import (
    JobCollection,
    damage_of,
    held_by,
    job_of,
    job_point_of,
    process_changes,
)
from spearmint_int.stores.mongo_server import (
    PATIENCE_SECONDS,
    Document,
    MongoServer,
    refuse_names,
)
from spearmint_int.stores.protocol import LONGEST_LOCK_SECONDS, SCHEMA_VERSION
from spearmint_int.stores.sqlite import SQLiteStore

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from spearmint_int.stores.address import StoreAddress

SCHEMA_NAME = "schema-version"

# The fields of a job in a backup: all but the marks by which a repeated call is recognised.
RECORD_NAMES = tuple(records.new_record(JobDraft({}, ()), now=0.0))

# A claim looks at this many of the lowest new jobs at once.
CANDIDATES = 8


def open_mongo(place: StoreAddress, *, create: bool, patience: float | None) -> MongoStore:
    """The store of an experiment on a server."""
    return MongoStore(
        place.address or "",
        database=place.database_name,
        experiment=place.experiment_name,
        create=create,
        patience=PATIENCE_SECONDS if patience is None else patience,
    )


class MongoStore:
    """A `Store` in the collections of one experiment; any number of machines share it."""

    def __init__(
        self,
        address: str,
        *,
        database: str,
        experiment: str,
        create: bool = True,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        refuse_names(database, experiment)
        self._server = MongoServer(address, patience=patience)
        self._clock = StoreClock(self._server.local_time)
        self._clock.sync(self._server.check)
        self.location = f"{self._server.address}, database {database}, experiment {experiment}"
        try:
            jobs = self._server.collection(database, f"{experiment}.jobs")
            self._jobs = JobCollection(self._server, jobs)
            self._locks = self._server.collection(database, f"{experiment}.locks")
            self._chains = self._values(database, f"{experiment}.chains")
            self._meta = self._values(database, f"{experiment}.meta")
            self._prepare(create=create)
            self._jobs.removed = int(self._meta.load(records.REMOVED) or 0)
        except BaseException:
            self._server.close()
            raise

    def _values(self, database: str, name: str) -> NamedValues:
        return NamedValues(self._server, self._server.collection(database, name))

    def _prepare(self, *, create: bool) -> None:
        version = self._meta.load(SCHEMA_NAME)
        if version is None:
            self._check_unused()
            if not create:
                raise StoreMissing(f"{self.location}: no jobs yet; `spearmint-int run` makes some")
            self._jobs.make_index()
            version = self._meta.first(SCHEMA_NAME, SCHEMA_VERSION)
        if isinstance(version, int) and 0 < version < SCHEMA_VERSION:
            version = self._migrated()
        if version != SCHEMA_VERSION:
            raise StoreVersionError(
                f"{self.location}: has schema version {version}, this program needs "
                f"{SCHEMA_VERSION}; use the version of spearmint-int that wrote it, or another name"
            )

    def _migrated(self) -> int:
        """Migrate from 1 to 2: a pending job has an object for its process, which manager and
        worker fill in part by part."""
        old = {"status": JobStatus.PENDING.value, "process": None}
        self._jobs.change_all(old, {"process": {}})
        self._meta.save(SCHEMA_NAME, SCHEMA_VERSION)
        return SCHEMA_VERSION

    def _check_unused(self) -> None:
        # Spearmint itself keeps its jobs under the same name, in another form.
        if not self._jobs.is_empty():
            raise StoreVersionError(
                f"{self.location}: holds jobs of another program (Spearmint's own?); choose another"
                " experiment-name or database.name"
            )

    def _check_still_there(self) -> None:
        # A job without the rest of its experiment would be taken for another program's.
        if self._meta.load(SCHEMA_NAME) is None:
            raise StoreError(f"{self.location}: was deleted while in use; start again")

    def now(self) -> float:
        return self._clock.now()

    # --- jobs come in ---

    def add(
        self, draft: JobDraft, *, limit: int | None = None, after: int | None = None
    ) -> Job | None:
        record = records.new_record(draft, now=self.now())

        def permitted(last: int) -> bool:
            if not after:  # else a job was there just now, and with it the experiment
                self._check_still_there()
            # Ids begin at 1: up to `last` there can't be more jobs than that.
            return limit is None or last < limit or self._counted(draft.resource) < limit

        added = self._jobs.insert([record], permitted=permitted, after=after)
        return added[0] if added else None

    def _counted(self, resource: str) -> int:
        return sum(self.tally([resource]).budgets[resource].values())

    def add_complete(self, draft: JobDraft, values: Mapping[str, float]) -> Job:
        return self.add_all_complete([(draft, values)])[0]

    def add_all_complete(
        self, results: Sequence[tuple[JobDraft, Mapping[str, float]]]
    ) -> list[Job]:
        now = self.now()
        rows = [records.complete_record(draft, values, now=now) for draft, values in results]
        return self._jobs.insert(rows)

    # --- a worker's claim and how it ends ---

    def claim(self, owner: str, *, lease_seconds: float, resource: str | None = None) -> Job | None:
        unclaimed: Document = {"status": JobStatus.NEW.value}
        if resource is not None:
            unclaimed["resource"] = resource
        while candidates := self._jobs.find(unclaimed, limit=CANDIDATES):
            readable = [document for document in candidates if damage_of(document) is None]
            for document in readable:
                if job := self._take(document, owner, lease_seconds):
                    return job
            if not readable:
                unclaimed["_id"] = {"$gt": candidates[-1]["_id"]}
        return None

    def _take(self, document: Document, owner: str, lease_seconds: float) -> Job | None:
        """The job of a document that was seen as new; None when somebody else was faster."""
        taken = records.claimed(
            owner, lease_seconds=lease_seconds, resource=document["resource"], now=self.now()
        )
        taken["attempts"] = document["attempts"] + 1
        # Every way back to `new` leaves its own `settled`: with the same one, nothing has changed.
        seen = {key: document[key] for key in ("_id", "status", "settled")}
        if not self._jobs.update(seen, taken, mark={"token": taken["token"]}):
            return None
        return job_of({**document, **taken})

    def renew(self, claim: Claim, *, lease_seconds: float) -> bool:
        return self._jobs.change_claimed(claim, {"lease_expires": self.now() + lease_seconds})

    def attach(
        self,
        claim: Claim,
        process: ProcessInfo,
        *,
        lease_seconds: float | None = None,
        begins: bool = False,
    ) -> bool:
        changes = process_changes(process)
        changes |= records.attached(self.now(), lease_seconds=lease_seconds, begins=begins)
        return self._jobs.change_claimed(claim, changes)

    def complete(
        self, claim: Claim, values: Mapping[str, float], *, seconds_ago: float = 0.0
    ) -> bool:
        finished = records.completed(values, ended=self._clock.moment(seconds_ago))
        # `expire` leaves the token: a late result counts until the next claim takes the job over.
        ours = {"_id": claim.job_id, "token": claim.token}
        return self._settle(ours, claim, "complete", finished)

    def fail(
        self, claim: Claim, failure: Failure, *, max_attempts: int, seconds_ago: float = 0.0
    ) -> JobStatus | None:
        status = status_after_failure(claim.attempts, max_attempts)
        push = {"failures": records.failure_record(failure)}
        changes = self._failed(status, seconds_ago)
        settled = self._settle(held_by(claim), claim, "fail", changes, push=push)
        return status if settled else None

    def release(self, claim: Claim, *, failure: Failure | None = None) -> bool:
        back = {"status": JobStatus.NEW.value, "attempts": claim.attempts - 1}
        push = None if failure is None else {"failures": records.failure_record(failure)}
        return self._settle(held_by(claim), claim, "release", back, push=push)

    def expire(self, now: float, *, max_attempts: int) -> list[Job]:
        lost = {"status": JobStatus.PENDING.value, "lease_expires": {"$lt": now}}
        lost_jobs = records.readable(job_of, self._jobs.find(lost))
        return [job for job in lost_jobs if self._take_back(job, max_attempts)]

    def _take_back(self, job: Job, max_attempts: int) -> bool:
        mark = f"expire {uuid.uuid4().hex}"
        changes = {
            **self._failed(status_after_failure(job.attempts, max_attempts)),
            "lease_owner": None,
            "lease_expires": None,
            "settled": mark,
        }
        push = {"failures": records.failure_record(records.lost_worker(job))}
        # Only while the lease is the one that was read: a renewal in between wins.
        return self._jobs.update(
            {**held_by(job.claim), "lease_expires": job.lease_expires},
            changes,
            push=push,
            mark={"settled": mark},
        )

    def retry(self, job_id: int) -> Job:
        mark = f"retry {uuid.uuid4().hex}"
        broken = {"_id": records.possible_id(job_id), "status": JobStatus.BROKEN.value}
        anew = records.retried() | {"settled": mark}
        if self._jobs.update(broken, anew, mark={"settled": mark}):
            return self.job(job_id)
        raise records.not_broken(job_id, self.job(job_id).status)

    def _settle(
        self,
        condition: Document,
        claim: Claim,
        outcome: str,
        changes: Mapping[str, Any],
        push: Mapping[str, Any] | None = None,
    ) -> bool:
        """End the job's claim."""
        ended = records.settled(claim, outcome)
        mark = {"settled": ended["settled"]}
        if self._jobs.update(condition, {**changes, **ended}, push=push, mark=mark):
            return True
        self.job(claim.job_id)  # raises JobNotFound when the whole job is gone
        return False

    def _failed(self, status: JobStatus, seconds_ago: float = 0.0) -> Document:
        ended = self._clock.moment(seconds_ago) if status is JobStatus.BROKEN else None
        return {"status": status.value, "ended": ended}

    # --- reading ---

    def job(self, job_id: int) -> Job:
        return job_of(self._jobs.document(job_id))

    def jobs(
        self, status: JobStatus | None = None, *, after_id: int = 0, limit: int | None = None
    ) -> list[Job]:
        if limit == 0:  # which means "no limit" to MongoDB
            return []
        wanted: Document = {"_id": {"$gt": after_id}}
        if status is not None:
            wanted["status"] = status.value
        return records.readable(job_of, self._jobs.find(wanted, limit=limit or 0))

    def job_points(self, statuses: Collection[JobStatus] = FINISHED) -> list[JobPoint]:
        wanted = {"status": {"$in": [status.value for status in statuses]}}
        read = ("status", "point", "result", "started", "ended", "failures.kind")
        fields = dict.fromkeys(read, 1)
        # All statuses are read by the index on ids: a job that changes its status meanwhile is
        # still met exactly once.
        index = "_id_" if set(statuses) == set(JobStatus) else None
        documents = self._jobs.find(wanted, fields=fields, index=index)
        return records.readable(job_point_of, documents)

    def tally(self, resources: Collection[str] = ()) -> Tally:
        return self._jobs.tally(resources)

    def last_id(self) -> int:
        return self._jobs.last_id()

    # --- repair and backup ---

    def damaged(self) -> list[records.Damage]:
        return [damage for one in self._jobs.find({}) if (damage := damage_of(one)) is not None]

    def raw(self, job_id: int) -> dict[str, Any]:
        raw: dict[str, Any] = json.loads(json_util.dumps(self._jobs.document(job_id)))
        return raw

    def remove(self, job_id: int) -> None:
        self._jobs.removed = self._jobs.last_id()
        self._meta.save(records.REMOVED, self._jobs.removed)
        self._jobs.remove(job_id)

    def put_back(self, raw: Mapping[str, Any]) -> None:
        with records.reading(raw.get("_id")):
            document = json_util.loads(json.dumps(raw))
            job_of(document)
        self._jobs.insert_as_it_is(document)

    def backup(self, path: Path) -> None:
        copy = SQLiteStore(path)
        for document in self._jobs.find({}):
            if damage_of(document) is None:
                record = from_bson(document)
                copy.put_record(record.pop("_id"), {name: record[name] for name in RECORD_NAMES})
        for name, value in self._meta.all().items():
            copy.save_meta(name, value)
        for name, value in self._chains.all().items():
            copy.save_chain(name, value)
        copy.close()

    # --- the experiment's other state ---

    def save_chain(self, name: str, chain: Mapping[str, Any]) -> None:
        self._chains.save(name, dict(chain))

    def load_chain(self, name: str) -> dict[str, Any] | None:
        chain: dict[str, Any] | None = self._chains.load(name)
        return chain

    def save_meta(self, name: str, value: Any) -> None:
        self._meta.save(name, value)

    def first_meta(self, name: str, value: Any) -> Any:
        return self._meta.first(name, value)

    def load_meta(self, name: str) -> Any | None:
        return self._meta.load(name)

    def lock(self, name: str, owner: str, *, seconds: float) -> bool:
        now = self.now()
        ended = [{"expires": {"$lte": now}}, {"expires": {"$gt": now + LONGEST_LOCK_SECONDS}}]
        free = {"_id": name, "$or": [{"owner": owner}, *ended]}
        held = {"$set": {"owner": owner, "expires": now + seconds}}

        def attempt() -> bool:
            try:
                self._locks.update_one(free, held, upsert=True)
            except DuplicateKeyError:  # there is one, and it is not free
                return False
            return True

        return self._server.call(attempt)

    def unlock(self, name: str, owner: str) -> None:
        self._server.call(lambda: self._locks.delete_one({"_id": name, "owner": owner}))

    def lock_holder(self, name: str) -> str | None:
        now = self.now()
        held = {"_id": name, "expires": {"$gt": now, "$lte": now + LONGEST_LOCK_SECONDS}}
        lock = self._server.call(lambda: self._locks.find_one(held))
        return None if lock is None else str(lock["owner"])

    def close(self) -> None:
        self._server.close()

    def destroy(self) -> None:
        # The schema goes last: what is left after a fault is still recognised as ours.
        self._jobs.drop()
        self._server.call(self._locks.drop)
        self._chains.drop()
        self._meta.drop()
        self.close()
