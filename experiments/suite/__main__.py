"""Runs what is missing of a comparison, and prints its tables.

Resumable: a run that is among the results is not made again; one that failed is tried again.
Without options, what `plan` says. Ours takes settings, and is then kept under a label of its own:

    python -m experiments.suite --set coco --dimensions 5 --instances 1 \\
        --optimizers ours --option initial_points=6
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.pool import THREAD_VARIABLES

os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # before a BLAS is loaded

import click

from experiments.metadata import PACKAGES, metadata, write_metadata
from experiments.peers.adapters import NAMES, OURS, PEERS
from experiments.pool import Failure, default_workers, run_all
from experiments.suite import classics, coco, designs, draws, idle, tuning
from experiments.suite.plan import plan
from experiments.suite.report import (
    classics_report,
    coco_report,
    designs_report,
    draws_report,
    idle_report,
    tuning_report,
    whole_report,
)
from experiments.suite.runs import Contender, Results, Run, record_of, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from experiments.suite.problems import Case

PROBLEMS = ("coco-experiment",)
SETS = (coco.SET, tuning.SET, designs.SET, classics.SET, idle.SET, draws.SET)
REPORTS = {
    tuning.SET: tuning_report,
    designs.SET: designs_report,
    classics.SET: classics_report,
    draws.SET: draws_report,
}
RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent / "README.md"  # it shows the tables between these lines
TABLES, END_OF_TABLES = "<!-- tables -->\n", "<!-- end of tables -->\n"


def numbers(text: str) -> tuple[int, ...]:
    """ "1-3,7" is 1, 2, 3, 7."""
    ends = [part.split("-") for part in text.split(",")]
    return tuple(n for end in ends for n in range(int(end[0]), int(end[-1]) + 1))


class Numbers(click.ParamType):  # type: ignore[type-arg]  # older releases have no argument
    """Numbers and ranges, such as 1-3,7."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        try:
            return value if isinstance(value, tuple) else numbers(value)
        except ValueError:
            self.fail(f"{value!r} must be numbers and ranges such as 1-3,7.", param, ctx)


def setting(text: str) -> tuple[str, Any]:
    """ "name=value", the value as JSON where it is that, else as text."""
    name, _, value = text.partition("=")
    if not value:
        raise click.BadParameter(f"{text!r} must be name=value.")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def complete(results: Results, tasks: Iterable[Run], *, jobs: int) -> int:
    """Makes the runs that are missing; how many of them failed."""
    missing = results.missing(tasks)
    failed = 0
    for outcome in run_all(run, missing, workers=jobs, description=f"{len(missing)} runs"):
        results.append(record_of(outcome))
        failed += isinstance(outcome.result, Failure)
    return failed


@click.command(help=__doc__)
@click.option("--set", "problem_set", type=click.Choice(SETS))
@click.option("--dimensions", "--dimension", type=Numbers(), default=(5,), help="Of coco: 5,10,20.")
@click.option("--functions", type=Numbers(), default=coco.FUNCTIONS, help="Of coco: 1-24.")
@click.option(
    "--instances", type=Numbers(), default=(1,), help="Of coco and idle (1-10), or draws: 0-299."
)
@click.option("--repetitions", type=Numbers(), default=(0,), help="Of other sets: seeds.")
@click.option("--problems", default="", help="Of other sets than coco, with commas.")
@click.option("--optimizers", default="ours", help=f"With commas, of {', '.join(NAMES)}.")
@click.option("--option", "--set-option", "options", multiple=True, help="Of ours: name=value.")
@click.option("--label", default="", help="Keep the results of ours under this name.")
@click.option("--against", help="The label that others are paired with; else ours, as it is run.")
@click.option("--jobs", type=int, default=default_workers(), help="Processes.")
@click.option("--output", type=click.Path(path_type=Path), default=RESULTS)
@click.option("--report", "only_report", is_flag=True, help="The tables of what is there.")
def main(problem_set: str | None, **given: Any) -> None:
    chosen = Selection(problem_set, **{name: given.pop(name) for name in SELECTION})
    results = Results(given["output"])
    try:
        tasks = chosen.runs() if problem_set else plan()
    except coco.InstanceRefused as refusal:
        raise click.UsageError(str(refusal)) from None
    failed = 0 if given["only_report"] else complete(results, tasks, jobs=given["jobs"])
    reference = given["against"] or tasks[0].contender.label
    tables = chosen.report(results, reference)
    click.echo(tables)
    if not problem_set:
        write_summary(given["output"], tables)
    if failed:
        raise SystemExit(f"{failed} runs failed; they are tried again by the next start.")


def write_summary(folder: Path, tables: str) -> None:
    """The tables and what they were made with, beside the results; ours are on the page too."""
    (folder / "summary.md").write_text(tables, encoding="utf-8")
    if folder == RESULTS:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    packages = {package for *_, package in PEERS.values()}
    write_metadata(folder / "metadata.json", metadata(sorted({*PACKAGES, *packages, *PROBLEMS})))


def with_tables(page: str, tables: str) -> str:
    """The page with these tables in place of those it has."""
    before, rest = page.split(TABLES)
    after = rest.split(END_OF_TABLES)[1]
    return f"{before}{TABLES}{tables.rstrip()}\n{END_OF_TABLES}{after}"


@dataclass(frozen=True)
class Selection:
    """What the command line asks for."""

    problem_set: str | None
    dimensions: tuple[int, ...]
    functions: tuple[int, ...]
    instances: tuple[int, ...]
    repetitions: tuple[int, ...]
    problems: str
    optimizers: str
    options: tuple[str, ...]
    label: str

    def runs(self) -> list[Run]:
        """A problem at a time through all the optimisers: what is unfinished is still paired."""
        return [Run(contender, case) for case in self._cases() for contender in self._contenders()]

    def report(self, results: Results, reference: str) -> str:
        """The tables of the set that was asked for, or of all of them."""
        if self.problem_set == coco.SET:
            return coco_report(
                results,
                reference=reference,
                dimensions=self.dimensions,
                functions=self.functions,
                instances=self.instances,
            )
        if self.problem_set == idle.SET:
            return idle_report(results, reference=reference, instances=self.instances)
        report = REPORTS.get(self.problem_set or "", whole_report)
        return report(results, reference=reference)

    def _contenders(self) -> list[Contender]:
        names = self.optimizers.split(",")
        unknown = [name for name in names if name not in NAMES]
        if unknown:
            known = ", ".join(NAMES)
            raise click.BadParameter(f"{unknown[0]!r} is not an optimiser; known are {known}.")
        settings = tuple(sorted(setting(text) for text in self.options))
        return [
            Contender(name, settings, self.label) if name in OURS else Contender(name)
            for name in names
        ]

    def _cases(self) -> list[Case]:
        named = tuple(self.problems.split(",")) if self.problems else ()
        if self.problem_set == coco.SET:
            return coco.cases(self.dimensions, self.functions, self.instances)
        if self.problem_set == tuning.SET:
            return tuning.cases(named or tuning.TASKS, self.repetitions)
        if self.problem_set == designs.SET:
            return designs.cases(named or designs.DESIGNS, self.repetitions)
        if self.problem_set == classics.SET:
            return classics.cases(named or classics.NAMES, self.repetitions)
        if self.problem_set == idle.SET:
            return idle.cases(named or idle.NAMES, self.instances)
        return draws.cases(named or draws.NAMES, self.instances)


SELECTION = tuple(field.name for field in fields(Selection) if field.name != "problem_set")

if __name__ == "__main__":
    main()
