"""What every job store promises; the contract suite in tests/stores holds each one to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from spearmint_int.jobs import FINISHED

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from spearmint_int.jobs import (
        Claim,
        Failure,
        Job,
        JobDraft,
        JobPoint,
        JobStatus,
        ProcessInfo,
        Tally,
    )
    from spearmint_int.stores.records import Damage

# The version of what the stores write. An older store is brought up to it when it is opened; a
# newer one is refused, never guessed at.
SCHEMA_VERSION = 2

LONGEST_LOCK_SECONDS = 3600.0


class Store(Protocol):
    """The jobs of one experiment, shared by any number of managers, threads and machines.

    Promises that hold for every method:

    - Each change is one atomic conditional update. It happens as a whole or not at all, whatever
      dies in the middle, and is on disk when the method returns.
    - Values come back as they went in: integers as integers, floats to the last bit, dicts in
      order. A non-finite number inside of provenance, chains or meta comes back as None; a
      non-finite result value comes back as NaN.
    - A fault of the database raises StoreError with one sentence; StoreUnavailable when it can't be
      reached although a short outage was waited for. Any call may be made again after either. A
      claim's end (`complete`, `fail`, `release`) that was applied after all is then recognised,
      not applied twice: repeat `complete` until it answers, and no computed result is lost. An
      `add` that was applied leaves its job, which counts; a lost `claim` comes back by `expire`.
    - Threads may share a store. A forked child opens its own.

    Times, leases and locks are measured with one clock, the store's own: it does not matter what
    the clocks of the machines show, and whether they are set.
    """

    @property
    def location(self) -> str:
        """Where the jobs are, for people: a path, or an address without its password."""

    def now(self) -> float:
        """The time by the store's clock: UTC seconds since 1970."""

    # --- jobs come in ---

    def add(
        self, draft: JobDraft, *, limit: int | None = None, after: int | None = None
    ) -> Job | None:
        """Store a new job under the next id: 1, 2, 3, …, without gaps, never used twice.

        With a limit the job is added only while fewer than `limit` jobs count for the draft's
        resource; None when it is not. Every job that was ever added by `add` counts, whatever
        became of it: broken jobs too, so that a run always ends. Results from elsewhere
        (`add_complete`) don't count. Managers that add at the same time never pass the limit.

        With `after` the job is added only if that is the last id; None when it is not. So a point
        that was chosen from old data (its manager was stopped for a while) is not stored.
        """

    def add_complete(self, draft: JobDraft, values: Mapping[str, float]) -> Job:
        """Store a result that was computed elsewhere, as a complete job with the next id."""

    def add_all_complete(
        self, results: Sequence[tuple[JobDraft, Mapping[str, float]]]
    ) -> list[Job]:
        """`add_complete` for many at once, in order. A fault may leave only the first of them."""

    # --- a worker's claim and how it ends ---

    def claim(self, owner: str, *, lease_seconds: float, resource: str | None = None) -> Job | None:
        """Take the new job with the lowest id: it becomes pending, with one attempt more.

        The methods below take `Job.claim` of the job that is returned. No job goes to two claims.
        None when there is no new job (for that resource).
        """

    def renew(self, claim: Claim, *, lease_seconds: float) -> bool:
        """Extend the claim's lease from now. False when the claim is lost: stop the work."""

    def attach(
        self,
        claim: Claim,
        process: ProcessInfo,
        *,
        lease_seconds: float | None = None,
        begins: bool = False,
    ) -> bool:
        """Write down what is known of the claim's process. False when the claim is lost.

        A part that is None stays as it was written before: submitter and worker each know some
        parts. A worker renews its lease with the same call, and says that it `begins` now where it
        has waited in a queue: the job's time counts from here.
        """

    def complete(
        self, claim: Claim, values: Mapping[str, float], *, seconds_ago: float = 0.0
    ) -> bool:
        """Store the claim's result. True when it is in the store, also by an earlier call.

        The job has ended `seconds_ago`: while the store was away, the result waited.
        A claim whose lease was lost may still complete while nobody else has claimed the job: a
        computed result is worth more than tidy states. False, and nothing changes, when another
        claim has the job or has finished it, or when this claim ended otherwise.
        """

    def fail(
        self, claim: Claim, failure: Failure, *, max_attempts: int, seconds_ago: float = 0.0
    ) -> JobStatus | None:
        """Keep the failure; the job is new again, or broken after `max_attempts` attempts.

        A broken job has ended `seconds_ago`, as with `complete`.
        Returns the job's new status; also when repeated. None, and nothing changes, when the claim
        is lost. `max_attempts=1` breaks the job at once.
        """

    def release(self, claim: Claim, *, failure: Failure | None = None) -> bool:
        """Hand a claimed job back: new again, the attempt not counted. False when it is lost.

        A failure says why, and is kept for reading: the attempt did not come as far as to count.
        """

    def expire(self, now: float, *, max_attempts: int) -> list[Job]:
        """Take back the pending jobs whose lease ended before `now` (by the store's clock).

        Each gets a lost-worker failure and becomes new, or broken after `max_attempts` attempts.
        Returns those jobs as they were while pending (owner, process), lowest id first; of several
        managers that call at once, one gets each job.
        """

    def retry(self, job_id: int) -> Job:
        """Make a broken job new, with its attempts reset and its failures kept for reading.

        Raises JobNotFound, or StoreError for a job that is not broken.
        """

    # --- reading ---

    def job(self, job_id: int) -> Job:
        """The job with this id; raises JobNotFound."""

    def jobs(
        self, status: JobStatus | None = None, *, after_id: int = 0, limit: int | None = None
    ) -> list[Job]:
        """Jobs by ascending id, of one status or all, beginning after an id; at most `limit`."""

    def job_points(self, statuses: Collection[JobStatus] = FINISHED) -> list[JobPoint]:
        """The parts of the jobs that the model needs, by ascending id.

        Read with all statuses, a job appears exactly once, however it changes meanwhile.
        """

    def tally(self, resources: Collection[str] = ()) -> Tally:
        """How many jobs there are in each status: of all, and of those that count against the
        limits of these resources (see `add`)."""

    def last_id(self) -> int:
        """The highest id that was ever given, 0 in an empty store."""

    # --- repair and backup ---

    def damaged(self) -> list[Damage]:
        """The jobs that can't be read. The counts include them, and `job` raises DamagedJob; the
        other methods above leave them out."""

    def raw(self, job_id: int) -> dict[str, Any]:
        """The row or document as it is, JSON-ready; raises JobNotFound."""

    def remove(self, job_id: int) -> None:
        """Take the row out of the store, readable or not; its id is not given again, so that it can
        be put back. To be called while nobody adds jobs."""

    def put_back(self, raw: Mapping[str, Any]) -> None:
        """Store again what `raw` gave; DamagedJob when it can't be read as a job, StoreError when
        there is one with its id."""

    def backup(self, path: Path) -> None:
        """Write all jobs and state as they are now to a new SQLite file."""

    # --- the experiment's other state ---

    def save_chain(self, name: str, chain: Mapping[str, Any]) -> None:
        """Keep a hyperparameter chain (JSON-ready), in place of the one of that name."""

    def load_chain(self, name: str) -> dict[str, Any] | None:
        """The chain that was saved last under the name, or None."""

    def save_meta(self, name: str, value: Any) -> None:
        """Keep a JSON-ready value (config snapshot, …), in place of the one of that name."""

    def first_meta(self, name: str, value: Any) -> Any:
        """Keep the value unless there is one, and return the one that is kept. So managers that
        start together agree, on the seed for example."""

    def load_meta(self, name: str) -> Any | None:
        """The value that was saved last under the name, or None."""

    def lock(self, name: str, owner: str, *, seconds: float) -> bool:
        """Take or extend the named lock until `seconds` from now. False while another holds it.

        A lock whose holder died frees itself when its time is over, as does one that ends so late
        (LONGEST_LOCK_SECONDS) that nobody can have meant it.
        """

    def unlock(self, name: str, owner: str) -> None:
        """Give the lock back; nothing happens when the owner doesn't hold it (any more)."""

    def lock_holder(self, name: str) -> str | None:
        """Who holds the lock now, or None."""

    def close(self) -> None:
        """Close the connection; a second time does nothing."""

    def destroy(self) -> None:
        """Delete all jobs and state of this experiment, nothing else, and close."""
