"""Load a main file in a process of its own, so that whatever it does is one sentence here."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spearmint_int.errors import ObjectiveError
from spearmint_int.launcher.environment import objective_environments
from spearmint_int.launcher.objective import UnusableError, load_main, one_line, place_of
from spearmint_int.launcher.script import first_line_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spearmint_int.config import Config

LOADING_SECONDS = 120.0

# The folder in front of the path is the experiment's, where a random.py would shadow Python's.
PROBE = "import sys; sys.path.pop(0); from spearmint_int.check.probe import probe; probe()"


def load_main_file(config: Config) -> None:
    """Load the main file with the environment of each resource, where paths of modules may be;
    ObjectiveError when that fails, or when its `main` can't be called."""
    environments = objective_environments(config)
    if config.language == "SHELL":
        faults = iter([first_line_fault(config.main_path)])
    else:
        faults = (_fault_of(config, environment) for environment in environments)
    fault = next(filter(None, faults), None)
    if fault:
        raise ObjectiveError(f"{config.main_path.name}: {fault}")


def _fault_of(config: Config, environment: Mapping[str, str]) -> str | None:
    read, write = os.pipe()
    directory, file_name = str(config.directory.resolve()), config.main_path.name
    arguments = [str(write), directory, config.main_file, file_name]
    try:
        with os.fdopen(read, encoding="utf-8") as answer:
            try:
                process = _run_probe(arguments, config.directory, environment, write)
            finally:
                os.close(write)
            text = answer.read()
    except subprocess.TimeoutExpired:
        return f"was still loading after {LOADING_SECONDS:.0f} seconds; move the work into main()"
    if text:
        fault: str | None = json.loads(text)
        return fault
    return f"{_end(process.returncode)} while it was loaded{_last_line(process.stderr)}"


def _run_probe(
    arguments: list[str], directory: Path, environment: Mapping[str, str], write: int
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        pass_fds=[write],
        timeout=LOADING_SECONDS,
        check=False,
    )


def _end(status: int) -> str:
    return f"died of signal {-status}" if status < 0 else f"left Python with status {status}"


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return f": {lines[-1]}" if lines else ""


def probe() -> None:
    """Run in the other process: load the main file, and write the fault (or null) to the pipe."""
    pipe, directory, main_file, file_name = sys.argv[1:5]
    own = os.getpid()
    fault = _load_fault(Path(directory), main_file, file_name)
    if os.getpid() == own:  # else a process that the main file has forked
        os.write(int(pipe), json.dumps(fault).encode())


def _load_fault(directory: Path, main_file: str, file_name: str) -> str | None:
    try:
        function = load_main(directory, main_file)
    except UnusableError as error:
        return str(error).removeprefix(f"{file_name} ")
    except SystemExit as error:
        return f"calls sys.exit({error.code!r}) when it is loaded; move that into main()"
    except BaseException as error:
        kind = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
        return f"can't be loaded: {kind}{_fault_text(error, file_name)}{_remedy(error, file_name)}"
    return _signature_fault(function)


def _remedy(error: BaseException, file_name: str) -> str:
    """The remedy for a missing module, which is often installed for another Python than that of the
    jobs."""
    if not isinstance(error, ModuleNotFoundError):
        return ""
    there = f"the Python of the jobs, {sys.executable}"
    return f"; install it for {there}, or put it beside {file_name}"


def _fault_text(error: BaseException, file_name: str) -> str:
    """The error's message, and the last line of the main file in its traceback."""
    if isinstance(error, SyntaxError):
        return f"{error.msg}{place_of(error)}"
    place, line = error.__traceback__, None
    while place is not None:
        if Path(place.tb_frame.f_code.co_filename).name == file_name:
            line = place.tb_lineno
        place = place.tb_next
    return one_line(f"{error}" if line is None else f"{error} (line {line})")


def _signature_fault(function: Callable[..., Any]) -> str | None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None  # a builtin: nothing is known of it
    try:
        signature.bind(1, {})
    except TypeError:
        return f"must define main(job_id, params), but has main{signature}"
    return None
