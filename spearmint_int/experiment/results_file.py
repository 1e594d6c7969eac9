"""Results in files: how `export` writes them, and how `add` reads those and anybody's own.

A CSV file has a column for each variable (`weights[0]`, `weights[1]` for a vector) and one for the
value. A JSON file has a list of objects, `{"params": {…}, "value": 0.1}` or all keys in one.
"""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from spearmint_int.config import EnumVariable, IntVariable
from spearmint_int.errors import SpaceError, SpearmintError, alternatives, closest
from spearmint_int.jobs import JobDraft, Source, as_float
from spearmint_int.value_text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spearmint_int.config import Config
    from spearmint_int.jobs import Job
    from spearmint_int.space import Space
    from spearmint_int.variables import Params

Result: TypeAlias = tuple[JobDraft, dict[str, float]]

# What `export` writes beside the parameters; `add` passes over it.
JOB_COLUMNS = ("id", "status", "value", "seconds", "source", "attempts", "created", "started",
               "ended", "failure", "reserved", "void", "queued", "point", "values",
               "unfulfilled")  # fmt: skip
PREFIX = "params."  # tells a variable called `id` from the job's id
DELIMITERS = ",;\t"
METRIC = "metrics."  # before the name of a number that was returned beside the objective


class ResultsFileError(SpearmintError, ValueError):
    """A file of results that can't be used; the text names the row."""


@dataclass(frozen=True)
class Row:
    """One entry of a file: its place for errors, and its cells by column."""

    place: str
    cells: Mapping[str, Any]

    @property
    def has_result(self) -> bool:
        """False for those jobs of an export that are unfinished, or say nothing of their points."""
        is_void = self.cells.get("void") in (True, "True")
        return not is_void and self.cells.get("status") not in ("new", "pending")


def read_rows(text: str, *, name: str, as_json: bool) -> list[Row]:
    """The entries of a file, still as they were written."""
    return _json_rows(text, name) if as_json else _csv_rows(text, name)


def check_columns(text: str, config: Config, *, name: str, value_column: str) -> None:
    """That the first line of a CSV names what is needed, and nothing else: a file without it may
    hold no row that would tell."""
    reader = _csv_reader(text)
    try:
        cells = dict.fromkeys((column.strip() for column in reader.fieldnames or ()), "")
    except csv.Error:
        return  # for reading the rows to tell
    if not cells:
        return
    head = Row(f"{name}:1", cells.copy())
    try:
        for variable in config.variables:
            for column in _columns_of(cells, variable, config, head):
                del cells[column]
        del cells[_value_column(cells, value_column, config.task_name, head)]
        _take_metrics(cells, config)
        _refuse_unknown(cells, config, value_column)
    except ResultsFileError as error:
        raise ResultsFileError(f"{head.place}: {error}") from None


def _csv_rows(text: str, name: str) -> list[Row]:
    reader = _csv_reader(text)
    try:
        return _read_csv(reader, name)
    except csv.Error as error:
        raise ResultsFileError(f"{name}:{reader.line_num}: is not CSV: {error}") from None


def _csv_reader(text: str) -> csv.DictReader[str]:
    # Lines may end as on any system: old Macs wrote a bare CR.
    file = io.StringIO(text, newline=None)
    return csv.DictReader(file, delimiter=_delimiter(text), skipinitialspace=True)


def _delimiter(text: str) -> str:
    """What stands between the columns: spreadsheets write semicolons where decimals have commas."""
    first_line = next(iter(text.splitlines()), "")
    return next((delimiter for delimiter in DELIMITERS if delimiter in first_line), ",")


def _read_csv(reader: csv.DictReader[str], name: str) -> list[Row]:
    if not reader.fieldnames:
        raise ResultsFileError(f"{name}: is empty; its first line must name the columns")
    _refuse_twice([column.strip() for column in reader.fieldnames], f"{name}:1: the column")
    rows = []
    for cells in reader:
        place = f"{name}:{reader.line_num}"
        if None in cells or None in cells.values():
            cells_of_first = counted(len(reader.fieldnames), "cell")
            raise ResultsFileError(f"{place}: must have {cells_of_first}, like the first line")
        rows.append(Row(place, {key.strip(): cell.strip() for key, cell in cells.items()}))
    return rows


def _refuse_twice(names: Sequence[str], what: str) -> None:
    """Of two cells under one name nobody knows which one is meant."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ResultsFileError(f"{what} {twice!r} stands there twice; leave one out")


def _json_rows(text: str, name: str) -> list[Row]:
    def pairs_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _refuse_twice([key for key, _ in pairs], f"{name}: in one object the key")
        return dict(pairs)

    try:
        entries = json.loads(text, object_pairs_hook=pairs_once)
    except json.JSONDecodeError as error:
        where = f"{name}:{error.lineno}:{error.colno}"
        raise ResultsFileError(f"{where}: is not JSON: {error.msg}") from None
    except ResultsFileError:
        raise
    except (RecursionError, ValueError) as error:  # too deep, or an integer of thousands of digits
        raise ResultsFileError(f"{name}: can't be read as JSON: {error}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ResultsFileError(f"{name}: must be a list of objects")
    return [Row(f"{name}: entry {n}", _flat(entry)) for n, entry in enumerate(entries, start=1)]


def _flat(entry: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in entry.items():
        if f"{key}." in (PREFIX, METRIC) and isinstance(value, dict):
            flat |= {f"{key}.{name}": item for name, item in value.items()}
        else:
            flat[key] = value
    return flat


def result_of(row: Row, config: Config, space: Space, *, value_column: str) -> Result:
    """The job and the value of one entry; ResultsFileError says what is wrong with it."""
    cells = dict(row.cells)
    try:
        params = {name: _take_parameter(cells, name, config, row) for name in config.variables}
        value = _take_value(cells, value_column, config.task_name, row)
        metrics = _take_metrics(cells, config)
        _refuse_unknown(cells, config, value_column)
        point = tuple(space.encode(params))
    except (ResultsFileError, SpaceError) as error:
        raise ResultsFileError(f"{row.place}: {error}") from None
    draft = JobDraft(params=params, point=point, source=Source.USER, tasks=config.tasks)
    return draft, {config.task_name: value, **metrics}


def _take_parameter(cells: dict[str, Any], name: str, config: Config, row: Row) -> Any:
    """The value of a variable, out of one cell or of one for each element."""
    columns = _columns_of(cells, name, config, row)
    taken = [cells.pop(column) for column in columns]
    is_whole = columns in ([PREFIX + name], [name])
    return _parameter(taken[0] if is_whole else taken, config.variables[name])


def _columns_of(cells: Mapping[str, Any], name: str, config: Config, row: Row) -> list[str]:
    """The variable's own column, or one for each element."""
    variable = config.variables[name]
    for column in (PREFIX + name, name):
        elements = [f"{column}[{i}]" for i in range(variable.size)]
        if column in cells:
            return [column]
        if all(element in cells for element in elements):
            return elements
    missing = name if variable.size == 1 else f"{name}[0] to {name}[{variable.size - 1}]"
    free = [column for column in cells if column not in config.variables]
    # What is taken already is of another variable, and not what was meant; but it is there.
    others = alternatives(name, free if closest(name, free) else row.cells)
    raise ResultsFileError(f"no column {missing}{others}")


def _parameter(cell: Any, variable: Any) -> Any:
    """The value as jobs have it: a list for a vector, a scalar for a single one."""
    elements = [_element(c, variable) for c in (cell if isinstance(cell, list) else [cell])]
    return elements[0] if variable.size == 1 and len(elements) == 1 else elements


def _element(cell: Any, variable: Any) -> Any:
    """A text as the variable's type, a whole number as an integer; the space judges the rest."""
    if isinstance(variable, EnumVariable):
        return next((option for option in variable.options if str(option) == str(cell)), cell)
    number = _number(cell) if isinstance(cell, str) else cell
    whole = isinstance(variable, IntVariable) and isinstance(number, float) and number.is_integer()
    return int(number) if whole else number


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _take_value(cells: dict[str, Any], column: str, task: str, row: Row) -> float:
    found = _value_column(cells, column, task, row)
    return _result(found, cells.pop(found))


def _value_column(cells: Mapping[str, Any], column: str, task: str, row: Row) -> str:
    found = next((name for name in (column, task) if name in cells), None)
    if found is None and column in row.cells:
        whose = "is a variable's; name the result's with --value"
        raise ResultsFileError(f"the column {column!r} {whose}")
    if found is None:
        raise ResultsFileError(f"no column {column!r} with the result; name it with --value")
    return found


def _take_metrics(cells: dict[str, Any], config: Config) -> dict[str, float]:
    """The numbers beside the objective; constraints may go by their names alone, but for a column
    of an export that is the job's own, such as its seconds."""
    own = JOB_COLUMNS if "status" in cells else ()
    for name in config.constraints:
        if name in cells and METRIC + name not in cells and name not in own:
            cells[METRIC + name] = cells.pop(name)
    columns = [column for column in cells if column.startswith(METRIC)]
    taken = {column.removeprefix(METRIC): cells.pop(column) for column in columns}
    return {name: _result(METRIC + name, cell) for name, cell in taken.items() if cell != ""}


def _result(column: str, cell: Any) -> float:
    if cell is None or cell == "":
        return math.nan
    if isinstance(cell, bool) or not isinstance(cell, int | float | str):
        raise ResultsFileError(f"{column}: must be a number, got {json.dumps(cell)}")
    try:
        return as_float(float(cell) if isinstance(cell, str) else cell)
    except ValueError:
        raise ResultsFileError(f"{column}: must be a number, got {cell!r}") from None


def _refuse_unknown(cells: Mapping[str, Any], config: Config, value_column: str) -> None:
    for column in cells:
        if column not in JOB_COLUMNS:
            others = alternatives(column, [*config.variables, value_column, *config.constraints])
            raise ResultsFileError(f"{column}: no variable has that name{others}")


def csv_text(jobs: Sequence[Job], config: Config) -> str:
    """The jobs as CSV, one line each; a column for each metric that any of them has."""
    columns = parameter_columns(config)
    metrics = list(dict.fromkeys(name for job in jobs for name in job.metrics))
    head = ["id", "status", *columns, "value", "seconds", "source", "attempts", "failure",
            "reserved", "void", *(["unfulfilled"] if config.constraints else [])]  # fmt: skip
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*head, *(METRIC + name for name in metrics)])
    writer.writerows(
        [*_csv_row(job, config), *(job.metrics.get(name) for name in metrics)] for job in jobs
    )
    return file.getvalue()


def parameter_columns(config: Config) -> list[str]:
    """What a file calls the elements of the variables."""
    columns = []
    for name, variable in config.variables.items():
        shown = PREFIX + name if name in JOB_COLUMNS else name
        vector = [f"{shown}[{i}]" for i in range(variable.size)]
        columns += [shown] if variable.size == 1 else vector
    return columns


def parameter_cells(params: Params, config: Config) -> list[Any]:
    """What a file has below `parameter_columns`."""
    cells: list[Any] = []
    for name, variable in config.variables.items():
        absent = variable.was if variable.size == 1 else [variable.was] * variable.size
        value = params.get(name, absent)  # of a variable that is new since
        cells += value if isinstance(value, list) else [value]
    return cells


def _csv_row(job: Job, config: Config) -> list[Any]:
    cells = parameter_cells(job.params, config)
    value = None if job.values is None else job.values.get(config.task_name)
    failure = job.failures[-1].message if job.failures else ""
    row = [job.id, job.status.value, *cells, value, job.seconds, job.source.value]
    judged = [" ".join(job.unfulfilled)] if config.constraints else []
    return [*row, job.attempts, failure, job.is_reserved, job.is_void, *judged]
