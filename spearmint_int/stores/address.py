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
    """The place of an experiment's jobs: a server when there is an address, else a file in the
    folder."""

    directory: Path
    experiment_name: str
    address: str | None = field(repr=False)  # it may have a password
    database_name: str

    @staticmethod
    def of(config: Config) -> StoreAddress:
        """The place that the config names; the environment's variables are in there already."""
        database = config.database
        return StoreAddress(
            config.directory, config.experiment_name, database.address, database.name
        )

    @property
    def scheme(self) -> str:
        """The scheme of the address: `mongodb` for a bare host, `sqlite` without an address."""
        if not self.address:
            return "sqlite"
        scheme, separator, _ = self.address.partition("://")
        return scheme.lower() if separator else "mongodb"

    @property
    def sqlite_path(self) -> Path:
        """The file of the embedded database."""
        return self.directory / SQLITE_FILE

    def as_record(self) -> dict[str, str | None]:
        """The fields as plain values for JSON."""
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


# A host in an address, with an optional port: a name, or an IPv6 address in brackets.
HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[\w.-]+)(:\d+)?")
PASSWORD = re.compile(r"(\w[\w+.-]*://[^\s:@/]*):\S*@")


def shown_address(address: str) -> str:
    """The address without its password and options, to be shown to people.

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
    """The text, with *** in place of the password of every address in it."""
    return PASSWORD.sub(r"\1:***@", text)
