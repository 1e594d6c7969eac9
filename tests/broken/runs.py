"""`spearmint-int run` in processes of their own, forked from one that has the imports behind it.

So a run costs what it does itself, and forty of them take seconds.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from threading import Lock

LONGEST_RUN = 60.0
PRELOADED = ["spearmint_int.cli.program", "spearmint_int.cli.views", "spearmint_int.manager"]

# `start` reads every other child's status too; of two threads that read the same one, the second
# finds the pipe empty and takes the process for one that ended with 255.
_READING_STATUS = Lock()


@dataclass(frozen=True)
class Ending:
    """How a run ended: None for one that had to be killed."""

    code: int | None
    out: str
    err: str


def run(folder: Path) -> Ending:
    """Run the experiment in `folder` to its end."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=_be_the_program, args=(folder,))
    with _READING_STATUS:
        process.start()
    wait([process.sentinel], LONGEST_RUN)
    with _READING_STATUS:
        code = process.exitcode
        if code is None:
            process.kill()
            process.join()
    return Ending(code, (folder / "run.out").read_text(), (folder / "run.err").read_text())


def _be_the_program(folder: Path) -> None:
    for descriptor, name in ((1, "run.out"), (2, "run.err")):
        file = os.open(folder / name, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, descriptor)
    sys.argv = ["spearmint-int", "run", str(folder)]
    from spearmint_int.cli import main

    main()
