"""The environment of objectives: ours, with the lines of the resource's `environment-file`.

The file has a line NAME=value for each variable, as bash would read it: `export`, quotes, comments
and `~` are understood; $NAME and ${NAME} stand for a variable of the environment or of a line
before, and for nothing where there is none. A line that would run something is refused.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from spearmint_int.errors import ObjectiveError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from spearmint_int.config import Config

# Variables that objectives don't get: they have no business with the database.
SECRET_VARIABLES = ("SPEARMINT_DB_ADDRESS",)

VARIABLE = r"\$(?:(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})"
LONE_DOLLAR = r"\$(?![\w{('\"`$?!#@*-])"  # bash leaves it as it is
UNQUOTED = re.compile(
    rf"""(?P<space>[ \t\r]+) | '(?P<literal>[^']*)' | "(?P<quoted>(?:[^"\\]|\\.)*)"
    | \\(?P<escaped>.) | {VARIABLE} | (?P<home>(?<=[=:])~(?=[/: \t\r]|$))
    | (?P<plain>[^ \t\r'"\\$`;&|<>()~]+ | (?<![=:])~ | ~(?![\w+-]) | {LONE_DOLLAR})""",
    re.VERBOSE | re.ASCII,
)
QUOTED = re.compile(
    rf"""\\(?P<escaped>[$`"\\]) | {VARIABLE} | (?P<plain>[^\\$`]+ | \\ | {LONE_DOLLAR})""",
    re.VERBOSE | re.ASCII,
)


def public_environment() -> dict[str, str]:
    """This process's environment, without the secret variables."""
    return {n: value for n, value in os.environ.items() if n not in SECRET_VARIABLES}


def objective_environment(directory: Path, file_name: str | None) -> dict[str, str]:
    """The environment of a resource's objectives: the public one, with the file's variables."""
    environment = public_environment()
    if file_name is not None:
        environment |= read_environment(directory / file_name, environment)
    return environment


def objective_environments(config: Config) -> list[dict[str, str]]:
    """The environment of each resource that takes jobs; ObjectiveError names a line that can't be
    read."""
    files = dict.fromkeys(resource.environment_file for resource in config.resources.values())
    return [objective_environment(config.directory, file) for file in files]


def read_environment(path: Path, known: Mapping[str, str]) -> dict[str, str]:
    """The variables of a file, whose lines may refer to those in `known`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ObjectiveError(f"the environment file {path} can't be read: {error}") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        found |= _assignment_at(f"{path}:{number}", line, {**known, **found})
    return found


def _assignment_at(place: str, line: str, known: Mapping[str, str]) -> dict[str, str]:
    try:
        return _assignment(line, known)
    except ValueError as error:
        raise ObjectiveError(f"{place}: {error}, got {line!r}") from None


def _assignment(line: str, known: Mapping[str, str]) -> dict[str, str]:
    """The variable of a line, if there is one; ValueError says why it can't be read."""
    if "\0" in line:
        raise ValueError("has a NUL character, which no variable can have")
    words = list(_words(line, known))
    if words[:1] == ["export"]:
        words = words[1:]
    if not words:
        return {}
    name, equals, value = words[0].partition("=")
    if len(words) > 1 or not equals or not name.isidentifier():
        raise ValueError("expected NAME=value")
    return {name: value}


def _words(line: str, known: Mapping[str, str]) -> Iterator[str]:
    word: str | None = None
    for piece in _pieces(UNQUOTED, line):
        if word is None and piece[0].startswith("#"):
            return
        if piece["space"] is None:
            is_value = piece["home"] is None or not re.search("=.*=$", word or "")
            word = (word or "") + (_text(piece, known) if is_value else piece[0])
        elif word is not None:
            yield word
            word = None
    if word is not None:
        yield word


def _text(piece: re.Match[str], known: Mapping[str, str]) -> str:
    """The text that a piece of a word stands for."""
    found = piece.groupdict()
    if found.get("quoted") is not None:
        return "".join(_text(inner, known) for inner in _pieces(QUOTED, found["quoted"]))
    if (name := found["name"] or found["braced"]) is not None:
        return known.get(name, "")
    if found.get("home") is not None:
        return known.get("HOME", "~")
    literal = (found.get(kind) for kind in ("plain", "literal", "escaped"))
    return next(text for text in literal if text is not None)


def _pieces(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    at = 0
    while at < len(text):
        piece = pattern.match(text, at)
        if piece is None:
            raise ValueError(_refusal(text[at:]))
        yield piece
        at = piece.end()


def _refusal(rest: str) -> str:
    """Why the rest of a line can't be read."""
    if rest.startswith(("`", "$(")):
        return "runs a command, which is not allowed here; write the value itself"
    if rest[0] == "$":
        return f"has {rest[:2]}: only $NAME and ${{NAME}} are replaced; quote it with '…'"
    if rest[0] == "~":
        return "has ~ with a name: only ~ itself is replaced; write the folder itself"
    if rest[0] in "'\"":
        return "has a quote without its end"
    if rest[0] == "\\":
        return "ends with a backslash"
    return f"has {rest[0]} outside of quotes; quote the value with '…'"
