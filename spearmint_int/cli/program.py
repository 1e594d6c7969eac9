"""The program: its commands, and how it ends."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path
from typing import NoReturn

import click

from spearmint_int.cli import is_interrupt
from spearmint_int.cli.arguments import (
    FINE,
    INTERRUPTED,
    USERS_MISTAKE,
    silence_stdout,
)
from spearmint_int.cli.certainty import audit, certainty
from spearmint_int.cli.check import check
from spearmint_int.cli.clean import clean
from spearmint_int.cli.dashboard import dashboard
from spearmint_int.cli.explain import explain
from spearmint_int.cli.import_export import add, export
from spearmint_int.cli.init import init
from spearmint_int.cli.jobs import jobs, retry, show
from spearmint_int.cli.plot import plot
from spearmint_int.cli.repair import backup, repair
from spearmint_int.cli.replay import replay
from spearmint_int.cli.report import report
from spearmint_int.cli.run import run
from spearmint_int.cli.status import best, status
from spearmint_int.cli.stop import stop
from spearmint_int.cli.suggest import suggest, tell
from spearmint_int.errors import SpearmintError, alternatives

PROGRAM = "spearmint-int"
SHELLS = ("bash", "zsh", "fish")
COMPLETION_VARIABLE = "_SPEARMINT_INT_COMPLETE"


class Commands(click.Group):
    """Commands in the order in which people need them; a typing error names the nearest one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(f"no such command {args[0]!r}{self._meant(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def _meant(self, word: str) -> str:
        """The hint for a folder in place of a command, as in Spearmint, or for a typing error."""
        if Path(word).exists():
            return f"; did you mean '{PROGRAM} run {word}'?"
        return alternatives(word, self.commands)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; exit code 0 where the reader of its output goes away. click would end with
        1, which means that no job has worked."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            silence_stdout()
            return FINE


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="DIR is the experiment's folder, with its config.json; the current folder by default.",
)
@click.version_option(package_name="spearmint-int", prog_name=PROGRAM)
@click.pass_context
def program(ctx: click.Context) -> None:
    """Bayesian optimization of expensive functions with integer inputs.

    Start with 'spearmint-int init DIR', then 'spearmint-int run DIR'.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        ctx.color = False
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@click.command(
    short_help="Print the script for shell completion.",
    epilog='bash and zsh: put  eval "$(spearmint-int completion bash)"  into ~/.bashrc '
    "or ~/.zshrc (with zsh). fish: spearmint-int completion fish > "
    "~/.config/fish/completions/spearmint-int.fish",
)
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script that completes commands and options in your shell."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise click.UsageError(f"say which shell: {', '.join(SHELLS)}")
    kind = get_completion_class(name)
    if kind is None:
        raise click.UsageError(f"this version of click can't complete for {name}")
    click.echo(kind(ctx.find_root().command, {}, PROGRAM, COMPLETION_VARIABLE).source())


for command in (
    init, check, run, status, jobs, best, show, certainty, explain, replay, audit, plot, report,
    dashboard, suggest, tell, add, retry, stop, export, backup, repair, clean, completion,
):  # fmt: skip
    program.add_command(command)


def main() -> NoReturn:
    """Run the program and leave with its exit code."""
    _open_standard_files()
    sys.exit(exit_code(sys.argv[1:]))


def exit_code(arguments: list[str]) -> int:
    """Run one command line; every mistake of the user becomes one sentence on stderr."""
    _accept_every_character()
    try:
        code = program.main(arguments, prog_name=PROGRAM, standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        return _failed_with(_usage(error))
    except SpearmintError as error:
        return _failed_with(str(error))
    except (click.Abort, KeyboardInterrupt, ImportError) as error:
        if isinstance(error, ImportError) and not is_interrupt(error):
            raise
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        return FINE
    except OSError as error:
        return _failed_with(_system_fault(error))
    return code if isinstance(code, int) else FINE


def _failed_with(sentence: str) -> int:
    from spearmint_int.stores.address import without_passwords  # noqa: PLC0415

    with contextlib.suppress(OSError, ValueError):  # nobody there to tell
        click.echo(f"error: {without_passwords(sentence)}", err=True)
    return USERS_MISTAKE


def _system_fault(error: OSError) -> str:
    """The sentence for an error of the system: on a file, or else on our output."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    silence_stdout()
    return f"the output can't be written: {error.strerror or error}"


def _usage(error: click.ClickException) -> str:
    sentence = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{sentence} (see '{context.command_path} --help')" if context else sentence


def _open_standard_files() -> None:
    """Open /dev/null in place of a closed stdin, stdout or stderr, whose number a file of ours
    would take."""
    while (opened := os.open(os.devnull, os.O_RDWR)) < 3:
        pass  # each open takes the lowest free number
    os.close(opened)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # Python's answer to a closed one
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _accept_every_character() -> None:
    """Write characters that the terminal's encoding lacks as escapes, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
