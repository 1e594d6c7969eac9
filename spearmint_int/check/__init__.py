"""`spearmint-int check`: can this experiment run, and is there something better to write?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spearmint_int.check.advice import advice_on_config
from spearmint_int.check.batch import advice_on_nodes
from spearmint_int.check.folder import advice_on_room, refuse_unwritable
from spearmint_int.check.probe import load_main_file
from spearmint_int.check.source import advice_on_source
from spearmint_int.stores import StoreAddress, check_address

if TYPE_CHECKING:
    from spearmint_int.config import Config

__all__ = ["Advice", "check_experiment"]


@dataclass(frozen=True)
class Advice:
    """A hint on what is valid, but could be better: the key, and a sentence."""

    place: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence}" if self.place else self.sentence


def check_experiment(config: Config) -> list[Advice]:
    """Load the main file as a job would, and give advice; an error says what is wrong.

    Raises ConfigError for a missing main file or a missing command of a batch system,
    ObjectiveError for a main file that can't be loaded, StoreError for an address that asks for
    less than is promised of results, and for a folder in which a run could not write.
    """
    check_address(StoreAddress.of(config))
    path = config.main_path
    refuse_unwritable(config)
    load_main_file(config)
    advice = [*advice_on_config(config), *advice_on_room(config), *advice_on_nodes(config)]
    if config.language == "PYTHON":
        advice += advice_on_source(path.read_bytes(), config, file_name=path.name)
    return [Advice(place, sentence) for place, sentence in advice]
