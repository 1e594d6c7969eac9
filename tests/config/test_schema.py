"""The published JSON Schema: current, valid, and of one mind with the loader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from spearmint_int.config.schema import SCHEMA_FILE, json_schema, schema_text

CONFIGS = sorted(Path(__file__).parents[2].glob("configs/*/config.json"))


def test_the_published_schema_is_current() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), (
        "run: python -m spearmint_int.config.schema"
    )


def test_the_schema_is_a_valid_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_every_example_fits_the_schema(path: Path) -> None:
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), json_schema())


@pytest.mark.parametrize(
    "fault",
    [
        {"mian-file": "x"},
        {"max-time": "soon"},
        {"variables": {"d": {"type": "INT", "min": 0}}},
        {"variables": {"d": {"type": "REAL", "min": 0, "max": 1}}},
        {"max-concurrent": 0},
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(fault: dict[str, Any]) -> None:
    good = {"main-file": "x", "variables": {"d": {"type": "int", "min": 0, "max": 1}}}
    jsonschema.validate(good, json_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(good | fault, json_schema())
