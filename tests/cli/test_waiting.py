"""Commands that take long: a line on the terminal, and a Ctrl-C that ends them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

# `best`, with compiled code that looks at no signal in the model's place.
BEST = """
import hashlib
from spearmint_int.cli import main
from spearmint_int.experiment.experiment import StoredExperiment

def recommend(experiment):
    print("fitting", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 1_000_000_000)

StoredExperiment.recommend = recommend
main()
"""


def test_ctrl_c_ends_a_command_while_the_model_is_fitted(with_results: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", BEST, "best", str(with_results)],
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
