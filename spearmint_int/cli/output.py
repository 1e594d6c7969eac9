"""How commands print: JSON for programs, tables and plain text for people."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from spearmint_int.plain_json import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from spearmint_int.jobs import Job

GAP = 2  # between columns
NARROWEST = 12  # of a text at the end of a line
STATUS_COLOURS = {"complete": "green", "broken": "red", "pending": "yellow", "new": "blue",
                  "queued": "yellow", "reserved": "blue"}  # fmt: skip


def print_json(value: Any) -> None:
    """One JSON document on stdout; what is not a number is null."""
    click.echo(json_text(value))


def json_text(value: Any) -> str:
    """An indented document; a list, which may be long, has an entry on each line."""
    if not isinstance(value, list):
        return json.dumps(plain(value), indent=2, ensure_ascii=False)
    lines = [json.dumps(plain(item), ensure_ascii=False) for item in value]
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def job_document(job: Job, *, task: str, full: bool = False) -> dict[str, Any]:
    """A job for programs; with `full` also the point, the failures and the provenance."""
    document: dict[str, Any] = {
        "id": job.id,
        "status": job.status.value,
        "reserved": job.is_reserved,
        "void": job.is_void,
        "queued": job.is_queued,
        "value": None if job.values is None else job.values.get(task),
        "params": job.params,
        "metrics": job.metrics,
        "source": job.source.value,
        "attempts": job.attempts,
        "seconds": job.seconds,
        "created": job.created,
        "started": job.started,
        "ended": job.ended,
        "failure": job.failures[-1].message if job.failures else None,
    }
    if job.constraints:
        document["unfulfilled"] = None if job.values is None else list(job.unfulfilled)
    if full:
        document |= {
            "values": job.values,
            "point": list(job.point),
            "resource": job.resource,
            "failures": [vars(f) | {"kind": f.kind.value} for f in job.failures],
            "provenance": job.provenance,
        }
    return document


def terminal_width() -> int:
    """The columns of the terminal; practically unlimited for a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 1_000_000


def columns_of(text: str) -> int:
    """The columns of a terminal that the text takes: some letters take two, and some none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415

    return cell_len(text)


def clip(text: str, width: int) -> str:
    """The text in at most `width` columns, on one line."""
    text = " ".join(text.split())
    if columns_of(text) <= width:
        return text
    from rich.cells import set_cell_size  # noqa: PLC0415

    return set_cell_size(text, max(width - 1, 0)) + "…"


def to_left(text: str, width: int) -> str:
    return text + " " * (width - columns_of(text))


def to_right(text: str, width: int) -> str:
    return " " * (width - columns_of(text)) + text


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, left: Collection[str] = ()
) -> None:
    """Columns in plain text: right-aligned but for those in `left` and the last, which is clipped.

    Ten thousand rows take a tenth of a second; a table of rich would take ten.
    """
    table = [list(header), *(list(row) for row in rows)]
    widths = column_widths(table)[:-1]
    room = terminal_width() - sum(widths) - GAP * len(widths)
    align = [to_left if name in left else to_right for name in header[:-1]]
    for n, row in enumerate(table):
        cells = [place(cell, width) for place, cell, width in zip(align, row, widths, strict=False)]
        cells = [_coloured(cell) for cell in cells] if n else cells
        line = (" " * GAP).join([*cells, clip(row[-1], max(room, NARROWEST))]).rstrip()
        click.echo(click.style(line, bold=True) if n == 0 else line)


def fits(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """Whether the terminal has room for a table with all of its columns."""
    widths = column_widths([header, *rows])
    return sum(widths) + GAP * (len(widths) - 1) <= terminal_width()


def column_widths(table: Sequence[Sequence[str]]) -> list[int]:
    """The longest cell of each column."""
    return [max(map(columns_of, column)) for column in zip(*table, strict=True)]


def _coloured(cell: str) -> str:
    colour = STATUS_COLOURS.get(cell.strip())
    return click.style(cell, fg=colour) if colour else cell


def print_facts(facts: Iterable[tuple[str, str]], *, at_least: int = 0) -> None:
    """`name   text` lines, a long text folded between words; an empty one is left out.

    Texts begin after the longest name, or `at_least` after so many columns.
    """
    shown = [(name, text) for name, text in facts if text]
    width = max((columns_of(name) for name, _ in shown), default=0)
    width = max(width, at_least)
    for name, text in shown:
        first, *others = _folded(text, terminal_width() - width - GAP)
        click.echo(f"{click.style(to_left(name, width), bold=True)}{' ' * GAP}{first}")
        for line in others:
            click.echo(" " * (width + GAP) + line)


def _folded(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text, max(width, NARROWEST), break_long_words=False, break_on_hyphens=False
    ) or [""]
