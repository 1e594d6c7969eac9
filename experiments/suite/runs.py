"""One run of one optimiser on one problem, and the record that is kept of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from experiments.peers.adapters import build, version
from experiments.peers.history import Assignment
from experiments.pool import Failure
from experiments.rows import JsonLines
from experiments.suite import classics, coco, designs, draws, idle, tuning
from experiments.trial import Trial, run_trial

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from experiments.pool import Outcome
    from experiments.suite.problems import Case

Record = dict[str, Any]
Key = tuple[str, str, str, str, int, int]
LOADERS = {module.SET: module.load for module in (classics, coco, designs, draws, idle, tuning)}
DIGITS = 6  # of a stored distance


@dataclass(frozen=True)
class Contender:
    """An optimiser with settings; its results are kept under its label."""

    name: str
    settings: tuple[tuple[str, Any], ...] = ()
    given_label: str = ""

    @property
    def label(self) -> str:
        """As given, or the name and the settings."""
        if self.given_label:
            return self.given_label
        given = ",".join(f"{name}={_text(value)}" for name, value in self.settings)
        return f"{self.name}[{given}]" if given else self.name


@dataclass(frozen=True)
class Run:
    """Who is to solve what."""

    contender: Contender
    case: Case

    @property
    def key(self) -> Key:
        """A run whose key is among the records is not made again."""
        case = self.case
        label = self.contender.label
        return (
            label,
            version(self.contender.name),
            case.set,
            case.problem,
            case.instance,
            case.repetition,
        )


def run(task: Run) -> Trial:
    """The same problem, noise and seed for every optimiser."""
    problem = LOADERS[task.case.set](task.case)
    last = len(problem.noise)
    assignment = Assignment(problem.dimensions, problem.noise_variance, last, task.case.seed)
    optimiser = build(task.contender.name, assignment, **dict(task.contender.settings))
    return run_trial(
        optimiser,
        problem.target,
        noise=problem.noise,
        recommend_from=last if problem.recommended else last + 1,
    )


def record_of(outcome: Outcome[Run, Trial]) -> Record:
    """The record of a finished or failed run."""
    label, made_by, problem_set, problem, instance, repetition = outcome.task.key
    record: Record = {
        "optimizer": label,
        "version": made_by,
        "set": problem_set,
        "problem": problem,
        "instance": instance,
        "repetition": repetition,
    }
    if isinstance(outcome.result, Failure):
        return {**record, "error": outcome.result.error}
    return {**record, **_measures(outcome.result)}


def key_of(record: Mapping[str, Any]) -> Key:
    names = ("optimizer", "version", "set", "problem", "instance", "repetition")
    return cast("Key", tuple(record[name] for name in names))


def best_so_far(record: Mapping[str, Any]) -> list[float]:
    """The distance of the best point until each evaluation, from the improvements that are kept."""
    curve = np.full(record["evaluations"], np.nan)
    for number, distance in record["improvements"]:
        curve[number - 1 :] = distance
    return [float(distance) for distance in curve]


def _measures(trial: Trial) -> Record:
    """Seconds are those of the later half of the run, where every optimiser has left its start."""
    later = trial.seconds[len(trial.seconds) // 2 :]
    return {
        "evaluations": len(trial.distances),
        "improvements": list(_improvements(trial.distances)),
        "recommended": [_rounded(distance) for distance in trial.recommended],
        "repeats": trial.repeats,
        "seconds_per_suggestion": round(float(np.mean(later)), 5),
    }


def _improvements(distances: Sequence[float]) -> Iterator[tuple[int, float]]:
    """(number of the evaluation from 1, distance) of every best so far."""
    best = np.inf
    for number, distance in enumerate(distances, start=1):
        if distance < best:
            best = distance
            yield number, _rounded(distance)


def _rounded(distance: float) -> float:
    return float(f"{distance:.{DIGITS}g}")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@dataclass(frozen=True)
class Results:
    """The records in a folder, a file for each set and optimiser: what is run side by side in
    several places merges without a conflict."""

    folder: Path

    def append(self, record: Record) -> None:
        name = "".join(c if c.isalnum() or c in "-_.=," else "_" for c in record["optimizer"])
        JsonLines(self.folder / record["set"] / f"{name}.jsonl").append([record])

    def read(self, problem_set: str) -> list[Record]:
        """The latest record of each key: a run that failed and was made again counts once."""
        latest: dict[Key, Record] = {}
        for path in sorted((self.folder / problem_set).glob("*.jsonl")):
            for record in JsonLines(path).read():
                latest.pop(key_of(record), None)
                latest[key_of(record)] = record
        return list(latest.values())

    def missing(self, tasks: Iterable[Run]) -> list[Run]:
        """Those that are not among the records yet, or failed."""
        wanted = list(tasks)
        done = {
            key_of(record)
            for problem_set in {task.case.set for task in wanted}
            for record in self.read(problem_set)
            if "error" not in record
        }
        return [task for task in wanted if task.key not in done]
