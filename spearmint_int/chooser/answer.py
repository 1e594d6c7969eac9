"""What a chooser answers: points with their provenance, a recommendation, a chain to go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from spearmint_int import value_text
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser.problem import Problem
from spearmint_int.model import Hyperparameters
from spearmint_int.sampling import ChainHealth, ChainState
from spearmint_int.variables import Params


@dataclass(frozen=True)
class RunnerUp:
    """The best point elsewhere than the chosen one, and the acquisition there."""

    params: Params
    value: float | None


@dataclass(frozen=True)
class Acquired:
    """Why the model chose a point: its acquisition (EI in the objective's units), the runner-up,
    and the hyperparameter samples behind both."""

    acquisition: str
    value: float | None
    runner_up: RunnerUp | None
    repeat: bool
    hyperparameters: tuple[Hyperparameters, ...]
    chain: ChainHealth
    seconds: float


@dataclass(frozen=True)
class Provenance:
    """Where a point came from, and what was known when it was chosen."""

    source: str
    treatment: str
    observations: int
    unique_rows: int
    pending: int
    failed: int
    fingerprint: str
    batch: int = 0  # how many points were chosen before it with the same fit of the model
    reason: str | None = None
    start: ChainState | None = None  # where the chain of hyperparameters stood
    acquired: Acquired | None = None

    @classmethod
    def of(
        cls,
        problem: Problem,
        source: str,
        *,
        batch: int = 0,
        reason: str | None = None,
        acquired: Acquired | None = None,
    ) -> Provenance:
        """The provenance of a point that was chosen for the problem."""
        return cls(
            source=source,
            treatment=problem.options.treatment,
            observations=len(problem.observations),
            unique_rows=len(problem.evaluated_keys),
            pending=len(problem.pending),
            failed=len(problem.values) - problem.finite,
            fingerprint=problem.fingerprint,
            batch=batch,
            reason=reason,
            start=problem.chain,
            acquired=acquired,
        )

    def to_json(self) -> dict[str, Any]:
        """Flat, as a job keeps it: the fields of `acquired` stand beside the others."""
        apart = ("acquired", "start")
        document = {k: v for k, v in asdict(self).items() if k not in apart and v is not None}
        if self.start is not None:
            document["start"] = _without_trace(self.start)
        if self.acquired is not None:
            document |= asdict(self.acquired) | {
                "hyperparameters": [t.to_json() for t in self.acquired.hyperparameters],
                "chain": self.acquired.chain.to_json(),
                "seconds": round(self.acquired.seconds, 6),
            }
        return document


def _without_trace(start: ChainState) -> dict[str, Any]:
    """The chain's state without its trace, which would be most of a job's document: computing the
    suggestion again only needs the state."""
    return {k: v for k, v in start.to_json().items() if k != "trace"}


@dataclass(frozen=True)
class Suggestion:
    """What to evaluate next, the exact point that the model will use for it, and why."""

    params: Params
    point: FloatArray = field(repr=False, compare=False)
    provenance: Provenance


@dataclass(frozen=True)
class Answer:
    """The next points, fewer than were asked for where the space has no more, and the state of the
    hyperparameters' chain, from which the next answer goes on."""

    suggestions: tuple[Suggestion, ...]
    chain: ChainState | None


@dataclass(frozen=True)
class Recommendation:
    """The model's optimum: where its mean is best, in the objective's units."""

    params: Params
    point: FloatArray = field(repr=False, compare=False)
    mean: float
    """What the model expects there."""
    sd: float
    """How unsure it is of that, without the noise of an evaluation."""
    constraints: Mapping[str, float] = field(default_factory=dict)
    """The probability that each constraint holds there."""
    note: str = ""
    """What is to be said of it where the constraints are nowhere sure enough to hold."""

    def __str__(self) -> str:
        where = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        note = f" ({self.note})" if self.note else ""
        return f"{value_text.estimate(self.mean, self.sd)} at {where}{note}"


class Chooser(Protocol):
    """A function from a problem to its next points; SpaceExhausted where there are none left."""

    def __call__(self, problem: Problem, count: int = 1) -> Answer: ...
