"""The base of every object in a config: hyphens or underscores, no unknown keys, whole numbers."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from spearmint_int.errors import ConfigError

# Up to here every integer is exact as a float, also on its way through the unit cube.
LARGEST_INTEGER = 2**53

LONGEST_VALUE = 60  # of a value in an error message
SECONDS_PER_UNIT = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def show(value: Any) -> str:
    """A value as the user wrote it, cut short."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        value = int(value)
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def fault(at: str, message: str, *, found: Any = None) -> PydanticCustomError:
    """An error about the key `at` of the object that is being validated ("" for the object)."""
    # In a tuple: a text by itself may have half characters, which pydantic can't encode.
    return PydanticCustomError("fault", "{parts}", {"parts": (at, message, found)})


class Section(BaseModel):
    """An object of the config; its keys may be spelt with hyphens or underscores."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _one_spelling(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        spelt: dict[str, Any] = {}
        for key, value in data.items():
            name = key.replace("-", "_")
            if name in spelt:
                raise fault(key, "is given with a hyphen and with an underscore; keep one of them")
            spelt[name] = value
        return spelt

    @classmethod
    def known_keys(cls) -> set[str]:
        """The keys of this object in their underscored spelling."""
        return {field.alias or name for name, field in cls.model_fields.items()}


def _whole(value: Any) -> Any:
    """3.0 is a whole number too; everything else is left to the validator."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _seconds(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return seconds_of(value)
    except ConfigError as error:
        raise fault("", str(error)) from None


def seconds_of(text: str) -> float:
    """The seconds that a text such as 90, "90s" or "1.5h" stands for."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(|s|m|min|h|d)\s*", text.lower())
    if match is None:
        raise ConfigError(
            f'must be seconds, or a text like "90s", "30m", "2h" or "1d", got {show(text)}'
        )
    if float(match.group(1)) == 0:
        raise ConfigError(f"must be above 0, got {show(text)}")
    return float(match.group(1)) * SECONDS_PER_UNIT[match.group(2)]


def _sequence(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


SECONDS_SCHEMA = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "string", "pattern": "^ *[0-9]+([.][0-9]*)? *(s|m|min|h|d|S|M|MIN|H|D)? *$"},
    ]
}

# The validator that stands last in an annotation runs first.
Whole = BeforeValidator(_whole)
Count = Annotated[int, Field(ge=1), BeforeValidator(_whole)]
Natural = Annotated[int, Field(ge=0), BeforeValidator(_whole)]
Real = Annotated[float, Field(allow_inf_nan=False)]
Seconds = Annotated[
    float,
    Field(gt=0, allow_inf_nan=False),
    BeforeValidator(_seconds),
    WithJsonSchema(SECONDS_SCHEMA),
]
Text = Annotated[str, Field(min_length=1)]
Upper = BeforeValidator(_upper)
Lower = BeforeValidator(_lower)
Listed = BeforeValidator(_sequence)
