"""Why a job was chosen, in words: its provenance, and the explanation of the choice.

Pure functions to (name, text) pairs, for the command line and the dashboard.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spearmint_int import value_text
from spearmint_int.registry import ACQUISITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spearmint_int.experiment.explanation import Expected, Explanation, RunnerUp

# What is maximised beside the acquisitions that a config can name.
OTHERS = {"feasibility": "probability that every constraint holds"}
NONE_KNOWN = "no place where every constraint holds"
USUAL = 2.0  # standard deviations; beyond it a result is a surprise


def reasons(provenance: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(name, text) of what the chooser knew and weighed; nothing for a job without provenance."""
    if "source" in provenance:
        yield "chosen by", _chosen_by(provenance)
    if "observations" in provenance:
        yield "knowing", _knowing(provenance)
    if "reason" in provenance:
        yield "because", str(provenance["reason"])
    if (provenance.get("chain") or {}).get("fallback"):
        yield "model", "by hyperparameters that are typical: they could not be sampled"
    if provenance.get("repeat"):
        yield "repeat", "yes: under noise, another look here is worth more than a new point"


def _chosen_by(provenance: Mapping[str, Any]) -> str:
    found = str(provenance["source"])
    if provenance.get("value") is None:
        return found
    acquisition = str(provenance.get("acquisition", "value"))
    spelt_out = ACQUISITIONS.about(acquisition) or OTHERS.get(acquisition, acquisition)
    value = f"{spelt_out} {value_text.number(provenance['value'])}"
    second = (provenance.get("runner_up") or {}).get("value")
    runner_up = "" if second is None else f" (runner-up {value_text.number(second)})"
    return f"{value}{runner_up}, found by {found}"


def _knowing(provenance: Mapping[str, Any]) -> str:
    failed = provenance.get("failed", 0)  # of the observations
    results = value_text.counted(provenance["observations"] - failed, "result")
    parts = [results, f"{provenance.get('pending', 0)} pending"]
    if failed:
        parts.append(f"{failed} failed")
    took = provenance.get("seconds")
    chosen_in = "" if took is None else f"; chosen in {value_text.duration(took)}"
    return ", ".join(parts) + chosen_in


# --- the explanation of a choice ------------------------------------------------------------------


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
