"""Values as JSON has them, for stores, files and pipes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any


def plain(value: Any) -> Any:
    """The value as JSON has it; TypeError for what has no such form.

    Tuples become lists, numpy's numbers Python's, values of a dataclass an object. Numbers that are
    not finite become null: with them no other program could read the text.
    """
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        # A lone surrogate (undecodable output of an objective) can't be stored as UTF-8.
        return str.__str__(value).encode("utf-8", "replace").decode("utf-8")
    if value is None or isinstance(value, int):
        return value
    return _plain_compound(value)


def _plain_compound(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        return plain(value.tolist())
    if isinstance(value, Path):
        return plain(str(value))
    if is_dataclass(value) and not isinstance(value, type):
        return plain(vars(value))
    raise TypeError(f"a {type(value).__name__} has no form in JSON")
