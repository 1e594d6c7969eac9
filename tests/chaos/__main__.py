"""`make chaos`: real runs that are hurt, at one random moment or again and again.

First single kills, each at a moment of its own; then storms, in which one experiment is hurt until
it is through. Prints a table of each, and ends with 1 when anything that must hold did not. Goes on
where it was stopped when it is given a file for its state.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.chaos.storm import StormReport, can_unshare, run_storm
from tests.chaos.trials import (
    Kill,
    Trial,
    kill_manager,
    kill_objective,
    kill_worker,
    run_trial,
    server_killer,
)
from tests.mongo_server import MongoServerProcess

MOMENTS = 20
FAULTS = 1000  # within an hour on two cores
TRIES = 10  # for one moment: a run may be over before the kill comes
TABLE_WIDTH = 96
AT_ONCE = 2  # runs mostly wait for processes to start


@dataclass(frozen=True)
class Victim:
    """What is killed, in which store's runs; several ways take turns."""

    name: str
    kills: Sequence[Kill]
    server: MongoServerProcess | None = None  # None: SQLite
    at_once: int = AT_ONCE

    @property
    def store(self) -> str:
        return "SQLite" if self.server is None else "MongoDB"


def victims(server: MongoServerProcess) -> list[Victim]:
    """The objective and the worker that watches over it are both the job."""
    job = [kill_objective, kill_worker]
    return [
        Victim("manager", [kill_manager]),
        Victim("job", job),
        Victim("manager", [kill_manager], server),
        Victim("job", job, server),
        Victim("database server", [server_killer(server)], server, at_once=1),
    ]


def trials_of(victim: Victim, folder: Path, moments: int, seed: int) -> Iterator[Trial]:
    """A trial for each random moment, in order; some run at the same time."""

    def trial_of(index: int) -> Trial:
        kill = victim.kills[index % len(victim.kills)]
        rng = random.Random(f"{seed} {folder.name} {index}")
        for attempt in range(TRIES):
            name = folder / f"{index:02d}-{attempt}"
            trial = run_trial(kill, name, rng=rng, server=victim.server)
            if trial.was_hit or trial.violations:
                break
        return trial

    if victim.at_once == 1:
        # Not by a thread: the kernel would end a server together with the thread that started it.
        yield from map(trial_of, range(moments))
        return
    with ThreadPoolExecutor(victim.at_once) as pool:
        yield from pool.map(trial_of, range(moments))


def row(victim: Victim, trials: Sequence[Trial]) -> list[str]:
    """A line of the table."""
    hits = [trial for trial in trials if trial.was_hit]
    done = [trial.done_before for trial in hits]
    return [
        victim.name,
        victim.store,
        str(len(hits)),
        f"{min(done)} to {max(done)}",
        str(sum(trial.ran_again for trial in trials)),
        f"{sum(trial.seconds for trial in trials) / len(trials):.1f}",
        str(sum(bool(trial.violations) for trial in trials)),
    ]


def tell(victim: Victim, trial: Trial) -> None:
    """A line per trial; whole sentences when something went wrong."""
    moment = trial.moment
    hit = "over before every kill" if moment is None else f"killed after {moment:.2f} s"
    line = f"{victim.name} ({victim.store}): {hit}, {trial.done_before} complete by then"
    print(f"{line}: {'violated' if trial.violations else 'fine'}", flush=True)
    for violation in trial.violations:
        print(f"    {trial.folder.name}: {violation}", flush=True)


def storms(
    folder: Path, server: MongoServerProcess, options: argparse.Namespace
) -> Iterator[tuple[str, StormReport]]:
    """One for each store, number of managers and kind of home; a finished one is not repeated."""
    kinds = [(store, number, False) for store in ("SQLite", "MongoDB") for number in (1, 2, 4)]
    if can_unshare():
        kinds += [("SQLite", 2, True), ("MongoDB", 2, True)]
    state = Path(options.state) if options.state else folder / "state.json"
    done = json.loads(state.read_text()) if state.exists() else {}
    for store, managers, containers in kinds:
        home = ", in PID namespaces" if containers else ""
        name = f"{store}, {managers} manager{'s' if managers > 1 else ''}{home}"
        if name not in done:
            report = run_storm(
                folder / f"storm-{len(done)}",
                managers=managers,
                faults=-(-options.faults // len(kinds)),
                seed=f"{options.seed} {name}",
                server=server if store == "MongoDB" else None,
                containers=containers,
            )
            done[name] = asdict(report)
            state.write_text(json.dumps(done))
        report = StormReport(**done[name])
        print(f"{name}: {report.faults} {report.violations or 'fine'}", flush=True)
        yield name, report


def storm_table(folder: Path, server: MongoServerProcess, options: argparse.Namespace) -> bool:
    """Run the storms and print what they came to; whether something was violated."""
    names = ("storm", "faults", "jobs", "run again", "twice at once", "s", "violations")
    table = Table(*names)
    violated = False
    for name, report in storms(folder, server, options):
        numbers = (sum(report.faults.values()), report.jobs, report.ran_again, report.beside)
        table.add_row(
            name, *map(str, numbers), f"{report.seconds:.0f}", str(len(report.violations))
        )
        violated = violated or bool(report.violations)
    Console(width=TABLE_WIDTH).print(table)
    return violated


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--moments", type=int, default=MOMENTS, help="single kills of each kind")
    parser.add_argument("--faults", type=int, default=FAULTS, help="of all storms together")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--state", help="a file; storms that are in it are not run again")
    options = parser.parse_args()
    begin = time.monotonic()
    table = Table(
        "killed", "store", "kills", "complete by then", "run again", "s per run", "violations"
    )
    violated = False
    with (
        tempfile.TemporaryDirectory(prefix="spearmint-int-chaos-") as name,
        MongoServerProcess(Path(name) / "server") as server,
    ):
        for number, victim in enumerate(victims(server) if options.moments else []):
            trials = []
            folder = Path(name) / str(number)
            for trial in trials_of(victim, folder, options.moments, options.seed):
                tell(victim, trial)
                trials.append(trial)
            table.add_row(*row(victim, trials))
            violated = violated or any(trial.violations for trial in trials)
        if options.moments:
            Console(width=TABLE_WIDTH).print(table)
        if options.faults:
            violated = storm_table(Path(name), server, options) or violated
    print(f"{time.monotonic() - begin:.0f} s; seed {options.seed}")
    return 1 if violated else 0


if __name__ == "__main__":
    sys.exit(main())
