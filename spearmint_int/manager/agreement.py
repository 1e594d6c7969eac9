"""What all runs of one experiment share: written by the first, and kept by those that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spearmint_int.errors import ConfigError

if TYPE_CHECKING:
    from spearmint_int.config import Config
    from spearmint_int.stores.protocol import Store


def agreed_seed(config: Config, store: Store) -> int:
    """The seed of the experiment's first run."""
    return int(store.first_meta("seed", config.seed))


def check_variables(config: Config, store: Store) -> None:
    """Refuse variables that differ from the first run's: its jobs lie in another space."""
    ours = {name: v.model_dump(mode="json") for name, v in config.variables.items()}
    theirs = store.first_meta("variables", ours)
    if list(ours.items()) != list(theirs.items()):
        names = sorted(n for n in ours.keys() | theirs.keys() if ours.get(n) != theirs.get(n))
        what = ", ".join(names) or "their order"
        raise ConfigError(
            f"{config.file_name}: variables: {what} changed since the experiment's first run; "
            "change it back, choose another experiment-name, or start anew with "
            "'spearmint-int clean'"
        )
