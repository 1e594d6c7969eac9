"""`explain`: why a job is where it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from spearmint_int import value_text
from spearmint_int.cli.arguments import config_option, jobs_and_folder, json_option
from spearmint_int.cli.output import print_facts, print_json
from spearmint_int.cli.provenance_text import reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.explanation import Expected, Explanation, RunnerUp
    from spearmint_int.jobs import Job

# Of a job that has no provenance, by its source.
WITHOUT_PROVENANCE = {
    "chooser": "the chooser, in a version that did not keep why",
    "initial": "the user, not a chooser: it is a guess, to be tried first",
    "user": "the user, not a chooser: its result was brought",
    "import": "not a chooser: its result is from another database",
}
NONE_KNOWN = "no place where every constraint holds"
USUAL = 2.0  # standard deviations; beyond it a result is a surprise


@click.command(short_help="Why a job was chosen.")
@click.argument("arguments", metavar="[DIR] JOB", nargs=-1, required=True)
@config_option
@json_option
def explain(arguments: tuple[str, ...], file_name: str, as_json: bool) -> None:
    """Why a job was chosen: what the model expected there, what else it weighed, and what would
    have changed its mind."""
    from spearmint_int.experiment import StoredExperiment  # noqa: PLC0415
    from spearmint_int.explanation import explain as explanation_of  # noqa: PLC0415
    from spearmint_int.jobs import JobStatus  # noqa: PLC0415

    ids, folder = jobs_and_folder(arguments, file_name)
    if len(ids) != 1:
        raise click.UsageError("give the number of one job")
    with folder.store() as store:
        job = store.job(ids[0])
        experiment = StoredExperiment.read(folder.config, store)
        found = explanation_of(experiment, store.job_points(list(JobStatus)), job)
    if as_json:
        print_json({"job": job.id, "explanation": found and found.to_json()})
        return
    print_facts([*_facts(job), *(() if found is None else explanation_facts(found))])


def _facts(job: Job) -> Iterator[tuple[str, str]]:
    yield "job", f"{job.id} at {value_text.params(job.params)}"
    yield from reasons(job.provenance)
    if not job.provenance:
        yield "chosen by", WITHOUT_PROVENANCE[job.source.value]


def explanation_facts(found: Explanation) -> Iterator[tuple[str, str]]:
    """(name, text) of what was weighed."""
    if found.declared_anew:
        yield "variables", "were declared anew since: all of this is among those of then"
    yield from _settings_facts(found)
    yield "best known", NONE_KNOWN if found.seeks_feasible else _estimate(found.best_known)
    yield "expected", f"{_estimate(found.expected)} here"
    yield "why here", why_here(found)
    yield from value_text.constraints(found.constraints)
    if found.works is not None:
        yield "works", f"with a probability of {found.works:.0%}, by the model of what failed"
    if found.runner_up is not None:
        yield "runner-up", runner_up_text(found.runner_up, found.expected)
    yield "decisive", _decisive(found.decisive_jobs)
    if found.observed is not None and found.surprise is not None:
        yield "it turned out", outcome_text(found.observed, found.evaluation, found.surprise)
    elif found.failure is not None:
        expected = f"no value, where one of {_estimate(found.evaluation)} was expected"
        yield "it turned out", f"{expected}: {found.failure}"


def _settings_facts(found: Explanation) -> Iterator[tuple[str, str]]:
    """Nothing where all is as it was."""
    if found.settings_of_then:
        was = ", ".join(f"{n} was {json.dumps(v)}" for n, v in found.settings_of_then.items())
        yield "settings", f"were changed since ({was}): all of this is by those of then"
    if not found.same_problem:
        yield (
            "settings",
            "these or the data were others then: all of this is by those of now, and may not be "
            "what decided",
        )


def _estimate(expected: Expected) -> str:
    return value_text.estimate(expected.mean, expected.sd)


def why_here(found: Explanation) -> str:
    """The split of the expected improvement, in words."""
    if found.seeks_feasible:
        return "it is where every constraint was likeliest to hold: no such place was known yet"
    hoped, promised = f"{found.exploration:.0%}", f"{found.exploitation:.0%}"
    return (
        f"{hoped} because it may be better where little is known (exploration), "
        f"{promised} because it is expected to be (exploitation)"
    )


def runner_up_text(runner_up: RunnerUp, chosen: Expected) -> str:
    """Where it was, what was expected there, and how that differs from the winner."""
    there = runner_up.expected
    surer = "less uncertain" if there.sd < chosen.sd else "more uncertain"
    apart = abs(there.mean - chosen.mean)
    side = "lower" if there.mean < chosen.mean else "higher"
    mean = f"expected {value_text.number(apart)} {side}" if apart > 0 else "expected the same"
    where = value_text.params(runner_up.params)
    return f"{_estimate(there)} at {where}: {mean}, {surer}"


def _decisive(jobs: tuple[int, ...]) -> str:
    if not jobs:
        return "no single result: without any one of the best or nearest it would be here too"
    named = ", ".join(map(str, jobs))
    return (
        f"job {named}: without it the choice would have been elsewhere"
        if len(jobs) == 1
        else (f"jobs {named}: without any one of them the choice would have been elsewhere")
    )


def outcome_text(observed: float, evaluation: Expected, surprise: float) -> str:
    """Expected against observed, with the sd that the difference is counted in."""
    side = "above" if surprise > 0 else "below"
    verdict = "as expected" if abs(surprise) <= USUAL else "a surprise"
    apart = f"{value_text.number(observed)}, {abs(surprise):.1f} sd {side}"
    return f"{apart} the {_estimate(evaluation)} of one evaluation, noise included: {verdict}"
