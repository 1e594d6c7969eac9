"""Commands that take long: a line on the terminal, and a Ctrl-C that ends them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

# The command line, with compiled code that looks at no signal in the model's place.
PROGRAM = """
import hashlib
from spearmint_int.chooser import fitted
from spearmint_int.cli import main

def sample_posteriors(*_, **__):
    print("fitting", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 1_000_000_000)

fitted.sample_posteriors = sample_posteriors
main()
"""
RESERVED = 5  # the job's number


@pytest.fixture
def with_reserved(with_results: Path, spearmint: CommandLine) -> Path:
    """An experiment with four results, and one job that a model chose."""
    assert spearmint("suggest", with_results, "--reserve").code == 0
    return with_results


@pytest.mark.usefixtures("listens_to_ctrl_c")
@pytest.mark.parametrize(
    "words",
    ["best", "certainty", "status --plots", f"explain {RESERVED}", "replay", "audit",
     "plot variables -o x.html", "report -o x.html", "suggest", "suggest --reserve"],
)  # fmt: skip
def test_ctrl_c_ends_a_command_while_the_model_is_fitted(
    with_reserved: Path, spearmint: CommandLine, words: str
) -> None:
    command, *others = words.split()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, command, str(with_reserved), *others],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while process.stdout.readline() not in ("fitting\n", ""):
        pass
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, err.strip()) == (130, "interrupted")
    assert len(spearmint("jobs", with_reserved, "--json").json) == RESERVED
    assert spearmint("suggest", with_reserved, "--reserve").code == 0  # the lock is free
