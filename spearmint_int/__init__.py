"""Bayesian optimization of expensive functions with integer inputs.

    from spearmint_int import Float, Int, minimize

    result = minimize(f, {"rate": Float(1e-4, 1, log=True), "depth": Int(1, 12)}, evaluations=30)

The names below load on first use: the command line must answer before a linear algebra library
has been read from disk.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spearmint_int.chooser import ChooserOptions, Recommendation, Suggestion
    from spearmint_int.errors import SpaceError, SpaceExhausted, SpearmintError
    from spearmint_int.kernels import register_kernel
    from spearmint_int.minimizer import MinimizeResult, minimize
    from spearmint_int.optimizer import Evaluation, Optimizer
    from spearmint_int.space import Enum, Float, Int, Space

__version__ = "0.1.0"

__all__ = [
    "ChooserOptions",
    "Enum",
    "Evaluation",
    "Float",
    "Int",
    "MinimizeResult",
    "Optimizer",
    "Recommendation",
    "Space",
    "SpaceError",
    "SpaceExhausted",
    "SpearmintError",
    "Suggestion",
    "minimize",
    "register_kernel",
]

_HOMES = {
    "ChooserOptions": "chooser",
    "Enum": "space",
    "Evaluation": "optimizer",
    "Float": "space",
    "Int": "space",
    "MinimizeResult": "minimizer",
    "Optimizer": "optimizer",
    "Recommendation": "chooser",
    "Space": "space",
    "SpaceError": "errors",
    "SpaceExhausted": "errors",
    "SpearmintError": "errors",
    "Suggestion": "chooser",
    "minimize": "minimizer",
    "register_kernel": "kernels",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
