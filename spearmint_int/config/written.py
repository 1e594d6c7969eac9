"""An experiment's settings as somebody would write them into a config.json.

In a `Config` every default is filled in and the objective's task and the resources are resolved.
Here only what differs from a default is left, under the file's own keys: read again, it means the
same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from spearmint_int.config.config import HEARTBEATS_PER_LEASE
from spearmint_int.config.document import ChooserArgs, Document, Resource, Task
from spearmint_int.config.section import Section
from spearmint_int.config.variables import VARIABLES
from spearmint_int.jobs import MAIN_RESOURCE, MAIN_TASK

Settings = Mapping[str, Any]


def as_written(settings: Settings) -> dict[str, Any]:
    """The keys of a config.json for these values of a Config, as JSON has them; any may be left
    out, and a key may have hyphens or underscores."""
    values = {key.replace("-", "_"): value for key, value in settings.items()}
    values |= _as_declared(values)
    if values.get("heartbeat_time") == values.get("lease_time", 0.0) / HEARTBEATS_PER_LEASE:
        del values["heartbeat_time"]
    task, constraints = values.pop("task_name", MAIN_TASK), values.pop("constraints", {})
    if task != MAIN_TASK or constraints:
        bound = {name: _differing(each, Task) for name, each in constraints.items()}
        values["tasks"] = {task: {"type": "OBJECTIVE"}} | bound
    return _differing(values, Document)


def written_text(document: Settings) -> str:
    """The document as JSON: a line for each key, and for each variable, resource or prior."""
    return _text(document, "")


def _as_declared(values: Settings) -> dict[str, Any]:
    """The objects of objects, each written by its own section; a single resource has no block."""
    resources = {
        name: _differing(each, Resource) for name, each in values.get("resources", {}).items()
    }
    alone = list(resources) == [MAIN_RESOURCE]
    return {
        "variables": {
            name: _differing(each, VARIABLES[each["type"]])
            for name, each in values.get("variables", {}).items()
        },
        "chooser_args": _differing(values.get("chooser_args", {}), ChooserArgs),
        "priors": {
            name.replace("_", "-"): prior for name, prior in values.get("priors", {}).items()
        },
        "resources": {} if alone else resources,
        **(resources[MAIN_RESOURCE] if alone else {}),
    }


def _differing(values: Settings, section: type[Section]) -> dict[str, Any]:
    """The values that differ from the default, by the file's keys; empty ones are left out."""
    fields = section.model_fields
    return {
        key.replace("_", "-"): value
        for key, value in values.items()
        if value not in (None, {}, []) and not (key in fields and fields[key].default == value)
    }


def _text(value: Any, indent: str) -> str:
    if not (isinstance(value, Mapping) and (not indent or _has_objects(value))):
        return json.dumps(value, ensure_ascii=False)
    deeper = f"{indent}  "
    lines = [
        f"{deeper}{json.dumps(key, ensure_ascii=False)}: {_text(each, deeper)}"
        for key, each in value.items()
    ]
    return "\n".join(["{", ",\n".join(lines), f"{indent}}}"])


def _has_objects(value: Settings) -> bool:
    return any(isinstance(each, Mapping) for each in value.values())
