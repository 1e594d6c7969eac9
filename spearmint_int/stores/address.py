"""Where an experiment's jobs are: one value, which travels to the workers as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spearmint_int.config import Config

SQLITE_FILE = "spearmint.sqlite"


@dataclass(frozen=True)
class StoreAddress:
    """An experiment on a server when there is an address, else a file in the folder."""

    directory: Path
    experiment_name: str
    address: str | None
    database_name: str

    @staticmethod
    def of(config: Config) -> StoreAddress:
        """The config's; what the environment says about it is in there already."""
        database = config.database
        return StoreAddress(
            config.directory, config.experiment_name, database.address, database.name
        )

    @property
    def scheme(self) -> str:
        """What the address names: `mongodb` of a mere host, `sqlite` of none."""
        if not self.address:
            return "sqlite"
        scheme, separator, _ = self.address.partition("://")
        return scheme.lower() if separator else "mongodb"

    @property
    def sqlite_path(self) -> Path:
        """The file of the embedded database."""
        return self.directory / SQLITE_FILE

    def as_record(self) -> dict[str, str | None]:
        """For JSON."""
        return {**vars(self), "directory": str(self.directory)}

    @staticmethod
    def from_record(record: dict[str, str | None]) -> StoreAddress:
        """The inverse of `as_record`."""
        return StoreAddress(
            Path(record["directory"] or "."),
            record["experiment_name"] or "",
            record["address"],
            record["database_name"] or "",
        )
