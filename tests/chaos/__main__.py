"""`make chaos`: kill -9 of managers, jobs and database servers at random moments of real runs.

Prints a table, and ends with 1 when anything that must hold after a restart did not.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--moments", type=int, default=MOMENTS, help="kills of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
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
        for number, victim in enumerate(victims(server)):
            trials = []
            folder = Path(name) / str(number)
            for trial in trials_of(victim, folder, options.moments, options.seed):
                tell(victim, trial)
                trials.append(trial)
            table.add_row(*row(victim, trials))
            violated = violated or any(trial.violations for trial in trials)
    Console(width=TABLE_WIDTH).print(table)
    print(f"{time.monotonic() - begin:.0f} s; seed {options.seed}")
    return 1 if violated else 0


if __name__ == "__main__":
    sys.exit(main())
