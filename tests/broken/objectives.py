"""Objectives that go wrong, and how each must end: the kind of failure and its sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Broken:
    """An objective's source, and the failure that it must get."""

    source: str
    kind: str
    message: str  # a regular expression
    keys: dict[str, Any] = field(default_factory=dict)  # of the config


def python(body: str, kind: str, message: str, **keys: Any) -> Broken:
    """A `main` with this body."""
    lines = "\n    ".join(body.splitlines())
    return Broken(
        f"import os, sys, time\ndef main(job_id, params):\n    {lines}\n", kind, message, keys
    )


def module(source: str, kind: str, message: str) -> Broken:
    """A whole main file."""
    return Broken(source, kind, message)


def shell(body: str, kind: str, message: str, **keys: Any) -> Broken:
    """An executable script."""
    source = body if body.startswith("#!") else f"#!/bin/sh\n{body}\n"
    return Broken(source, kind, message, {"language": "SHELL"} | keys)


LIMIT = {"job-time-limit": 1}

# What a run refuses before its first job, in this sentence.
UNLOADABLE = {
    "syntax error": module("def main(:\n", "launch", r"can't be loaded: SyntaxError"),
    "missing import": module("import nonesuch\n", "launch", r"No module named 'nonesuch'"),
    "no main": module("x = 1\n", "launch", r"has no function main\(job_id, params\)"),
    "main is no function": module("main = 3\n", "launch", r"has no function main"),
    "exits when loaded": module("import sys\nsys.exit(3)\n", "launch|exit", r"SystemExit|exit"),
    "wrong arguments": module("def main(x): return 1\n", "exception", r"must define main\(job_id"),
    "Python 2": module("print 'x'\n", "launch", r"this is Python 2; '2to3 -w"),
    "script without interpreter": shell("#!/no/such/shell\necho 1", "launch", r"objective"),
}

# What breaks the job.
BROKEN_OBJECTIVES = {
    # --- objectives that end in another way than by a result ---
    "raises": python("raise ValueError('no data')", "exception", r"ValueError: no data.*line 3"),
    "raises far down": python("import json\njson.loads('{')", "exception", r"JSONDecodeError"),
    "reads a wrong name": python("return params['depht'][0]", "exception", r"KeyError: 'depht'"),
    "recurses for ever": python("return main(job_id, params)", "exception", r"RecursionError"),
    "exits": python("sys.exit(3)", "exit", r"sys\.exit\(3\)"),
    "exits as if all were well": python("sys.exit(0)", "exit", r"sys\.exit\(0\)"),
    "leaves python": python("os._exit(7)", "exit", r"7"),
    "is killed": python("os.kill(os.getpid(), 9)", "signal|out-of-memory", r"SIGKILL|signal 9"),
    "crashes": python("os.kill(os.getpid(), 11)", "signal", r"SIGSEGV|signal 11"),
    "runs out of memory": python("raise MemoryError", "out-of-memory", r"MemoryError"),
    "interrupts itself": python("raise KeyboardInterrupt", "exception", r"KeyboardInterrupt"),
    "hangs": python("time.sleep(600)", "time-limit", r"limit", **LIMIT),
    "hangs and ignores": python(
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)",
        "time-limit", r"limit", **LIMIT,
    ),
    "spins": python("while True: pass", "time-limit", r"limit", **LIMIT),
    # --- results that are none ---
    "returns nothing": python("pass", "bad-result", r"None instead of a number.*return"),
    "returns text": python("return '0.5'", "bad-result", r"str '0\.5' instead of a number"),
    "returns a list": python("return [0.5]", "bad-result", r"list \[0\.5\] instead of a number"),
    "returns an array": python(
        "import numpy\nreturn numpy.zeros(2)", "bad-result", r"an array of shape \(2,\)"
    ),
    "returns a complex number": python("return 1j", "bad-result", r"complex 1j"),
    "returns another task": python(
        "return {'loss': 1.0}", "bad-result", r"'loss'; return a number, or \{\"main\": …\}"
    ),
    "returns text for a task": python("return {'main': 'low'}", "bad-result", r"'low'"),
    "returns itself": python("return main", "bad-result", r"function .* instead of a number"),
    # --- output ---
    "fills the output": python(
        "for _ in range(400): print('x' * 100_000)\nraise ValueError('full')",
        "exception", r"ValueError: full",
    ),
    "prints bytes that are no text": python(
        "os.write(1, b'\\xff\\xfe\\x00')\nos.write(2, b'\\xff')\nraise ValueError('\\udcff')",
        "exception", r"ValueError",
    ),
    "closes its output": python(
        "os.close(1)\nos.close(2)\nraise ValueError('closed')", "exception", r"ValueError: closed"
    ),
    "closes every file": python(
        "os.closerange(0, 256)\nreturn 'x'", "exit|bad-result|exception|signal", r"."
    ),
    "deletes the folder's output": python(
        "import shutil\nshutil.rmtree('output')\nraise ValueError('gone')", "exception", r"gone"
    ),
    "leaves a child behind": python(
        "import subprocess\nsubprocess.Popen(['sleep', '30'])\nraise ValueError('child')",
        "exception", r"ValueError: child",
    ),
    # --- scripts ---
    "script fails": shell("echo oops >&2; exit 3", "exit", r"3"),
    "script prints garbage": shell("echo done", "bad-result", r"the last line is .?done"),
    "script prints nothing": shell("true", "bad-result", r"printed nothing"),
    "script prints another task": shell('echo \'{"loss": 1}\'', "bad-result", r"loss"),
    "script hangs": shell("sleep 600", "time-limit", r"limit", **LIMIT),
    "script is killed": shell("kill -9 $$", "signal|out-of-memory", r"signal 9|SIGKILL|kill"),
}  # fmt: skip
