"""`init`: a folder to start from."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from spearmint_int.jobs import printable
from spearmint_int.plain_json import plain

CONFIG = """{
  "experiment-name": %(quoted_name)s,
  "language": "%(language)s",
  "main-file": "%(main_file)s",
  "likelihood": "GAUSSIAN",
  "max-finished-jobs": 30,
  "max-concurrent": 1,
  "seed": 1,
  "variables": {
    "rate":  {"type": "FLOAT", "min": 0.0001, "max": 1, "log": true},
    "depth": {"type": "INT", "min": 1, "max": 8},
    "loss":  {"type": "ENUM", "options": ["squared", "absolute"]}
  }
}
"""

PYTHON_OBJECTIVE = '''"""The function to minimise: put your own in place of `validation_error`."""

import math


def main(job_id, params):
    """Called once for each job; params[name] is an array (a list for ENUM) of the variable's size.

    Return the number to minimise. What is printed goes to output/<job>.out; an exception is a
    failed job, and NaN says that these settings can't be evaluated.
    """
    rate, depth, loss = params["rate"][0], params["depth"][0], params["loss"][0]
    print(f"job {job_id}: rate {rate:.2g}, depth {depth}, {loss} loss")
    return validation_error(rate, depth, loss)


def validation_error(rate, depth, loss):
    """A stand-in with its minimum, 0.1, at rate 0.01, depth 5 and the absolute loss."""
    off = 0.05 if loss == "squared" else 0.0
    return 0.1 + off + 0.02 * (math.log10(rate) + 2) ** 2 + 0.01 * (depth - 5) ** 2
'''

SHELL_OBJECTIVE = """#!/bin/sh
# The program to minimise. It gets `--rate R --depth D --loss L` as arguments (and the same as a
# JSON object on stdin), and prints the number to minimise as its last line.
while [ $# -gt 0 ]; do
  case "$1" in
    --rate) rate=$2 ;;
    --depth) depth=$2 ;;
    --loss) loss=$2 ;;
  esac
  shift 2
done
echo "rate $rate, depth $depth, $loss loss"
# A stand-in with its minimum, 0.1, at rate 0.01, depth 5 and the absolute loss.
awk -v r="$rate" -v d="$depth" -v l="$loss" 'BEGIN {
  print 0.1 + (l == "squared" ? 0.05 : 0) + 0.02 * (log(r) / log(10) + 2)^2 + 0.01 * (d - 5)^2
}'
"""

README = """# %(name)s

`%(main_file)s` is the function to minimise, `config.json` says what may vary. Then:

    spearmint-int check .     is everything right?
    spearmint-int run .       run; Ctrl-C stops politely, and the same command goes on
    spearmint-int best .      the best settings so far

## config.json

| key | here | meaning |
| --- | --- | --- |
| `experiment-name` | %(name)s | names the experiment in the database |
| `language` | %(language)s | PYTHON calls main(job_id, params); SHELL starts an executable |
| `main-file` | %(main_file)s | the objective, beside the config |
| `likelihood` | GAUSSIAN | NOISELESS if the same settings always give the same value |
| `max-finished-jobs` | 30 | the budget |
| `max-concurrent` | 1 | jobs at the same time |
| `seed` | 1 | the same seed gives the same suggestions |
| `variables` | three | FLOAT and INT have `min` and `max` (both included), ENUM has `options`; \
`"log": true` searches on a log scale; `size` makes a vector |

More keys: `max-time`, `job-time-limit` (seconds, or "2h"), `max-attempts`, `initial-points` (a list
of guesses to run first), `database` (`{"address": "mongodb://…"}` to share jobs between machines).
"""


@click.command(short_help="Write a small experiment to start from.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--shell", is_flag=True, help="An executable script instead of a Python function.")
def init(directory: Path, shell: bool) -> None:
    """Write a small experiment that runs as it is: config, objective and README."""
    files = starter_files(directory.resolve().name, "SHELL" if shell else "PYTHON")
    present = [name for name in files if (directory / name).exists()]
    if present:
        raise click.ClickException(
            f"{directory} already has {', '.join(present)}; nothing was written"
        )
    try:
        _write(directory, files)
    except OSError as error:
        raise click.ClickException(f"{directory} can't be written: {error.strerror}") from None
    click.echo(f"{directory}: {', '.join(files)} written")
    click.echo(f"next: spearmint-int run {shlex.quote(str(directory))}")


def _write(directory: Path, files: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = directory / name
        path.write_text(text, encoding="utf-8")
        if name.endswith(".sh"):
            path.chmod(0o755)


def starter_files(name: str, language: str) -> dict[str, str]:
    """The files by name, for an experiment of this name."""
    python = language == "PYTHON"
    # A folder's name may have anything in it: quotes, ends of lines, bytes that are no text.
    shown = printable(plain(name)).replace("\n", " ")
    quoted = json.dumps(plain(name), ensure_ascii=False)
    words = {"name": shown, "quoted_name": quoted, "language": language}
    words["main_file"] = "objective.py" if python else "objective.sh"
    return {
        "config.json": CONFIG % words,
        words["main_file"]: PYTHON_OBJECTIVE if python else SHELL_OBJECTIVE,
        "README.md": README % words,
    }
