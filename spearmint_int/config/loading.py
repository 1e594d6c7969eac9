"""`load_config`: a folder with a config.json becomes an experiment, or one clear sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from spearmint_int.config.document import Document
from spearmint_int.config.faults import path_of, sentences
from spearmint_int.config.model import Config
from spearmint_int.config.reading import read_json
from spearmint_int.config.resolving import document_faults, resolve
from spearmint_int.config.showing import show
from spearmint_int.errors import ConfigError

DEFAULT_FILE = "config.json"


class ConfigFaultsError(ConfigError):
    """A readable config with faults; the text is the first one, `faults` has all."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        others = len(faults) - 1
        more = f" (and {others} more: 'spearmint-int check' lists all)" if others else ""
        super().__init__(faults[0] + more)


def load_config(directory: Path, file_name: str = DEFAULT_FILE) -> Config:
    """The experiment in `directory`; ConfigError says what is wrong with its config."""
    directory = Path(directory)
    document = read_json(directory / file_name)
    if not isinstance(document, dict):
        raise ConfigError(f"{file_name}: must hold one JSON object, {{ … }}, got {show(document)}")
    return config_from(document, directory, file_name)


def config_from(document: dict[str, Any], directory: Path, file_name: str = DEFAULT_FILE) -> Config:
    """The experiment that these keys declare; `directory` is where its files are."""
    try:
        parsed = Document.model_validate(document)
    except ValidationError as error:
        raise ConfigFaultsError([f"{file_name}: {s}" for s in sentences(error, document)]) from None
    faults = list(document_faults(parsed, directory))
    if faults:
        raise ConfigFaultsError([f"{file_name}: {path_of(k, document)}: {s}" for k, s in faults])
    return resolve(parsed, directory, file_name)
