"""Where an experiment's jobs are: one value, which travels to the workers as JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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
    address: str | None = field(repr=False)  # it may have a password
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


# A host of an address: a name, or an IPv6 address in brackets; and a port.
HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[\w.-]+)(:\d+)?")
PASSWORD = re.compile(r"(\w[\w+.-]*://[^\s:@/]*):\S*@")


def shown_address(address: str) -> str:
    """The address for people's eyes, however it is written: without password and options.

    What is not clearly a host is left out, since it may be a piece of a password.
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        scheme, rest = "", address
    user, at, place = rest.rpartition("@")
    hosts, slash, database = place.partition("?")[0].partition("/")
    if not all(HOST.fullmatch(host) for host in hosts.split(",")):
        hosts, slash, database = "…", "", ""
    shown = f"{scheme}{separator}{user.partition(':')[0]}{at}{hosts}{slash}{database}"
    return shown.rstrip("/")


def without_passwords(text: str) -> str:
    """A text in which addresses may stand, for people's eyes."""
    return PASSWORD.sub(r"\1:***@", text)
