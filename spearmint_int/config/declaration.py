"""The variables as the first run declared them, and whether they still are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticUndefined

from spearmint_int.config.variables import VARIABLES as VARIABLE_TYPES
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
    if first is None:
        return
    ours, first = declared(config), {name: _today(v) for name, v in first.items()}
    if list(ours.items()) == list(first.items()):
        return
    names = sorted(n for n in ours.keys() | first.keys() if ours.get(n) != first.get(n))
    what = ", ".join(names) or "their order"
    raise ConfigError(
        f"{config.file_name}: variables: {what} changed since the experiment's first run; "
        "change it back, choose another experiment-name, or start anew with "
        "'spearmint-int clean'"
    )


def _today(variable: Mapping[str, Any]) -> dict[str, Any]:
    """A stored declaration with every key of today: those that came since have their defaults."""
    kind = VARIABLE_TYPES.get(str(variable.get("type")))
    defaults = {} if kind is None else {n: f.default for n, f in kind.model_fields.items()}
    return {**{n: d for n, d in defaults.items() if d is not PydanticUndefined}, **variable}
