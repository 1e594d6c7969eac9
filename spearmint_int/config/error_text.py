"""Validation errors as sentences: `variables.depth.max: must be at least min (3), got 1`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spearmint_int.config.document import section_at
from spearmint_int.config.section import show
from spearmint_int.errors import alternatives

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from spearmint_int.config.section import Section

# The words of other programs, and the keys that they are here.
ELSEWHERE = {
    "constraint": "tasks",
    "constraints": "tasks",
    "parameters": "variables",
    "params": "variables",
    "space": "variables",
    "budget": "max-finished-jobs",
    "evaluations": "max-finished-jobs",
    "max-evals": "max-finished-jobs",
    "n-trials": "max-finished-jobs",
    "n-jobs": "max-concurrent",
    "workers": "max-concurrent",
    "direction": "maximize",
    "noise": "likelihood",
    "low": "min",
    "lower": "min",
    "high": "max",
    "upper": "max",
    "categories": "options",
    "choices": "options",
    "values": "options",
}
# The sentences for pydantic's error types; the words in braces come from the error's context.
EXPECTED = {
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "int_type": "must be a whole number",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "model_type": "must be an object",
    "string_too_short": "must not be empty",
    "string_type": "must be text in double quotes",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least one entry",
    "tuple_type": "must be a list",
    "union_tag_invalid": "must be FLOAT, INT or ENUM",
    "union_tag_not_found": "must be FLOAT, INT or ENUM",
}

# Values that have a sentence of their own, but are not offered as valid ones.
NOT_SUPPORTED = frozenset({"MATLAB", "MCR", "BINOMIAL", "STEP"})


def sentences(error: ValidationError, document: Any) -> list[str]:
    """One sentence for each fault, with the keys spelt as in the document, in its order."""
    found: dict[str, str] = {}
    for detail in error.errors(include_url=False):
        if detail["type"] == "too_short" and detail["input"]:
            continue  # it has no entries only because each has a fault, with a sentence of its own
        place, sentence = _sentence(detail, document)
        found.setdefault(place, f"{place}: {sentence}" if place else sentence)
    return list(found.values())


def path_of(keys: Sequence[str | int], document: Any) -> str:
    """`tasks.main.main-file` or `initial-points[0].depth`, spelt as in the document."""
    path = ""
    for key in keys:
        if isinstance(key, int):
            path += f"[{key}]"
            document = document[key] if _has(document, key) else None
            continue
        spelt = _as_written(key, document)
        path += f".{spelt}" if path else spelt
        document = document.get(spelt) if isinstance(document, dict) else None
    return path


def value_at(keys: Sequence[str | int], document: Any, default: Any) -> Any:
    """The document's own value at these keys, before any of it was normalised."""
    for key in keys:
        if isinstance(key, int):
            document = document[key] if _has(document, key) else None
        else:
            written = _as_written(key, document)
            document = document.get(written) if isinstance(document, dict) else None
    return default if document is None else document


def _sentence(detail: ErrorDetails, document: Any) -> tuple[str, str]:
    kind, keys, context = detail["type"], _keys(detail["loc"]), detail.get("ctx", {})
    if kind == "fault":
        at, sentence, found = context["parts"]
        keys += [at] if at else []
        got = "" if found is None else f", got {show(found)}"
        return path_of(keys, document), sentence + got
    if kind == "extra_forbidden":
        return path_of(keys, document), _unknown_key(str(keys[-1]), section_at(detail["loc"][:-1]))
    if kind == "missing":
        return path_of(keys, document), "is required, but missing"
    if kind.startswith("union_tag"):
        return _variable_type(keys, detail["input"], document)
    expected = EXPECTED.get(kind, detail["msg"][:1].lower() + detail["msg"][1:])
    found = value_at(keys, document, detail["input"])
    return path_of(keys, document), f"{_fill(expected, context)}, got {show(found)}"


def _unknown_key(key: str, section: type[Section]) -> str:
    known = sorted(known.replace("_", "-") for known in section.known_keys())
    spelt = key.replace("_", "-").lower()
    if ELSEWHERE.get(spelt) in known:
        spelt = ELSEWHERE[spelt]
    hint = " Each is one of type CONSTRAINT." if spelt == "tasks" else ""
    return f"unknown key{alternatives(spelt, known)}{hint}"


def _variable_type(keys: list[Any], found: Any, document: Any) -> tuple[str, str]:
    if not isinstance(found, dict):
        return path_of(keys, document), f"must be an object with a type, got {show(found)}"
    place = path_of([*keys, "type"], document)
    if "type" not in found:
        return place, "is required, but missing; write FLOAT, INT or ENUM"
    return place, f"must be FLOAT, INT or ENUM, got {show(found['type'])}"


def _fill(expected: str, context: Mapping[str, Any]) -> str:
    words = {key: value for key, value in context.items() if key != "error"}
    if "expected" in words:
        words["expected"] = _choice(re.findall(r"'([^']*)'", words["expected"]))
    return expected.format(**words)


def _choice(names: list[str]) -> str:
    names = [name for name in names if name not in NOT_SUPPORTED]
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def _keys(place: Sequence[str | int]) -> list[str | int]:
    """The place without the tag that pydantic puts in: variables, NAME, INT, max."""
    keys = list(place)
    return keys[:2] + keys[3:] if keys[:1] == ["variables"] else keys


def _has(document: Any, index: int) -> bool:
    return isinstance(document, list) and index < len(document)


def _as_written(key: str, document: Any) -> str:
    """The document's own spelling of a key, or the one with hyphens."""
    if isinstance(document, dict):
        for written in document:
            if written == key or written.replace("-", "_") == key:
                return str(written)
    return key.replace("_", "-")
