"""From a worker to the store: the claim's outcome, written whatever happens.

The outcome is a value of three kinds: numbers, a failure, or None for a job that is handed back.
While the store is away it is kept in `output/undelivered/`, where the next manager finds it.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spearmint_int.atomic import write_durably
from spearmint_int.errors import JobNotFound
from spearmint_int.jobs import Claim, Failure, FailureKind

if TYPE_CHECKING:
    from spearmint_int.launcher.order import Order
    from spearmint_int.launcher.outcome import Outcome
    from spearmint_int.stores.protocol import Store

# Another try can't help these: the objective has answered, or can't be used as it is.
FINAL_KINDS = frozenset(
    {
        FailureKind.NOT_A_NUMBER,
        FailureKind.BAD_RESULT,
        FailureKind.LAUNCH,
        FailureKind.TIME_LIMIT,
    }
)


def write_outcome(
    store: Store, claim: Claim, outcome: Outcome | None, *, max_attempts: int
) -> bool:
    """Settle the claim. False when it was lost: somebody else has the job, or it was deleted."""
    try:
        if outcome is None:
            return store.release(claim)
        if isinstance(outcome, Failure):
            attempts = 1 if outcome.kind in FINAL_KINDS else max_attempts
            return store.fail(claim, outcome, max_attempts=attempts) is not None
        return store.complete(claim, outcome)
    except JobNotFound:
        return False


def undelivered_folder(directory: Path) -> Path:
    return directory / "output" / "undelivered"


def keep_outcome(order: Order, outcome: Outcome) -> Path:
    """Write the outcome beside the outputs, as a whole or not at all."""
    folder = undelivered_folder(Path(order.launch.directory))
    folder.mkdir(exist_ok=True)
    path = folder / f"{order.claim.job_id:08d}-{order.token}.json"
    content = {
        **asdict(order.claim),
        "max_attempts": order.max_attempts,
        "failure": asdict(outcome) if isinstance(outcome, Failure) else None,
        "values": None if isinstance(outcome, Failure) else outcome,
    }
    write_durably(path, json.dumps(content))
    return path


def deliver_kept_outcomes(directory: Path, store: Store) -> list[int]:
    """Write the outcomes that workers could not; the ids of the jobs that took theirs."""
    delivered = []
    for path in sorted(undelivered_folder(directory).glob("*.json")):
        kept = _read(path)
        if kept is None:
            continue
        claim = Claim(kept["job_id"], kept["token"], kept["attempts"])
        outcome = Failure(**kept["failure"]) if kept["failure"] else kept["values"]
        if write_outcome(store, claim, outcome, max_attempts=kept["max_attempts"]):
            delivered.append(claim.job_id)
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # not there, or not empty
        undelivered_folder(directory).rmdir()
    return delivered


def _read(path: Path) -> dict[str, Any] | None:
    """None when its worker, back in touch with the store, has just removed it."""
    try:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return kept
