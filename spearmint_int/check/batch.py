"""Checks for batch systems: are their commands installed, and can their nodes reach the store?"""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

from spearmint_int.errors import ConfigError, SchedulerError
from spearmint_int.jobs import MAIN_RESOURCE
from spearmint_int.registry import SCHEDULERS
from spearmint_int.schedulers import open_scheduler
from spearmint_int.schedulers.batch import BatchScheduler
from spearmint_int.stores import StoreAddress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.config import Config, Resource

LOOPBACK = re.compile(r"^(mongodb://)?([^@/]*@)?(localhost|127\.[\d.]+|\[::1\])(:\d+)?(/|$)")


def batch_resources(config: Config) -> dict[str, BatchScheduler]:
    """The schedulers of the resources that a batch system runs; ConfigError where one can't be used
    from here.

    The other schedulers are not opened: `check` starts nothing.
    """
    found = {}
    for name, resource in config.resources.items():
        if is_batch(resource):
            try:
                scheduler = open_scheduler(resource, config.directory)
            except SchedulerError as error:
                raise ConfigError(f"{config.file_name}: {_place(config, name)}{error}") from None
            assert isinstance(scheduler, BatchScheduler)
            found[name] = scheduler
    return found


def is_batch(resource: Resource) -> bool:
    """Whether a batch system runs its jobs."""
    opener = SCHEDULERS[resource.scheduler]
    return isinstance(opener, type) and issubclass(opener, BatchScheduler)


def advice_on_nodes(config: Config) -> Iterator[tuple[str, str]]:
    """(path of the key, sentence) for everything that can't work on the nodes of a batch system."""
    for name, scheduler in batch_resources(config).items():
        if not is_elsewhere(scheduler.nodes()):
            continue
        place = StoreAddress.of(config)
        if place.scheme == "sqlite":
            yield (
                "database",
                f"the jobs of resource {name} run on other machines, and the embedded "
                "database is a file whose locks can't be trusted over a network; set "
                "database.address to a MongoDB that the nodes can reach",
            )
        elif LOOPBACK.match(place.address or ""):
            yield (
                "database.address",
                f"is this machine itself: on the nodes of resource {name} it would be the node; "
                "write a host name that they know",
            )


def _place(config: Config, name: str) -> str:
    """The place of the resource's keys in the config."""
    return "" if list(config.resources) == [MAIN_RESOURCE] else f"resources.{name}."


def is_elsewhere(nodes: set[str]) -> bool:
    """Whether jobs may run on another machine than this one; they may where the nodes are not
    known."""
    ours = socket.gethostname().partition(".")[0]
    return not nodes or {node.partition(".")[0] for node in nodes} != {ours}
