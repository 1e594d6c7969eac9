"""The `variables` of a config: FLOAT, INT and ENUM."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from spearmint_int.config.section import (
    LARGEST_INTEGER,
    Count,
    Listed,
    Real,
    Section,
    Upper,
    Whole,
    fault,
    show,
)
from spearmint_int.errors import SpaceError

if TYPE_CHECKING:
    from spearmint_int import variables

Bound = Annotated[int, Field(ge=-LARGEST_INTEGER, le=LARGEST_INTEGER), Whole]


# The largest size of one variable: the model of more dimensions would take forever.
MOST_VALUES = 10_000
MOST_OPTIONS = 1_000
SURELY_EXACT = 2**31  # integers up to here are distinct in the unit cube, however many there are


class FloatVariable(Section):
    """A real variable between `min` and `max`, both included."""

    type: Annotated[Literal["FLOAT"], Upper] = Field(description="FLOAT: a real number")
    min: Real = Field(description="the smallest value")
    max: Real = Field(description="the largest value")
    size: Count = Field(
        default=1, le=MOST_VALUES, description="number of values; the objective gets an array"
    )
    log: bool = Field(default=False, description="search on a log scale; min must be above 0")
    was: Real | None = Field(
        default=None, description="of a new variable: its value in earlier jobs"
    )

    @model_validator(mode="after")
    def _check_bounds(self) -> FloatVariable:
        _check_order(self.min, self.max)
        if not math.isfinite(self.max - self.min):
            raise fault("", f"max − min must be finite, got {show(self.min)} and {show(self.max)}")
        if self.log and self.min <= 0:
            raise fault("min", "must be above 0 on a log scale", found=self.min)
        return self

    def to_space(self) -> variables.Float:
        """The variable as the model knows it."""
        from spearmint_int.variables import Float  # noqa: PLC0415 (numpy; the status commands do without)

        return Float(self.min, self.max, size=self.size, log=self.log)


class IntVariable(Section):
    """An integer variable between `min` and `max`, both included."""

    type: Annotated[Literal["INT"], Upper] = Field(description="INT: an integer")
    min: Bound = Field(description="the smallest value")
    max: Bound = Field(description="the largest value; step and base must reach it from min")
    size: Count = Field(
        default=1, le=MOST_VALUES, description="number of values; the objective gets an array"
    )
    log: bool = Field(
        default=False,
        description="search on a log scale; not with step or base; min must be at least 1",
    )
    step: Count = Field(default=1, description="only every step-th integer, counted from min")
    base: Annotated[int, Field(ge=2), Whole] | None = Field(
        default=None, description="only min times the powers of this number, such as 2"
    )
    was: Bound | None = Field(
        default=None, description="of a new variable: its value in earlier jobs"
    )

    @model_validator(mode="after")
    def _check_bounds(self) -> IntVariable:
        _check_order(self.min, self.max)
        large = max(abs(self.min), abs(self.max)) > SURELY_EXACT
        if self.log or self.step != 1 or self.base is not None or large:
            # else numpy is not needed here
            try:
                self.to_space()
            except SpaceError as error:
                raise fault("", str(error)) from None
        return self

    def to_space(self) -> variables.Int:
        """The variable as the model knows it."""
        from spearmint_int.variables import Int  # noqa: PLC0415

        return Int(self.min, self.max, size=self.size, log=self.log, step=self.step, base=self.base)


def _option(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        raise fault("", f'must be text or a number, such as "{show(value)}" in quotes', found=value)
    if not isinstance(value, str | int | float):
        raise fault("", "must be text or a number", found=value)
    return value


Option = Annotated[str | int | float, BeforeValidator(_option)]


class EnumVariable(Section):
    """One of several `options`, without an order."""

    type: Annotated[Literal["ENUM"], Upper] = Field(description="ENUM: one of several options")
    options: Annotated[tuple[Option, ...], Field(min_length=1, max_length=MOST_OPTIONS), Listed] = (
        Field(description="texts or numbers, without an order")
    )
    size: Count = Field(
        default=1, le=MOST_VALUES, description="number of values; the objective gets a list"
    )
    was: Option | None = Field(
        default=None, description="of a new variable: its value in earlier jobs"
    )

    @model_validator(mode="after")
    def _check_options(self) -> EnumVariable:
        # They must differ in their text, by which a command line or a CSV file tells them apart.
        seen: set[str] = set()
        for text in map(str, self.options):
            if text in seen:
                raise fault("options", f"must differ from each other, but {text!r} is there twice")
            seen.add(text)
        if self.was is not None and self.was not in self.options:
            raise fault("was", "must be one of the options", found=self.was)
        return self

    def to_space(self) -> variables.Enum:
        """The variable as the model knows it."""
        from spearmint_int.variables import Enum  # noqa: PLC0415

        return Enum(self.options, size=self.size)


def _check_order(low: float, high: float) -> None:
    if high < low:
        raise fault("max", f"must be at least min ({show(low)})", found=high)


def _type_of(value: Any) -> str | None:
    """The tag that picks the model: the `type`, in any case."""
    if isinstance(value, dict):
        kind = value.get("type")
        return kind.upper() if isinstance(kind, str) else None
    return getattr(value, "type", None)


VARIABLES: dict[str, type[Section]] = {
    "FLOAT": FloatVariable,
    "INT": IntVariable,
    "ENUM": EnumVariable,
}
Variable = Annotated[
    Annotated[FloatVariable, Tag("FLOAT")]
    | Annotated[IntVariable, Tag("INT")]
    | Annotated[EnumVariable, Tag("ENUM")],
    Discriminator(_type_of),
]
