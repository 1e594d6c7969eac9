"""The config of an experiment: read with places, validated, with every default filled in."""

from spearmint_int.config.config import (
    CALLED_BY_MINIMIZE,
    DEFAULT_FILE,
    OPTION_KEYS,
    Config,
    ConfigFaultsError,
    config_from,
    load_config,
)
from spearmint_int.config.document import ChooserArgs, Database, ModelOptions, Resource
from spearmint_int.config.variables import EnumVariable, FloatVariable, IntVariable

__all__ = [
    "CALLED_BY_MINIMIZE",
    "DEFAULT_FILE",
    "OPTION_KEYS",
    "ChooserArgs",
    "Config",
    "ConfigFaultsError",
    "Database",
    "EnumVariable",
    "FloatVariable",
    "IntVariable",
    "ModelOptions",
    "Resource",
    "config_from",
    "load_config",
]
