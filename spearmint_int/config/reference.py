"""The page of the user's guide on the config's keys: made from the model, as the schema is.

`python -m spearmint_int.config.reference` writes it; `make docs` does that first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from spearmint_int.config.document import (
    ChooserArgs,
    Database,
    Document,
    ModelOptions,
    Resource,
    Task,
)
from spearmint_int.config.section import Section
from spearmint_int.config.variables import VARIABLES
from spearmint_int.registry import ACQUISITIONS, CHOOSERS, KERNELS, PRIORS, SCHEDULERS, Registry

PAGE = Path(__file__).parents[2] / "docs" / "config.md"

HEAD = """# Config reference

Every key may be spelt with hyphens or underscores; types and languages in any case. Times are
seconds, or texts such as "30m" and "2h". An unknown key is an error with the nearest known one.
`spearmint-int check DIR` says what is wrong with a config, by its place; editors can use the JSON
Schema `spearmint_int/config.schema.json`.
"""
TASK_MODEL = """An OBJECTIVE may also have the keys of 'Sampling and search' down to `input-warp`,
which then win over those elsewhere; in a CONSTRAINT they have no effect."""
NAMED: tuple[tuple[str, Registry[Any]], ...] = (
    ("acquisition", ACQUISITIONS),
    ("kernel", KERNELS),
    ("chooser", CHOOSERS),
    ("priors: type", PRIORS),
    ("scheduler", SCHEDULERS),
)


def reference_text() -> str:
    """The page, in Markdown."""
    inherited = {*ChooserArgs.model_fields, *Resource.model_fields}
    model = ModelOptions.model_fields
    own = {k: f for k, f in Document.model_fields.items() if k not in inherited}
    parts = [HEAD, _table("The experiment", own)]
    for name, section in VARIABLES.items():
        parts.append(_table(f"A variable of type {name}", section.model_fields))
    parts += [
        _section("A resource (or at the top level, when there is one)", Resource),
        _section("Sampling and search (at the top level or in `chooser-args`)", ChooserArgs),
        _table("A task", {k: f for k, f in Task.model_fields.items() if k not in model}),
        TASK_MODEL,
        _section("The database", Database),
        "\n".join(["## Names", "", *_names()]),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _section(title: str, section: type[Section]) -> str:
    return _table(title, section.model_fields)


def _table(title: str, fields: dict[str, FieldInfo]) -> str:
    rows = [
        f"| {_key(name, f)} | {_default(f)} | {f.description or ''} |" for name, f in fields.items()
    ]
    return "\n".join(
        [f"## {title}", "", "| key | default | meaning |", "| --- | --- | --- |", *rows]
    )


def _key(name: str, field: FieldInfo) -> str:
    return f"`{(field.alias or name).replace('_', '-')}`"


def _default(field: FieldInfo) -> str:
    value = field.default
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return "none"
    if isinstance(value, Section):
        return ""
    return f"`{json.dumps(value)}`"


def _names() -> Iterator[str]:
    for key, registry in NAMED:
        listed = "; ".join(
            f"`{name}` {registry.about(name)}" for name in registry if registry.about(name)
        )
        yield f"- `{key}`: {listed}"


if __name__ == "__main__":
    PAGE.write_text(reference_text(), encoding="utf-8")
