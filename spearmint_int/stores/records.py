"""Jobs as plain records, the form that both stores write; pure functions.

A record has only dicts, lists, strings, numbers, booleans and None, in the names of `Job`'s fields
(the result is called `result`, because VALUES is a keyword of SQL).
"""

from __future__ import annotations

import math
import uuid
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar

from spearmint_int import plain_json
from spearmint_int.errors import DamagedJob, JobNotFound, StoreError
from spearmint_int.jobs import (
    COUNTED_SOURCES,
    RESERVED,
    Claim,
    Failure,
    FailureKind,
    Job,
    JobDraft,
    JobStatus,
    ProcessInfo,
    Source,
    Tally,
    checked_values,
    is_void,
    seconds_between,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from spearmint_int.jobs import Values

T = TypeVar("T")
U = TypeVar("U")
Record = dict[str, Any]

# The exceptions that reading a damaged row may raise.
FAULTS = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
REMOVED = "highest-id-at-a-removal"  # the name of a store's meta value
LARGEST_ID = 2**63 - 1  # both databases refuse to compare with more
NUMBERS = frozenset({int, float})
NUMBER, MAYBE_NUMBER, MAYBE_TEXT = (int, float), (int, float, NoneType), (str, NoneType)
TYPES: dict[str, type | tuple[type, ...]] = {
    "params": dict,
    "provenance": dict,
    "resource": str,
    "tasks": list,
    "failures": list,
    "attempts": int,
    "created": NUMBER,
    "started": MAYBE_NUMBER,
    "ended": MAYBE_NUMBER,
    "lease_owner": MAYBE_TEXT,
    "lease_expires": MAYBE_NUMBER,
    "token": MAYBE_TEXT,
}
TIMES = ("created", "started", "ended")
LATEST_TIME = 1e11  # the year 5138: a later time is damage, and may be beyond every calendar


@dataclass(frozen=True)
class Damage:
    """A job that can't be read: its number, why, and the status and resource that its row has."""

    job_id: int
    sentence: str
    status: str | None = None
    resource: str | None = None

    @classmethod
    def of(cls, job_id: int, error: DamagedJob, record: Mapping[str, Any]) -> Damage:
        known = (record.get(name) for name in ("status", "resource"))
        return cls(job_id, str(error), *(text if isinstance(text, str) else None for text in known))


def plain(value: Any, place: str = "value") -> Any:
    """The value as JSON has it; StoreError names the place of one that JSON does not have."""
    try:
        return plain_json.plain(value)
    except TypeError:
        culprit, kind = _culprit(value, place)
        raise StoreError(f"{culprit}: a {kind} can't be stored; use JSON values") from None


def _culprit(value: Any, place: str) -> tuple[str, str]:
    """The place of the first value that JSON doesn't have, and its type."""
    if isinstance(value, dict):
        parts = [(item, f"{place}.{key}") for key, item in value.items()]
    elif isinstance(value, (list, tuple)):
        parts = [(item, f"{place}[{i}]") for i, item in enumerate(value)]
    else:
        return place, type(value).__name__
    return next(_culprit(item, where) for item, where in parts if not _is_storable(item))


def _is_storable(value: Any) -> bool:
    try:
        plain_json.plain(value)
    except TypeError:
        return False
    return True


def new_record(draft: JobDraft, *, now: float) -> Record:
    """The record of a draft, still without an id."""
    return {
        "status": JobStatus.NEW.value,
        "point": list(draft.point),
        "result": None,
        "params": plain(draft.params, "params"),
        "source": draft.source.value,
        "resource": draft.resource,
        "tasks": list(draft.tasks),
        "attempts": 0,
        "created": now,
        "started": None,
        "ended": None,
        "lease_owner": None,
        "lease_expires": None,
        "token": None,
        "process": None,
        "failures": [],
        "provenance": plain(draft.provenance, "provenance"),
    }


def complete_record(draft: JobDraft, values: Mapping[str, float], *, now: float) -> Record:
    """The record of a result that was computed elsewhere."""
    return new_record(draft, now=now) | completed(values, ended=now)


def claimed(owner: str, *, lease_seconds: float, resource: str | None, now: float) -> Record:
    """The changes of a claim, but for the number of attempts.

    A reserved point has no start: it is claimed when a person brings its result, and nobody knows
    when its evaluation began.
    """
    is_run = resource is None or not resource.startswith(RESERVED)
    return {
        "status": JobStatus.PENDING.value,
        "lease_owner": owner,
        "lease_expires": now + lease_seconds,
        "token": uuid.uuid4().hex,
        "started": now if is_run else None,
        "ended": None,
        "process": {},
    }


def attached(now: float, *, lease_seconds: float | None, begins: bool) -> Record:
    """The changes of `Store.attach`, beside the process."""
    lease = {} if lease_seconds is None else {"lease_expires": now + lease_seconds}
    return lease | ({"started": now} if begins else {})


def completed(values: Mapping[str, float], *, ended: float) -> Record:
    """The changes of a result."""
    return {
        "status": JobStatus.COMPLETE.value,
        "result": result_record(values),
        "ended": ended,
    }


def settled(claim: Claim, outcome: str) -> Record:
    """The changes at the end of a claim; by the mark in `settled` a repeated call is recognised."""
    mark = f"{outcome} {claim.token}"
    return {"token": None, "lease_owner": None, "lease_expires": None, "settled": mark}


def retried() -> Record:
    """The changes that make a broken job new."""
    return {
        "status": JobStatus.NEW.value,
        "attempts": 0,
        "started": None,
        "ended": None,
        "token": None,
    }


def result_record(values: Mapping[str, float]) -> Record:
    """A result, with NaN as None."""
    result: Record = plain(checked_values(values))
    return result


def result_from_record(result: Mapping[str, float | None] | None) -> Values | None:
    """The inverse of `result_record`; None when there is no result yet."""
    if result is None:
        return None
    return {task: math.nan if value is None else float(value) for task, value in result.items()}


def failure_record(failure: Failure) -> Record:
    """A failure, its kind as text."""
    record: Record = plain(asdict(failure) | {"kind": failure.kind.value})
    return record


def is_void_record(status: JobStatus, failures: list[Mapping[str, Any]]) -> bool:
    """`Job.is_void`, from the parts of a record that it depends on."""
    return is_void(status, [FailureKind(failure["kind"]) for failure in failures])


def process_record(process: ProcessInfo) -> Record:
    """The known parts of a process, by their names."""
    return {name: value for name, value in asdict(process).items() if value is not None}


def lost_worker(job: Job) -> Failure:
    """The failure of a job whose lease ended."""
    host = job.process.host if job.process else None
    host = host or str(job.lease_owner).partition(":")[0]  # of the manager, which names itself so
    message = f"the worker on {host} was lost: it stopped renewing its lease"
    return Failure(kind=FailureKind.LOST_WORKER, message=message)


def checked_id(job_id: Any) -> int:
    """The id of a row or document; ValueError for one that no store has given."""
    if not isinstance(job_id, int | float) or job_id < 1 or job_id != int(job_id):
        raise ValueError(f"its id must be a whole number from 1 on, got {job_id!r}")
    return int(job_id)


def possible_id(job_id: Any) -> Any:
    """The id, to ask a database for; JobNotFound for one that no database could hold."""
    if isinstance(job_id, int) and job_id > LARGEST_ID:
        raise no_such_job(job_id)
    return job_id


def no_such_job(job_id: int) -> JobNotFound:
    return JobNotFound(f"there is no job {job_id}; `spearmint-int jobs` lists them")


def already_there(job_id: int) -> StoreError:
    return StoreError(f"job {job_id} is there already")


def not_broken(job_id: int, status: str) -> StoreError:
    return StoreError(f"job {job_id} is {status}: only a broken job can be retried")


@contextmanager
def reading(job_id: object) -> Iterator[None]:
    """A context whose faults become DamagedJob: somebody has edited the row, or the disk failed."""
    try:
        yield
    except KeyError as error:
        raise DamagedJob(_damage(job_id, f"{error.args[0]} is missing")) from error
    except FAULTS as error:
        raise DamagedJob(_damage(job_id, str(error))) from error


def readable(read: Callable[[T], U], rows: Iterable[T]) -> list[U]:
    """The rows as `read` reads them; damaged ones are left out."""
    found = []
    for row in rows:
        try:
            found.append(read(row))
        except (DamagedJob, *FAULTS):  # noqa: PERF203 (a context manager would cost more)
            continue
    return found


def _damage(job_id: object, reason: str) -> str:
    return f"job {job_id} can't be read: {reason}; 'spearmint-int repair' shows and mends it"


def checked_point(point: Any) -> tuple[float, ...]:
    """A point of the unit cube; ValueError for anything else."""
    if not isinstance(point, list) or not NUMBERS.issuperset(map(type, point)):
        raise ValueError(f"point must be a list of numbers, got {str(point)[:60]}")
    # By the sum too: min and max may pass over a NaN.
    if point and not (min(point) >= 0.0 and max(point) <= 1.0 and sum(point) <= len(point)):
        raise ValueError(f"point must have numbers from 0 to 1, got {str(point)[:60]}")
    return tuple(map(float, point))


def _check_types(record: Mapping[str, Any]) -> None:
    for name, types in TYPES.items():
        if not isinstance(record[name], types):
            raise ValueError(f"{name} is {str(record[name])[:60]!r}")
    for name in TIMES:
        check_time(name, record[name])


def check_time(name: str, seconds: float | None) -> None:
    """Raise ValueError for what can't be seconds since 1970."""
    if seconds is not None and not 0.0 <= seconds <= LATEST_TIME:
        raise ValueError(f"{name} is {seconds}, which is not a time")


def seconds_of(started: float | None, ended: float | None) -> float | None:
    """How long a job took, None where that is not known; ValueError for impossible times."""
    check_time("started", started)
    check_time("ended", ended)
    return seconds_between(started, ended)


def job_from_record(job_id: int, record: Mapping[str, Any]) -> Job:
    """The job of a record that came out of a store; DamagedJob when it can't be read."""
    with reading(job_id):
        _check_types(record)
        return _job(checked_id(job_id), record)


def _job(job_id: int, record: Mapping[str, Any]) -> Job:
    process = record["process"]
    return Job(
        id=job_id,
        status=JobStatus(record["status"]),
        params=record["params"],
        point=checked_point(record["point"]),
        source=Source(record["source"]),
        provenance=record["provenance"],
        resource=record["resource"],
        tasks=tuple(record["tasks"]),
        created=record["created"],
        started=record["started"],
        ended=record["ended"],
        attempts=record["attempts"],
        values=result_from_record(record["result"]),
        failures=tuple(Failure(**failure) for failure in record["failures"]),
        lease_owner=record["lease_owner"],
        lease_expires=record["lease_expires"],
        token=record["token"],
        process=ProcessInfo(**process) if process else None,
    )


def tally_of(
    rows: Iterable[tuple[Any, Any, Any, int]], resources: Iterable[str], *, last_id: int
) -> Tally:
    """The tally of rows (resource, source, status, number), with the budgets of these resources.

    A row with an unknown status does not count.
    """
    counts = dict.fromkeys(JobStatus, 0)
    budgets = {resource: dict.fromkeys(JobStatus, 0) for resource in resources}
    known = {status.value: status for status in JobStatus}
    for resource, source, text, number in rows:
        status = known.get(text) if isinstance(text, str) else None
        if status is not None:
            counts[status] += number
            if source in COUNTED_SOURCES and resource in budgets:
                budgets[resource][status] += number
    return Tally(counts, budgets, last_id)
