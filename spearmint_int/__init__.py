"""Bayesian optimization of expensive functions with integer inputs.

    from spearmint_int import Float, Int, minimize

    result = minimize(f, {"rate": Float(1e-4, 1, log=True), "depth": Int(1, 12)}, evaluations=30)

`Optimizer` asks and tells; `load_config`, `open_store`, `StoredExperiment` and `Manager` are what
the command line is made of, for programs that look at an experiment or run one. Every error that a
caller can do something about is a `SpearmintError`.

The names below load on first use: the command line must answer before a linear algebra library
has been read from disk.
"""

from __future__ import annotations

import os.path
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spearmint_int.chooser import (
        ChooserOptions,
        Constraint,
        Prediction,
        Recommendation,
        Suggestion,
    )
    from spearmint_int.config import Config, load_config
    from spearmint_int.errors import (
        ConfigError,
        ResultError,
        SpaceError,
        SpaceExhausted,
        SpearmintError,
        StoreError,
    )
    from spearmint_int.experiment.experiment import Experiment, StoredExperiment
    from spearmint_int.kernels import register_kernel
    from spearmint_int.library.evaluation import Evaluation
    from spearmint_int.library.minimize import minimize
    from spearmint_int.library.optimizer import Optimizer
    from spearmint_int.library.result import MinimizeResult
    from spearmint_int.library.search import Stop
    from spearmint_int.manager import Manager
    from spearmint_int.space import Space
    from spearmint_int.stores import Store, open_store
    from spearmint_int.variables import Enum, Float, Int

__version__ = "0.1.0"

__all__ = [
    "ChooserOptions",
    "Config",
    "ConfigError",
    "Constraint",
    "Enum",
    "Evaluation",
    "Experiment",
    "Float",
    "Int",
    "Manager",
    "MinimizeResult",
    "Optimizer",
    "Prediction",
    "Recommendation",
    "ResultError",
    "Space",
    "SpaceError",
    "SpaceExhausted",
    "SpearmintError",
    "Stop",
    "Store",
    "StoreError",
    "StoredExperiment",
    "Suggestion",
    "load_config",
    "minimize",
    "open_store",
    "register_kernel",
]

_HOMES = {
    "ChooserOptions": "chooser",
    "Config": "config",
    "ConfigError": "errors",
    "Constraint": "chooser",
    "Enum": "variables",
    "Evaluation": "library.evaluation",
    "Experiment": "experiment.experiment",
    "Float": "variables",
    "Int": "variables",
    "Manager": "manager",
    "MinimizeResult": "library.result",
    "Optimizer": "library.optimizer",
    "Prediction": "chooser",
    "Recommendation": "chooser",
    "ResultError": "errors",
    "Space": "space",
    "SpaceError": "errors",
    "SpaceExhausted": "errors",
    "SpearmintError": "errors",
    "Stop": "library.search",
    "Store": "stores",
    "StoreError": "errors",
    "StoredExperiment": "experiment.experiment",
    "Suggestion": "chooser",
    "load_config": "config",
    "minimize": "library.minimize",
    "open_store": "stores",
    "register_kernel": "kernels",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        raise _explained(error) from None
    globals()[name] = value
    return value


def _explained(error: ModuleNotFoundError) -> ImportError:
    """What to raise for the error: a sentence, where a checkout that is not compiled hides what is
    installed. Python looks into the folder that it is started in first."""
    if not (error.name or "").startswith(f"{__name__}.") or "._" not in str(error.name):
        return error
    source = os.path.dirname(os.path.dirname(__file__))
    return ImportError(
        f"{source} has the source of {__name__}, not compiled, and comes before what is installed: "
        f"start Python in another folder, or 'pip install --editable {source}'"
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
