"""Writing the outcome of a claim to the store, also after the store was away.

The outcome is one of three: numbers, a failure, or None for a job that is handed back.
While the store is away it is kept in `output/undelivered/`, where the next manager finds it.
"""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spearmint_int.atomic import write_durably
from spearmint_int.errors import JobNotFound
from spearmint_int.jobs import Claim, Failure, FailureKind, checked_values

if TYPE_CHECKING:
    from spearmint_int.launcher.order import Order
    from spearmint_int.launcher.outcome import Outcome
    from spearmint_int.stores.protocol import Store

# Failures that another try can't mend: the objective has answered, or can't be used as it is.
FINAL_KINDS = frozenset(
    {
        FailureKind.BAD_RESULT,
        FailureKind.LAUNCH,
        FailureKind.TIME_LIMIT,
    }
)


def write_outcome(
    store: Store,
    claim: Claim,
    outcome: Outcome | None,
    *,
    max_attempts: int,
    seconds_ago: float = 0.0,
) -> bool:
    """Settle the claim. False when it was lost: somebody else has the job, or it was deleted.

    `seconds_ago` is how long the outcome has waited, which is not part of the job's time.
    """
    waited = max(seconds_ago, 0.0)  # the clock may have been set back
    try:
        if outcome is None:
            return store.release(claim)
        if isinstance(outcome, Failure) and outcome.kind is FailureKind.START:
            return store.release(claim, failure=outcome)
        if isinstance(outcome, Failure):
            attempts = 1 if outcome.kind in FINAL_KINDS else max_attempts
            status = store.fail(claim, outcome, max_attempts=attempts, seconds_ago=waited)
            return status is not None
        return store.complete(claim, outcome, seconds_ago=waited)
    except JobNotFound:
        return False


def undelivered_folder(directory: Path) -> Path:
    return directory / "output" / "undelivered"


def keep_outcome(order: Order, outcome: Outcome, *, seconds_ago: float = 0.0) -> Path:
    """Write the outcome to a file beside the outputs, as a whole or not at all, and to the disk
    itself; the path of that file. `seconds_ago` is how long the outcome has waited already.
    """
    folder = undelivered_folder(Path(order.launch.directory))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{order.claim.job_id:08d}-{order.token}.json"
    content = {
        **asdict(order.claim),
        "experiment": order.experiment,
        "max_attempts": order.max_attempts,
        "ended": time.time() - seconds_ago,
        "failure": asdict(outcome) if isinstance(outcome, Failure) else None,
        "values": None if isinstance(outcome, Failure) else outcome,
    }
    write_durably(path, json.dumps(content))
    return path


@dataclass(frozen=True)
class Delivery:
    """What became of kept outcomes: the jobs whose outcome is in the store now, and a sentence for
    each file that was set aside."""

    delivered: tuple[int, ...] = ()
    notices: tuple[str, ...] = ()


def deliver_kept_outcomes(directory: Path, store: Store, *, experiment: str) -> Delivery:
    """Write the outcomes of this experiment that workers could not write to the store.

    A file is deleted only when the store has its outcome. One that can't be read, or whose job went
    on without it, is set aside under another name.
    """
    delivered, notices = [], []
    for path in sorted(undelivered_folder(directory).glob("*.json")):
        try:
            kept = _read(path)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            notices.append(_set_aside(path, "damaged", f"it can't be read ({error})"))
            continue
        if kept is None or kept.experiment != experiment:
            continue
        if write_outcome(
            store,
            kept.claim,
            kept.outcome,
            max_attempts=kept.max_attempts,
            seconds_ago=time.time() - kept.ended,
        ):
            delivered.append(kept.claim.job_id)
            path.unlink(missing_ok=True)
        else:
            notices.append(
                _set_aside(path, "refused", f"job {kept.claim.job_id} has gone on without it")
            )
    with contextlib.suppress(OSError):  # not there, or not empty
        undelivered_folder(directory).rmdir()
    return Delivery(tuple(delivered), tuple(notices))


@dataclass(frozen=True)
class _Kept:
    claim: Claim
    outcome: Outcome
    max_attempts: int
    experiment: str
    ended: float  # when the objective ended, by the clock of its machine


def _read(path: Path) -> _Kept | None:
    """The outcome in a file; None when its worker, back in touch with the store, has just removed
    the file."""
    try:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        written = path.stat().st_mtime
    except FileNotFoundError:
        return None
    return _Kept(
        Claim(int(kept["job_id"]), str(kept["token"]), int(kept["attempts"])),
        Failure(**kept["failure"]) if kept["failure"] else checked_values(kept["values"]),
        int(kept["max_attempts"]),
        str(kept["experiment"]),
        float(kept.get("ended", written)),  # earlier versions did not write it
    )


def _set_aside(path: Path, why: str, reason: str) -> str:
    aside = path.with_suffix(f".{why}")
    with contextlib.suppress(FileNotFoundError):
        path.rename(aside)
    return f"{path}: a kept result was not delivered: {reason}; it is set aside as {aside.name}"
