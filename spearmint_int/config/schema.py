"""The JSON Schema of a config.json, for editors: made from the model, published with the package.

`python -m spearmint_int.config.schema` writes it anew; a test says when that is due.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from spearmint_int.config.document import Document

SCHEMA_FILE = Path(__file__).parent.parent / "config.schema.json"


def json_schema() -> dict[str, Any]:
    """The schema, with every key in both spellings and every fixed word in both cases."""
    schema = Document.model_json_schema(by_alias=True)
    definitions = {name: _spell(part) for name, part in schema.pop("$defs").items()}
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "spearmint-int experiment",
    }
    return head | _spell(schema) | {"title": head["title"], "$defs": definitions}


def schema_text() -> str:
    """The schema as the file has it."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _spell(schema: dict[str, Any]) -> dict[str, Any]:
    """One object of the schema, as users may write it."""
    properties: dict[str, Any] = {}
    for key, value in schema.get("properties", {}).items():
        value.pop("title", None)
        properties[key.replace("_", "-")] = properties[key] = _any_case(value)
    required = [key for key in schema.get("required", []) if "_" not in key]
    return schema | {"properties": properties} | ({"required": required} if required else {})


def _any_case(schema: dict[str, Any]) -> dict[str, Any]:
    """Allow every case of a fixed word: `type: int` is as good as `type: INT`."""
    if "const" in schema:
        schema = schema | {"enum": [schema["const"]]}
        del schema["const"]
    if "enum" in schema:
        words = [form for word in schema["enum"] for form in (word.upper(), word.lower())]
        return schema | {"enum": words}
    if "anyOf" in schema:
        return schema | {"anyOf": [_any_case(part) for part in schema["anyOf"]]}
    return schema


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
