"""Values in error messages."""

from __future__ import annotations

import json
from typing import Any

LONGEST_VALUE = 60


def show(value: Any) -> str:
    """A value as the user wrote it, cut short."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        value = int(value)
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
