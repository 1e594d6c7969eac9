"""The program around the commands: help, exit codes, pipes, completion."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

COMMANDS = [
    "init", "check", "run", "status", "jobs", "best", "show", "certainty", "explain",
    "replay", "audit", "plot", "report", "dashboard", "suggest", "tell",
    "add", "retry", "stop", "export", "backup", "repair", "clean", "completion",
]  # fmt: skip
# What --help must not load: they take longer than a person waits for a help text.
SLOW = ("numpy", "scipy", "pymongo", "pydantic", "rich")


def test_help_lists_every_command(spearmint: CommandLine) -> None:
    answer = spearmint("--help")
    assert answer.code == 0
    listed = answer.out.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(spearmint: CommandLine, command: str) -> None:
    answer = spearmint(command, "--help")
    assert answer.code == 0
    assert f"Usage: spearmint-int {command}" in answer.out


def test_help_loads_nothing_slow() -> None:
    load = "import sys, spearmint_int.cli.program"
    check = f"{load}; sys.exit(bool(set(sys.modules) & set({SLOW!r})))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.parametrize("command", ["status", "jobs", "show 1", "export", "retry --all"])
def test_looking_at_results_loads_no_linear_algebra(with_results: Path, command: str) -> None:
    name, *rest = command.split()
    arguments = [name, str(with_results), *rest]
    run = f"import sys; from spearmint_int.cli.program import exit_code; exit_code({arguments!r})"
    check = f"{run}; sys.exit('scipy' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", check], capture_output=True, check=False)
    assert ended.returncode == 0
    assert ended.stdout


INTERRUPTED_IMPORT = """
import sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from spearmint_int.cli import main
main()
"""


def test_an_interrupt_while_the_program_loads_ends_it_as_any_other() -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")


# A compiled module says of a Ctrl-C while it loads that it could not be initialised.
INTERRUPTED_COMPILED_IMPORT = """
import sys

module, *sys.argv[1:] = sys.argv[1:]

class Interrupt:
    def find_spec(self, name, *_):
        if name == module:
            raise ImportError("initialization failed") from KeyboardInterrupt()

sys.meta_path.insert(0, Interrupt())
from spearmint_int.cli import main
main()
"""


@pytest.mark.parametrize("module", ["click", "spearmint_int.check"])
def test_an_interrupt_of_a_compiled_module_that_loads_is_one(module: str, experiment: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED_COMPILED_IMPORT, module, "check", str(experiment)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")


def test_python_m_is_the_same_program() -> None:
    command = [sys.executable, "-m", "spearmint_int", "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("spearmint-int, version ")


def test_a_typing_error_names_the_nearest_command(spearmint: CommandLine) -> None:
    answer = spearmint("stauts")
    assert answer.code == 2
    assert answer.err.startswith("error: no such command 'stauts'; did you mean 'status'?")


def test_a_folder_without_a_command_is_told_how_to_run(
    spearmint: CommandLine, tmp_path: Path
) -> None:
    answer = spearmint(str(tmp_path))
    assert answer.err.startswith("error: no such command ")
    assert f"did you mean 'spearmint-int run {tmp_path}'?" in answer.err


def test_an_unknown_option_is_one_sentence(spearmint: CommandLine) -> None:
    answer = spearmint("run", "--fast")
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert "--fast" in answer.err


def test_a_config_of_another_name_is_chosen_by_its_option_or_its_path(
    spearmint: CommandLine, experiment: Path
) -> None:
    (experiment / "config.json").rename(experiment / "other.json")
    assert spearmint("check", experiment, "--config", "other.json").code == 0
    assert spearmint("check", experiment / "other.json").code == 0
    assert "(here: other.json)" in spearmint("check", experiment).err


def test_a_reader_that_goes_away_is_no_fault(with_results: Path) -> None:
    command = f"'{sys.executable}' -m spearmint_int export '{with_results}' | head -n 1; exit 0"
    answer = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("id,status")
    assert answer.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_shells_script(spearmint: CommandLine, shell: str) -> None:
    answer = spearmint("completion", shell)
    assert answer.code == 0
    assert "_SPEARMINT_INT_COMPLETE" in answer.out


def test_check_lists_every_fault(spearmint: CommandLine, experiment: Path) -> None:
    text = (experiment / "config.json").read_text()
    (experiment / "config.json").write_text(text.replace("{", '{"seed": -1, "kernal": "x",', 1))
    answer = spearmint("check", experiment)
    assert answer.code == 2
    assert answer.err.splitlines() == [
        "error: config.json: seed: must be at least 0, got -1",
        "error: config.json: kernal: unknown key; did you mean 'kernel'?",
    ]


@pytest.mark.parametrize("command", ["show", "tell", "retry", "stop", "explain", "replay"])
def test_the_tab_key_completes_job_numbers(with_results: Path, command: str) -> None:
    words = f"spearmint-int {command} {with_results} "
    environment = {
        "COMP_WORDS": words, "COMP_CWORD": "3", "_SPEARMINT_INT_COMPLETE": "bash_complete",
    }  # fmt: skip
    code = "from spearmint_int.cli.program import program; program(prog_name='spearmint-int')"
    answer = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert answer.stdout.split() == ["plain,4", "plain,3", "plain,2", "plain,1"]
