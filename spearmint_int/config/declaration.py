"""The variables as the first run declared them, and whether they still are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spearmint_int.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spearmint_int.config.config import Config

VARIABLES = "variables"  # the declaration's name in a store


def declared(config: Config) -> dict[str, Any]:
    """The variables as a store keeps them."""
    return {name: v.model_dump(mode="json") for name, v in config.variables.items()}


def check_variables(config: Config, first: Mapping[str, Any] | None) -> None:
    """Refuse variables that differ from the first run's: its jobs lie in another space."""
    ours = declared(config)
    if first is None or list(ours.items()) == list(first.items()):
        return
    names = sorted(n for n in ours.keys() | first.keys() if ours.get(n) != first.get(n))
    what = ", ".join(names) or "their order"
    raise ConfigError(
        f"{config.file_name}: variables: {what} changed since the experiment's first run; "
        "change it back, choose another experiment-name, or start anew with "
        "'spearmint-int clean'"
    )
