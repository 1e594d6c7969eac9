"""Orders: all that a worker needs to run one job, as plain values that travel to it as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spearmint_int.jobs import Claim
from spearmint_int.stores.address import StoreAddress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spearmint_int.variables import Params


@dataclass(frozen=True)
class Argument:
    """One variable of the objective with its values, one for each element of its size."""

    name: str
    type: str  # INT, FLOAT or ENUM
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Launch:
    """One call of the objective: all that the objective's own process gets."""

    job_id: int
    attempt: int
    directory: str
    language: str
    main_file: str
    arguments: tuple[Argument, ...]
    tasks: tuple[str, ...]
    time_limit: float | None = None
    environment_file: str | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @property
    def mark(self) -> str:
        """The mark that all processes of the job have in their environment, whatever they start."""
        return f"{self.job_id}@{self.directory}"

    @property
    def main_path(self) -> Path:
        """The executable of a SHELL objective."""
        return Path(self.directory) / self.main_file


@dataclass(frozen=True)
class Order:
    """A launch on behalf of a claim: all that a worker gets."""

    launch: Launch
    token: str
    store: StoreAddress
    experiment: str  # the identity of the experiment that the store must hold
    lease_seconds: float
    heartbeat_seconds: float
    max_attempts: int

    @property
    def claim(self) -> Claim:
        """The claim that the worker works for."""
        return Claim(self.launch.job_id, self.token, self.launch.attempt)

    def to_json(self) -> str:
        return json.dumps({**asdict(self), "store": self.store.as_record()})

    def save(self, path: Path) -> None:
        """Write the order to a file, for a worker that waits in a queue. Nobody else may read the
        file, since the store's address may have a password."""
        path.touch(mode=0o600)
        path.chmod(0o600)
        path.write_text(self.to_json(), encoding="utf-8")

    @staticmethod
    def from_json(text: str) -> Order:
        fields = json.loads(text)
        launch = fields["launch"]
        launch["arguments"] = tuple(
            Argument(a["name"], a["type"], tuple(a["values"])) for a in launch["arguments"]
        )
        launch["tasks"] = tuple(launch["tasks"])
        store = StoreAddress.from_record(fields["store"])
        return Order(**(fields | {"launch": Launch(**launch), "store": store}))


def queued_order_path(directory: Path, claim: Claim) -> Path:
    """The file of an order whose worker waits in a queue."""
    return directory.resolve() / "output" / "queue" / f"{claim.job_id:08d}-{claim.token}.json"


def arguments_from(params: Params, types: Mapping[str, str]) -> tuple[Argument, ...]:
    """The arguments of a job's parameters, in the order of the config."""
    return tuple(
        Argument(name, kind, tuple(value) if isinstance(value, list | tuple) else (value,))
        for name, kind in types.items()
        for value in [params[name]]
    )
