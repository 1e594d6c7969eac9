"""The connection to a MongoDB server: addresses, short outages, and what its faults mean."""

from __future__ import annotations

import random
import re
import time
from contextlib import contextmanager, suppress
from datetime import timezone
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import pymongo
from bson.errors import BSONError
from pymongo import errors as faults
from pymongo.uri_parser import parse_uri

from spearmint_int.errors import StoreError, StoreUnavailable
from spearmint_int.stores.address import shown_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pymongo.collection import Collection

T = TypeVar("T")
Document = dict[str, Any]

# An outage is waited for this long: a restart of the server, or a new primary, takes less.
PATIENCE_SECONDS = 60.0
# The pause before the first repeat; it doubles up to the last one, with jitter so that the workers
# don't all come back at the same moment.
FIRST_PAUSE = 0.05
LAST_PAUSE = 2.0

# Options that we set where the address does not: how long one try may take, and plain polling of
# the server, since a streaming monitor notices only after 10 s that a stepped-down server is back.
OPTIONS: dict[str, Any] = {
    "serverSelectionTimeoutMS": 5_000,
    "connectTimeoutMS": 5_000,
    "socketTimeoutMS": 20_000,
    "heartbeatFrequencyMS": 2_000,
    "serverMonitoringMode": "poll",
    # Acknowledged means on the disks of most servers: a result must outlive a crash of any of them.
    "w": "majority",
    "journal": True,
    "readConcernLevel": "majority",
}
# Options that an address may set to no other values than these.
STRONG_OPTIONS: dict[str, tuple[Any, ...]] = {
    "w": ("majority",),
    "journal": (True,),
    "readconcernlevel": ("majority", "linearizable"),
    "readpreference": ("primary",),
}
# The limits of MongoDB's names, in bytes, and how much of one is shown.
LONGEST_DATABASE_NAME = 63
LONGEST_NAMESPACE = 255
SHOWN_NAME = 40
COLLECTIONS = ("jobs", "locks", "chains", "meta")
ESCAPE = (
    "write mongodb://user:password@host:port, and in the password %3A for ':', %2F for '/', "
    "%40 for '@', %25 for '%'"
)

# Server errors that pass by themselves: shutting down, stepping down, interrupted, conflicts.
PASSING_CODES = frozenset(
    {6, 7, 50, 64, 89, 91, 112, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436}
)
OUT_OF_DISK = 14031  # a run waits for room as it does for a server
# Other server errors that have a remedy.
REMEDIES = {
    13: "the user may not do this: give it the role readWrite on the database",
    18: "the server refused the user or password: check those in the address",
    8000: "the server refused the user or password: check those in the address",
    10334: "a job's parameters and provenance can't be stored: together they exceed 16 MB",
    OUT_OF_DISK: "the server's disk is full: free some space",
}
LONGEST_TEXT = 300  # of a server's own message, which may quote a whole document


class MongoServer:
    """One client, whose calls outlast a short outage and whose faults are StoreErrors."""

    def __init__(
        self, address: str, *, patience: float = PATIENCE_SECONDS, connect: bool = True
    ) -> None:
        uri = as_uri(address)
        self.address = shown_address(uri)
        self._has_credentials = "@" in uri or "…" in self.address
        self._patience = patience
        with self._explained():
            refuse_weak_options(uri)
            self.client: pymongo.MongoClient[Document] = pymongo.MongoClient(
                uri, appname="spearmint-int", connect=connect, **default_options(uri)
            )

    def check(self) -> float:
        """Reach the server once, and return its `local_time`.

        Without patience: at the start, a wrong address is likelier than an outage.
        """
        try:
            with self._explained():
                return self._hello()
        except StoreError:
            self.client.close()
            raise

    def local_time(self) -> float:
        """The server's own clock."""
        return self.call(self._hello)

    def _hello(self) -> float:
        told = self.client.admin.command("hello")["localTime"]
        return float(told.replace(tzinfo=timezone.utc).timestamp())

    def collection(self, database: str, name: str) -> Collection[Document]:
        """The collection of this name; StoreError when MongoDB does not allow the name."""
        with self._explained():
            return self.client[database][name]

    def experiments(self, database: str | None = None) -> list[tuple[str, str]]:
        """Database and name of every experiment in a database, or in all that we may read."""
        suffix = ".meta"  # of the collection that each has
        wanted = {"name": {"$regex": re.escape(suffix) + "$"}}
        found = []
        for name in [database] if database else self.call(self.client.list_database_names):
            listing = partial(self.client[name].list_collection_names, filter=wanted)
            found += [(name, each.removesuffix(suffix)) for each in sorted(self.call(listing))]
        return found

    def call(self, operation: Callable[[], T]) -> T:
        """The operation's answer, repeated with growing pauses while the server can't be reached.

        A try whose answer got lost may have been applied: a second run must do no harm.
        """
        give_up = time.monotonic() + self._patience
        pause = FIRST_PAUSE
        while True:
            try:
                with self._explained():
                    return operation()
            except StoreUnavailable:
                if time.monotonic() + pause > give_up:
                    raise
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, LAST_PAUSE)

    def close(self) -> None:
        """Close the client; a second time does nothing."""
        self.client.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except faults.PyMongoError as fault:
            raise self._explanation(fault) from fault
        except (BSONError, UnicodeError) as fault:  # too large, or a name with a zero byte
            raise StoreError(f"{self.address}: a value can't be stored: {fault}") from fault

    def _explanation(self, fault: faults.PyMongoError) -> StoreError:
        if isinstance(fault, faults.InvalidOperation) and "close" in str(fault):
            return StoreError(f"{self.address}: the store is closed")
        if isinstance(fault, (faults.InvalidURI, faults.ConfigurationError)):
            # pymongo's text may quote what it took for a port, which may be a password.
            reason = ESCAPE if self._has_credentials else str(fault)
            return StoreError(f"{self.address}: not a usable database address: {reason}")
        if is_passing(fault):
            return StoreUnavailable(
                f"{self.address}: no MongoDB server answers ({_brief(fault)}); start it, or correct"
                " database.address in the config or SPEARMINT_DB_ADDRESS, or leave the address out"
                " to use the embedded database"
            )
        remedy = next((REMEDIES[code] for code in _codes(fault) if code in REMEDIES), None)
        kind = StoreUnavailable if OUT_OF_DISK in _codes(fault) else StoreError
        return kind(f"{self.address}: {remedy or f'MongoDB failed: {_brief(fault)}'}")


def rehearse(address: str) -> None:
    """Load all that a client needs, for processes that are forked from this one: by making a client
    that connects to nothing."""
    with suppress(StoreError):  # whoever opens the store reports it
        MongoServer(address, connect=False).close()


def is_passing(fault: faults.PyMongoError) -> bool:
    """Whether waiting may mend the fault: no connection, or a server that stops or starts."""
    if isinstance(fault, (faults.ConnectionFailure, faults.WTimeoutError)):
        return True
    return not PASSING_CODES.isdisjoint(_codes(fault))


def _codes(fault: faults.PyMongoError) -> list[int]:
    """The server's error codes: one, or those of the documents of an insert."""
    if isinstance(fault, faults.BulkWriteError):
        details = fault.details
        return [one["code"] for one in details["writeErrors"] + details["writeConcernErrors"]]
    if isinstance(fault, faults.OperationFailure) and fault.code is not None:
        return [fault.code]
    return []


def default_options(uri: str) -> dict[str, Any]:
    """Our options, without those that the address sets itself."""
    given = _given_options(uri)
    return {name: value for name, value in OPTIONS.items() if name.lower() not in given}


def refuse_weak_options(address: str) -> None:
    """StoreError when the address asks for less than the store promises."""
    for name, value in _given_options(as_uri(address)).items():
        strong = STRONG_OPTIONS.get(name)
        if strong is not None and value not in strong and str(value).lower() not in strong:
            raise StoreError(
                f"{shown_address(as_uri(address))}: the option {name}={value} weakens what is "
                f"promised about results; leave it out (it is {strong[0]})"
            )


def refuse_names(database: str, experiment: str) -> None:
    """StoreError for names that no server can hold, before half of an experiment is on it."""
    size = len(database.encode("utf-8", "surrogatepass"))
    if size > LONGEST_DATABASE_NAME or any(c in database for c in '/\\. "$*<>:|?\0'):
        raise StoreError(
            f"database.name: {database[:SHOWN_NAME]!r} can't be a database of MongoDB; choose at "
            f"most {LONGEST_DATABASE_NAME} bytes (it has {size}) without space and punctuation"
        )
    names = [f"{experiment}.{collection}" for collection in COLLECTIONS]
    size = max(len(f"{database}.{name}".encode("utf-8", "surrogatepass")) for name in names)
    if size > LONGEST_NAMESPACE:
        raise StoreError(
            f"experiment-name: {experiment[:SHOWN_NAME]!r}… is too long for MongoDB, whose names "
            f"have at most {LONGEST_NAMESPACE} bytes; shorten it by {size - LONGEST_NAMESPACE}"
        )
    dots = experiment.startswith((".", "system.")) or ".." in names[0]
    if dots or "$" in experiment or "\0" in experiment:
        raise StoreError(
            f"experiment-name: {experiment!r} can't be a collection of MongoDB; choose one without "
            "'$', NUL, '..', a '.' at its ends, and 'system.' at its beginning"
        )


@cache
def _given_options(uri: str) -> dict[str, Any]:
    try:
        options = parse_uri(uri, warn=False)["options"]
    except faults.PyMongoError:
        raise
    except (ValueError, TypeError) as error:  # the parser's own answer to some addresses
        raise faults.InvalidURI(str(error)) from error
    return {name.lower(): value for name, value in options.items()}


def as_uri(address: str) -> str:
    """A URI from what users write: a URI, a host, or host:port."""
    return address if "://" in address else f"mongodb://{address}"


def _brief(fault: faults.PyMongoError) -> str:
    # pymongo's own text goes on with timeouts and a dump of the topology.
    text = str(fault).split(" (configured timeouts")[0].split(", Timeout:")[0]
    return text.split(", full error:")[0][:LONGEST_TEXT]
