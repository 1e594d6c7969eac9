"""The process in which a Python objective runs: `python objective.py REQUEST RESULT`.

REQUEST and RESULT are the numbers of two open files. This file is run by its path and imports
nothing of the package, so that a job starts as fast as Python and numpy do. The result goes back
through its own file: whatever the objective prints, or does to stdout, can't be taken for it.

Request: a launch (order.py): {"job_id", "directory", "main_file", "arguments": [{"name", …}, …], …}
Result:  {"number": 1.5}  or  {"values": {task: number}}
         or, for a failure, {"kind", "message"} with the "status" that sys.exit was given
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import json
import math
import operator
import os
import re
import sys
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType, TracebackType

    import numpy as np

LONGEST_MESSAGE = 500
PATIENCE_WITH_THREADS = 3.0  # seconds; those of a pool that is idle end at once
FILES_CLOSED = (
    "the objective has closed files that it did not open, and that of its result with them; close "
    "only what is yours, or do so in a child process"
)
Report = dict[str, Any]

# What Python 3 says about code of Python 2, or how such a line looks.
PYTHON2 = (
    r"Missing parentheses in call to '(print|exec)'",
    r"(?m)^\s*print\s*(>>|[\"'\w%])",
    r"\bexcept\s+[\w.()\s,]+,\s*\w+\s*:",
    r"\braise\s+[\w.]+\s*,",
    r"leading zeros in decimal integer literals",
    r"\d[lL]\b|\bur[\"']|<>|`",
)


class UnusableError(Exception):
    """A main file without a `main`, or a result that is no number; the text is the message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def main(argv: list[str]) -> int:
    """Read the request, run the objective, and write the report with one call; the exit status."""
    with open(int(argv[1]), encoding="utf-8", closefd=False) as request_file:
        request = json.load(request_file)
    result_fd = os.dup(int(argv[2]))  # a copy that children of the objective do not inherit
    os.close(int(argv[2]))
    result_file, own = _identity(result_fd), os.getpid()
    report = evaluate(request)
    if os.getpid() != own:  # a process forked by the objective comes here too
        return exit_status(report)
    if _identity(result_fd) != result_file:  # its number may belong to a file of the objective's
        with contextlib.suppress(OSError, ValueError):  # stderr may be closed too
            sys.stderr.write(f"{FILES_CLOSED}\n")
        return 1
    os.write(result_fd, json.dumps(report).encode() + b"\n")
    _explain_threads()
    return exit_status(report)


def _explain_threads() -> None:
    """Say in the job's output which threads keep the process, and so the job, from ending."""
    if _threads_left():
        timer = threading.Timer(PATIENCE_WITH_THREADS, _name_threads)
        timer.daemon = True
        timer.start()


def _name_threads() -> None:
    names = ", ".join(thread.name for thread in _threads_left())
    if not names:
        return
    with contextlib.suppress(OSError, ValueError):  # stderr may be closed
        sys.stderr.write(f"[spearmint-int: main() has returned; the job ends with {names}]\n")
        sys.stderr.flush()


def _threads_left() -> list[threading.Thread]:
    """Those that the interpreter waits for at its end."""
    main = threading.main_thread()
    return [t for t in threading.enumerate() if t is not main and not t.daemon]


def _identity(fd: int) -> tuple[int, int] | None:
    """The device and inode of the open file; None where it is closed."""
    try:
        status = os.fstat(fd)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def exit_status(report: Report) -> int:
    """The exit status that Python itself would have: that of sys.exit, or 1 after an exception."""
    return int(report.get("status", 1 if "kind" in report else 0))


def evaluate(request: Report) -> Report:
    """The report of one call of `main(job_id, params)`; no exception leaves it."""
    try:
        params = as_arrays(request["arguments"])
        function = load_main(Path(request["directory"]), request["main_file"])
    except UnusableError as error:
        return _failed(error.kind, str(error))
    except BaseException as error:
        return _failed("launch", f"{request['main_file']} can't be loaded: {_reported(error)}")
    try:
        return as_report(function(request["job_id"], params))
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
        return _failed("exit", f"main() called sys.exit({error.code!r})") | {"status": status}
    except BaseException as error:
        return _failed(*_kind_and_message(error))


def _kind_and_message(error: BaseException) -> tuple[str, str]:
    if isinstance(error, UnusableError):
        return error.kind, str(error)
    return ("out-of-memory" if isinstance(error, MemoryError) else "exception"), _reported(error)


def as_arrays(arguments: list[dict[str, Any]]) -> dict[str, Any]:
    """The parameters as Spearmint's objectives expect them: arrays of `size`, lists of strings for
    ENUM."""
    # Before the experiment's folder is on the path: a `random.py` in it must not break numpy.
    import numpy as np  # noqa: PLC0415

    types = {"INT": np.int64, "FLOAT": np.float64}
    return {
        a["name"]: list(a["values"])
        if a["type"] == "ENUM"
        else np.array(a["values"], dtype=types[a["type"]]).view(_parameter_type())
        for a in arguments
    }


@functools.cache
def _parameter_type() -> type[np.ndarray[Any, Any]]:
    """A type of arrays that convert as numpy's own did until 2.4: `float(params["x"])`,
    `math.sqrt(…)`.

    They are arrays in everything else, and are pickled as plain ones.
    """
    import numpy as np  # noqa: PLC0415

    class Parameter(np.ndarray[Any, Any]):
        def __float__(self) -> float:
            return float(self.item())

        def __int__(self) -> int:
            return int(self.item())

        def __index__(self) -> int:
            return operator.index(self.item())

        def __array_wrap__(self, array: Any, *_: Any, **__: Any) -> Any:
            return array[()] if array.ndim == 0 else array.view(type(self))

        def __reduce__(self) -> Any:
            return self.view(np.ndarray).__reduce__()

        def __repr__(self) -> str:
            return repr(self.view(np.ndarray))

    return Parameter


def load_main(directory: Path, main_file: str) -> Callable[[int, dict[str, Any]], object]:
    """`main` of the main file, loaded with the experiment's folder first on the path."""
    sys.path.insert(0, str(directory))
    file = directory / (main_file if main_file.endswith(".py") else f"{main_file}.py")
    sys.argv = [str(file)]
    module = _load_file(file) if file.is_file() else _import(main_file, file)
    function = getattr(module, "main", None)
    if not callable(function):
        raise UnusableError("launch", f"{file.name} has no function main(job_id, params)")
    return function  # type: ignore[no-any-return]


def _load_file(file: Path) -> ModuleType:
    """The main file as a module, loaded by its path: one called `json.py` is still the user's."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise UnusableError("launch", f"{file.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(file.stem, module)
    spec.loader.exec_module(module)
    return module


def _import(name: str, file: Path) -> ModuleType:
    """The module of a dotted or installed name (`package.objective`)."""
    name = name.removesuffix(".py")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise  # an import inside of it failed
        if file.parent.joinpath(*name.split(".")).with_suffix(".py").is_file():
            raise UnusableError("launch", _name_is_taken(name)) from None
        raise UnusableError(
            "start", f"there is no main file {file.name} in {file.parent}"
        ) from None


def _name_is_taken(name: str) -> str:
    """Why a main file in a folder can't be imported where another module has the folder's name."""
    package = name.split(".", maxsplit=1)[0]
    place = getattr(sys.modules.get(package), "__file__", None) or "built in"
    return f"{name} can't be imported: {package!r} is another module ({place}); rename the folder"


def as_report(result: object) -> Report:
    """The objective's answer as JSON: a number, or one for each task and each metric."""
    if isinstance(result, dict):
        return {"values": {str(name): as_number(value, name) for name, value in result.items()}}
    return {"number": as_number(result)}


def as_number(value: object, name: object = None) -> float:
    """A float from a number, a numpy scalar, or an array or tensor with one element; True and False
    stay, since for a constraint they say whether it is met."""
    where = "main() returned" if name is None else f"main() returned, for {name!r},"
    rule = "" if name is None else "; every value that it returns must be one"
    if value is None:
        hint = ": is a `return` missing?" if name is None else rule
        raise UnusableError("bad-result", f"{where} None instead of a number{hint}")
    shape = getattr(value, "shape", None)
    if shape is not None and any(length != 1 for length in shape):
        raise UnusableError(
            "bad-result", f"{where} an array of shape {tuple(shape)}, not a number{rule}"
        )
    if _is_masked(value):
        return math.nan
    numeric = hasattr(value, "__float__") or hasattr(value, "__index__")
    try:
        if numeric:
            plain = value.item() if shape is not None else value  # type: ignore[attr-defined]
            return plain if isinstance(plain, bool) else float(plain)  # type: ignore[arg-type]
    except OverflowError:
        largest = "beyond the largest float, 1.8e308"
        raise UnusableError("bad-result", f"{where} a number {largest}") from None
    except (TypeError, ValueError):
        pass  # an array of strings, a complex number
    raise UnusableError("bad-result", f"{where} {_shown(value)} instead of a number{rule}")


def _is_masked(value: object) -> bool:
    """Whether this is numpy's `masked`, such as the mean of nothing, whose `item()` would be 0."""
    ma = sys.modules.get("numpy.ma")
    return ma is not None and bool(ma.is_masked(value))


def _shown(value: object) -> str:
    """The value's type and repr; without the repr where that fails, as for an int of 5 000
    digits."""
    try:
        return f"{type(value).__name__} {value!r}"[:200]
    except Exception:
        return f"an unreadable {type(value).__name__}"


def _failed(kind: str, message: str) -> Report:
    return {"kind": kind, "message": one_line(message)}


def one_line(message: str) -> str:
    """The message's first and last line: libraries put whole tracebacks into a message, with the
    cause at the end; the output has all of it."""
    lines = [" ".join(line.split()) for line in message.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):  # 'ValueError:', and its text begins below
        lines[:2] = [" ".join(lines[:2])]
    text = " … ".join(lines if len(lines) <= 2 else [lines[0], lines[-1]])
    if len(text) <= LONGEST_MESSAGE:
        return text
    half = LONGEST_MESSAGE // 2 - 2
    return f"{text[:half]} … {text[-half:]}"


def _reported(error: BaseException) -> str:
    """Print the user's part of the traceback; return the error's message and place."""
    frames = _users_frames(error.__traceback__)
    with contextlib.suppress(OSError, ValueError):  # the objective may have closed its stderr
        traceback.print_exception(type(error), error, frames)
    said = traceback.format_exception_only(type(error), error)
    if isinstance(error, SyntaxError):
        return f"{said[-1].strip()}{place_of(error)}"
    return f"{''.join(said).strip()}{_place_in(frames)}"


def _place_in(frames: TracebackType | None) -> str:
    """The last place of the traceback that is in the user's own files, not in a library."""
    places = [(Path(f.filename), f.lineno) for f in traceback.extract_tb(frames)]
    if not places:
        return ""
    folder = places[0][0].parent
    file, line = [place for place in places if _is_below(place[0], folder)][-1]
    return f" ({file.name}, line {line})"


def _is_below(file: Path, folder: Path) -> bool:
    return file.is_relative_to(folder) and "site-packages" not in file.relative_to(folder).parts


def place_of(error: SyntaxError) -> str:
    """The file and line of a syntax error, and the remedy where it is Python 2."""
    name = Path(error.filename or "").name
    old = (
        f": this is Python 2; '2to3 -w {name}' rewrites it (Python 3.12 has it)"
        if _is_python2(error)
        else ""
    )
    return f" ({name}, line {error.lineno}){old}"


def _is_python2(error: SyntaxError) -> bool:
    """Whether the code was right in Python 2: mixed tabs, a print without parentheses, …"""
    return isinstance(error, TabError) or any(
        re.search(pattern, f"{error.msg}\n{error.text or ''}") for pattern in PYTHON2
    )


def _users_frames(frames: TracebackType | None) -> TracebackType | None:
    while frames is not None and _is_ours(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    return frames


def _is_ours(file_name: str) -> bool:
    return file_name == __file__ or file_name.startswith("<frozen importlib")


if __name__ == "__main__":
    sys.path.pop(0)  # this file's folder; the experiment's takes its place
    sys.exit(main(sys.argv))
