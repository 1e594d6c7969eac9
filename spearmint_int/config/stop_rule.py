"""`stop-when`: the sentence of a config that says when a run has found enough."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from spearmint_int.config.section import fault, show

PATTERN = r"regret below ([0-9.]+(?:[eE][-+]?[0-9]+)?) with ([0-9.]+) ?%"
EXAMPLE = "regret below 0.01 with 95 %"


@dataclass(frozen=True)
class StopRule:
    """Stop when the best is within `regret` of the optimum with probability `confidence`."""

    regret: float
    confidence: float

    @classmethod
    def of(cls, text: str) -> StopRule | None:
        """The rule of a sentence; None where it is none, or asks for what is impossible."""
        match = re.fullmatch(PATTERN, " ".join(text.split()))
        try:
            regret, percent = (float(number) for number in match.groups()) if match else (0.0, 0.0)
        except ValueError:
            return None
        sensible = regret > 0.0 and 50.0 <= percent < 100.0
        return cls(regret, percent / 100.0) if sensible else None


def _checked(value: Any) -> Any:
    if isinstance(value, str) and StopRule.of(value) is None:
        wanted = f'must be a sentence like "{EXAMPLE}" (50 % or more, below 100 %)'
        raise fault("", f"{wanted}, got {show(value)}")
    return value


StopWhen = Annotated[
    str, BeforeValidator(_checked), WithJsonSchema({"type": "string", "pattern": f"^{PATTERN}$"})
]
