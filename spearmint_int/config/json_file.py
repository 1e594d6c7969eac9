"""JSON with places: a fault says the line, the column, what was found and what to write instead."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from spearmint_int.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

# Spellings of Python and JavaScript, which people type by habit, and those of JSON.
FOREIGN_LITERALS = {
    "True": "true",
    "False": "false",
    "None": "null",
    "undefined": "null",
    "NaN": "a number",
    "Infinity": "a number",
    "-Infinity": "a number",
}

# The messages of the standard library's reader, and what they mean.
EXPECTED = (
    ("',' delimiter", "a comma or the end of the list or object"),
    ("':' delimiter", "a colon after the key"),
    ("property name", "a key in double quotes"),
)


@dataclass(frozen=True)
class _Object:
    """An object as it was written: pairs in order, so that a key given twice is still there."""

    pairs: list[tuple[str, Any]]


def read_json(path: Path) -> Any:
    """The document in `path`; ConfigError says where it is not JSON."""
    return parse_json(_text(path), name=path.name)


def parse_json(text: str, *, name: str) -> Any:
    """The document in `text`; `name` is what errors call the file."""
    if not text.strip():
        raise ConfigError(f"{name}: is empty; it must hold a JSON object, {{ … }}")
    try:
        raw = json.loads(text, object_pairs_hook=_Object, parse_constant=_refuse_constant)
    except _ForeignConstantError as found:
        _fail_at_constant(text, str(found), name)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{name}:{_where(text, *_diagnose(text, error))}") from None
    except (RecursionError, ValueError) as error:  # too deep, or an integer of thousands of digits
        raise ConfigError(f"{name}: can't be read as JSON: {error}") from None
    return _plain(raw, name=name, path="")


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigError(_no_such_file(path)) from None
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise ConfigError(
            f"{path.name}:{line}: is not UTF-8 text (byte 0x{byte:02x}); save the file as UTF-8"
        ) from None


def _no_such_file(path: Path) -> str:
    if not path.parent.exists():
        return f"{path.parent}: no such folder"
    if not path.parent.is_dir():
        return f"{path.parent}: is a file, but an experiment is a folder with a {path.name}"
    others = sorted(p.name for p in path.parent.glob("*.json"))
    if others:
        return f"{path}: no such file; name another with --config (here: {', '.join(others)})"
    return f"{path}: no such file; 'spearmint-int init {path.parent}' writes one to start from"


class _ForeignConstantError(Exception):
    """NaN or an infinity, which Python's reader would accept and JSON does not have."""


def _refuse_constant(constant: str) -> NoReturn:
    raise _ForeignConstantError(constant)


def _fail_at_constant(text: str, constant: str, name: str) -> NoReturn:
    # Strings are skipped, so that a variable called "NaN" is not the place.
    pattern = r'"(?:[^"\\]|\\.)*"|(?P<constant>' + re.escape(constant) + ")"
    found = next(m for m in re.finditer(pattern, text) if m.group("constant"))
    message = f"{constant} is not JSON; write a finite number"
    raise ConfigError(f"{name}:{_where(text, found.start(), message)}")


def _where(text: str, position: int, message: str) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"{line}:{column}: {message}"


def _diagnose(text: str, error: json.JSONDecodeError) -> tuple[int, str]:
    """The place that the user has to mend, and the sentence about it."""
    rest = text[error.pos :].lstrip()
    if "string" in error.msg or "control character" in error.msg or "escape" in error.msg:
        return _diagnose_string(text, error)
    habit = _diagnose_habit(text, text[: error.pos].rstrip(), rest)
    return habit or (len(text) - len(rest), _expectation(error.msg, rest))


def _diagnose_string(text: str, error: json.JSONDecodeError) -> tuple[int, str]:
    if "escape" in error.msg:
        return error.pos, "bad escape in a string; write a backslash as \\\\"
    # The reader points at the quote that opens the string, or at the line break inside of it.
    opens_here = text[error.pos : error.pos + 1] == '"'
    start = error.pos if opens_here else text.rfind('"', 0, error.pos)
    return start, "the string that begins here is not closed by a quote"


def _diagnose_habit(text: str, before: str, rest: str) -> tuple[int, str] | None:
    """The fault where the text has what other languages allow (comments, a comma before the end),
    or is cut short."""
    at = len(text) - len(rest)
    if rest.startswith(("//", "/*", "#")):
        return at, "comments are not part of JSON; delete this one"
    if rest.startswith(("}", "]")) and before.endswith(","):
        return len(before) - 1, f"trailing comma before {rest[0]!r}; delete it"
    if rest.startswith(",") and before.endswith(","):
        return at, "two commas in a row; delete one"
    if not rest:
        return len(text.rstrip()), "the file ends too early: a closing } or ] is missing"
    return None


def _expectation(message: str, rest: str) -> str:
    """The sentence on what the reader expected, and what it found."""
    if message.startswith("Extra data"):
        return f"the document ended before this, but {_found(rest)} follows"
    word = re.match(r"-?\w+", rest)
    if word and word.group() in FOREIGN_LITERALS:
        return f"{word.group()} is not JSON; write {FOREIGN_LITERALS[word.group()]}"
    if rest.startswith("'"):
        return 'found a single quote; JSON strings have double quotes, "like this"'
    expected = next((words for sign, words in EXPECTED if sign in message), "a value")
    return f"expected {expected}, found {_found(rest)}"


def _found(rest: str) -> str:
    token = re.match(r'"[^"\n]*"?|[\w.+-]+|.', rest)
    return repr(token.group()[:30]) if token else "nothing"


def _plain(value: Any, *, name: str, path: str) -> Any:
    """Objects as dicts; a key that stands twice in one object is an error."""
    if isinstance(value, list):
        return [_plain(v, name=name, path=f"{path}[{i}]") for i, v in enumerate(value)]
    if not isinstance(value, _Object):
        return value
    plain: dict[str, Any] = {}
    for key, item in value.pairs:
        place = f"{path}.{key}" if path else key
        if key in plain:
            raise ConfigError(f"{name}: {place}: this key is given twice; keep one of them")
        plain[key] = _plain(item, name=name, path=place)
    return plain
