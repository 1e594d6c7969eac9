"""`status` and `best`: how far the experiment is, and its best settings so far."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import click

from spearmint_int import value_text
from spearmint_int.best import best_of, fulfils
from spearmint_int.cli.arguments import json_option, on_folder
from spearmint_int.cli.jobs import last_jobs
from spearmint_int.cli.output import job_document, print_facts, print_json
from spearmint_int.cli.waiting import fitting, interruptible
from spearmint_int.goal import load_goal
from spearmint_int.jobs import FAILED_HERE, FINISHED, NONE_FULFILS, JobStatus
from spearmint_int.reserved import reserved_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.chooser import Recommendation
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.config import Config
    from spearmint_int.goal import Goal
    from spearmint_int.jobs import Job, JobPoint
    from spearmint_int.stores import Store


@dataclass(frozen=True)
class StatusReport:
    """How far an experiment is; as it stands before its first job."""

    counts: dict[JobStatus, int]
    reserved: int = 0  # of the new ones
    queued: int = 0  # of the pending ones
    finished: int = 0  # jobs that count against the budget and have ended
    without_number: int = 0  # jobs that ran to their end, and failed there
    fulfilling: int = 0  # jobs with a number that violate no constraint
    missing: tuple[str, ...] = ()  # constraints without a number in any job
    best: Job | None = None
    best_within: Job | None = None  # the present bounds, which may have been narrowed
    last_broken: Job | None = None
    job_seconds: float | None = None  # of a typical job
    points_left: int | None = None  # of a finite space without noise
    damaged: tuple[int, ...] = ()
    location: str = "none yet; 'spearmint-int run' makes one"
    goal: Goal | None = None


@click.command(short_help="How far it is, and the best so far.")
@click.option("--plots", is_flag=True, help="Also a line of bars for the results and the model.")
@json_option
@on_folder
def status(folder: Folder, plots: bool, as_json: bool) -> None:
    """Jobs done, running, waiting and broken, and the best so far."""
    config = folder.config
    with folder.results() as store:
        empty = StatusReport(dict.fromkeys(JobStatus, 0))
        report = empty if store is None else _report(config, store)
        lines = _figures(config, store) if plots and store is not None else []
    if as_json:
        print_json(_status_document(config, report))
    else:
        print_facts([*_status_facts(config, report), *lines])


def _report(config: Config, store: Store) -> StatusReport:
    tally = store.tally(config.resources)
    damaged = tuple(damage.job_id for damage in store.damaged())
    complete = [e for e in store.job_points([JobStatus.COMPLETE]) if e.id not in damaged]
    seconds = [e.seconds for e in complete if e.seconds is not None]
    return StatusReport(
        counts=tally.counts,
        reserved=min(len(reserved_ids(store)), tally.counts[JobStatus.NEW]),
        queued=sum(job.is_queued for job in store.jobs(JobStatus.PENDING)),
        finished=tally.finished,
        without_number=sum(not math.isfinite(e.value(config.task_name)) for e in complete),
        fulfilling=len(_fulfilling(complete, config)),
        missing=_without_numbers(complete, config),
        best=_best_job(store, complete, config),
        best_within=_best_job(store, _within_bounds(store, complete, config), config),
        last_broken=next(iter(last_jobs(store, JobStatus.BROKEN, 1)), None),
        job_seconds=median(seconds) if seconds else None,
        points_left=_points_left(config, store),
        damaged=damaged,
        location=store.location,
        goal=load_goal(store) if config.stop_when else None,
    )


def _points_left(config: Config, store: Store) -> int | None:
    """How many points are not evaluated yet; None where a run doesn't end when there are none."""
    kinds = {variable.type for variable in config.variables.values()}
    if "FLOAT" in kinds or config.likelihood != "NOISELESS" or config.budget is None:
        return None
    from spearmint_int.experiment.experiment import StoredExperiment  # noqa: PLC0415 (linear algebra)

    problem = StoredExperiment.read(config, store).problem()
    return int(problem.space.cells) - len(problem.evaluated_keys)


def _figures(config: Config, store: Store) -> list[tuple[str, str]]:
    from spearmint_int.cli.sparklines import figures  # noqa: PLC0415
    from spearmint_int.snapshot import Snapshot  # noqa: PLC0415 (the model: linear algebra)

    snapshot = Snapshot.of_store(config, store)
    return interruptible(fitting(len(snapshot.finished)), lambda: list(figures(snapshot)))


def _best_job(store: Store, complete: list[JobPoint], config: Config) -> Job | None:
    """The job with the best value of those that fulfil every constraint, the first of equals."""
    from spearmint_int.config.declaration import of_today  # noqa: PLC0415 (pydantic)

    found = best_of(
        _fulfilling(complete, config),
        value=lambda e: e.value(config.task_name),
        maximize=config.maximize,
    )
    return None if found is None else of_today(store.job(found.id), config)


def _fulfilling(complete: list[JobPoint], config: Config) -> list[JobPoint]:
    """The jobs with a number that violate no constraint."""
    return [
        e
        for e in complete
        if fulfils(e.value(config.task_name), e.values or {}, config.constraints)
    ]


def _without_numbers(complete: list[JobPoint], config: Config) -> tuple[str, ...]:
    """The constraints without a number in any job, though some have ended."""
    if not complete:
        return ()
    return tuple(
        name
        for name in config.constraints
        if not any(math.isfinite(e.value(name)) for e in complete)
    )


def _within_bounds(store: Store, complete: list[JobPoint], config: Config) -> list[JobPoint]:
    """The jobs within the present bounds."""
    from spearmint_int.config.declaration import eras, is_of  # noqa: PLC0415 (pydantic)

    known = eras(store)
    if all(is_of(config, era) for era in known):
        return complete
    from spearmint_int.experiment.recode import Placement  # noqa: PLC0415 (numpy)

    was = {name: variable.was for name, variable in config.variables.items()}
    placement = Placement.among(known, config.space(), was)
    return [job for job in complete if placement.is_within(job.id, job.point)]


def _status_facts(config: Config, report: StatusReport) -> Iterator[tuple[str, str]]:
    yield "experiment", config.experiment_name
    yield "store", report.location
    yield (
        "finished",
        f"{value_text.out_of(report.finished, config.budget)} ({_counts_text(report)})",
    )
    yield "time left", _time_left(config, report)
    broken = report.last_broken
    if report.best is not None:
        yield "best", _result(config, report.best, _beyond(report))
    elif _has_number(report):
        yield "best", NONE_FULFILS
    if report.best_within != report.best:
        yield "within them", _result(config, report.best_within)
    yield from _constraint_facts(config, report)
    if report.without_number:
        complete = value_text.counted(report.counts[JobStatus.COMPLETE], "complete job")
        yield "no number", f"{report.without_number} of {complete} {FAILED_HERE}"
    if report.goal is not None:
        yield "goal", str(report.goal)
    if broken is not None and broken.failures:
        yield "last broken", f"job {broken.id}: {broken.failures[-1].message}"
    if report.damaged:
        yield "damaged", value_text.damaged(report.damaged)


def _has_number(report: StatusReport) -> bool:
    return report.counts[JobStatus.COMPLETE] > report.without_number


def _constraint_facts(config: Config, report: StatusReport) -> Iterator[tuple[str, str]]:
    """The line on constraints; none without constraints or without a result."""
    if not config.constraints or not _has_number(report):
        return
    results = report.counts[JobStatus.COMPLETE] - report.without_number
    yield "constraints", f"{report.fulfilling} of {results} results fulfil every one"
    yield from _missing_facts(report)


def _missing_facts(report: StatusReport) -> Iterator[tuple[str, str]]:
    """A line for each constraint that no result has, whose name is likely misspelt."""
    for name in report.missing:
        yield "", f"no result has a number for {name}: return it by that name beside the objective"


def _result(config: Config, job: Job | None, note: str = "") -> str:
    if job is None:
        return "no result yet"
    value = value_text.number((job.values or {}).get(config.task_name))
    return f"{value} at {value_text.params(job.params)} (job {job.id}{note})"


def _beyond(report: StatusReport) -> str:
    return "" if report.best == report.best_within else ", outside of the present bounds"


def _counts_text(report: StatusReport) -> str:
    """`2 new, 3 reserved, 1 queued, 7 complete`. Reserved jobs are new, but no run takes them;
    queued ones are pending, but do not run yet."""
    counts = {status.value: number for status, number in report.counts.items()}
    new, pending = counts.pop("new") - report.reserved, counts.pop("pending") - report.queued
    waiting = {"new": new, "reserved": report.reserved, "queued": report.queued}
    counts = waiting | {"pending": pending} | counts
    text = ", ".join(f"{n} {word}" for word, n in counts.items() if n) or "no jobs yet"
    outside = sum(report.counts[status] for status in FINISHED) - report.finished
    return value_text.with_outside(text, outside)


def _time_left(config: Config, report: StatusReport) -> str:
    """The time that a run with all the config's slots has left; empty where it is not known."""
    seconds = _seconds_left(config, report)
    return "" if seconds is None else f"about {value_text.duration(seconds)}"


def _seconds_left(config: Config, report: StatusReport) -> float | None:
    if config.budget is None or report.job_seconds is None:
        return None
    left = config.budget - report.finished
    if report.points_left is not None:
        left = min(left, report.points_left)
    if left <= 0 or _has_reached_goal(config, report.goal):
        return None
    slots = sum(resource.max_concurrent for resource in config.resources.values())
    return math.ceil(left / slots) * report.job_seconds


def _has_reached_goal(config: Config, goal: Goal | None) -> bool:
    """Whether a run would end at once. A goal by another `stop-when` than the config's says
    nothing."""
    from spearmint_int.config.stop_rule import StopRule  # noqa: PLC0415 (pydantic)

    if config.stop_when is None or goal is None:
        return False
    rule = StopRule.of(config.stop_when)
    return goal.is_reached and rule == StopRule(goal.wanted, goal.confidence)


def _status_document(config: Config, report: StatusReport) -> dict[str, Any]:
    best, within = report.best, report.best_within
    return {
        "experiment": config.experiment_name,
        "store": report.location,
        "budget": config.budget,
        "finished": report.finished,
        "seconds_left": _seconds_left(config, report),
        "jobs": {status.value: number for status, number in report.counts.items()},
        "reserved": report.reserved,
        "queued": report.queued,
        "without_number": report.without_number,
        **({"fulfilling": report.fulfilling} if config.constraints else {}),
        "damaged": list(report.damaged),
        "best": best and job_document(best, task=config.task_name),
        "best_within_bounds": within and job_document(within, task=config.task_name),
        "goal": report.goal and vars(report.goal),
    }


@click.command(short_help="The best settings: observed, and by the model.")
@json_option
@on_folder
def best(folder: Folder, as_json: bool) -> None:
    """The job with the best value that fulfils every constraint, and the optimum of the model.

    Under noise trust the model: the best value of many noisy ones is lucky.
    """
    config = folder.config
    with folder.results() as store:
        report = None if store is None else _report(config, store)
        if as_json:
            print_json(_best_document(config, report, _model_optimum(config, store)))
        elif report is None or not _has_number(report):
            click.echo("no result yet")
        else:  # what is known at once: the model of thousands of results takes minutes
            _, optimum = _extreme_and_optimum(config)
            print_facts(_observed_facts(config, report), at_least=len(optimum))
            print_facts(_model_facts(config, _model_optimum(config, store)))


def _model_optimum(config: Config, store: Store | None) -> Recommendation | None:
    if store is None:
        return None
    from spearmint_int.experiment.experiment import StoredExperiment  # noqa: PLC0415 (linear algebra)

    experiment = StoredExperiment.read(config, store)
    return interruptible(fitting(experiment.history.finished), experiment.recommend)


def _extreme_and_optimum(config: Config) -> tuple[str, str]:
    """What the best value and the model's are called."""
    return (
        ("highest value", "model's maximum")
        if config.maximize
        else ("lowest value", "model's minimum")
    )


def _observed_facts(config: Config, report: StatusReport) -> Iterator[tuple[str, str]]:
    extreme, _ = _extreme_and_optimum(config)
    if report.best is None:
        yield extreme, NONE_FULFILS
        yield from _missing_facts(report)
    else:
        yield from _value_and_place(extreme, report.best, config, _beyond(report))
    if report.best_within != report.best:
        within = extreme.replace("value", "within them")
        yield from _value_and_place(within, report.best_within, config)


def _model_facts(config: Config, model: Recommendation | None) -> Iterator[tuple[str, str]]:
    if model is not None:
        _, optimum = _extreme_and_optimum(config)
        yield optimum, value_text.estimate(model.mean, model.sd)
        yield "  at", value_text.params(model.params)
        yield from value_text.constraints(model.constraints, model.note)


def _value_and_place(
    name: str, job: Job | None, config: Config, note: str = ""
) -> Iterator[tuple[str, str]]:
    if job is None:
        yield name, "no result yet"
        return
    value = value_text.number((job.values or {}).get(config.task_name))
    yield name, f"{value} (job {job.id}{note})"
    yield "  at", value_text.params(job.params)


def _best_document(
    config: Config, report: StatusReport | None, model: Recommendation | None
) -> dict[str, Any]:
    best, within = (None, None) if report is None else (report.best, report.best_within)
    return {
        "observed": best and job_document(best, task=config.task_name),
        "observed_within_bounds": within and job_document(within, task=config.task_name),
        "model": model and _model_document(model),
    }


def _model_document(model: Recommendation) -> dict[str, Any]:
    document = {"params": model.params, "mean": model.mean, "sd": model.sd}
    if model.constraints:
        document |= {"constraints": dict(model.constraints), "note": model.note or None}
    return document
