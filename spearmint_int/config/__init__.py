"""The config of an experiment: read with places, validated, with every default filled in."""

from spearmint_int.config.document import ChooserArgs, Database, Resource
from spearmint_int.config.loading import DEFAULT_FILE, ConfigFaultsError, config_from, load_config
from spearmint_int.config.model import Config
from spearmint_int.config.variables import EnumVariable, FloatVariable, IntVariable

__all__ = [
    "DEFAULT_FILE",
    "ChooserArgs",
    "Config",
    "ConfigFaultsError",
    "Database",
    "EnumVariable",
    "FloatVariable",
    "IntVariable",
    "Resource",
    "config_from",
    "load_config",
]
