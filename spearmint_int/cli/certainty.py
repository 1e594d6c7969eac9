"""`certainty` and `audit`: how sure the model is of the optimum, and what rounding would waste."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spearmint_int import value_text
from spearmint_int.cli.arguments import json_option, on_folder
from spearmint_int.cli.output import clip, columns_of, print_facts, print_json, to_right
from spearmint_int.cli.waiting import fitting, interruptible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spearmint_int.analysis.optimum import OptimumDraws
    from spearmint_int.analysis.rounding import Waste
    from spearmint_int.chooser import Problem
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.snapshot import Snapshot

BAR_WIDTH = 20
SHOWN_CHANCE, MOST_VALUES = 0.005, 8  # of the values that are shown each
WIDEST_VALUE = 20  # columns; longer options are cut
OTHERS, OTHERS_CHANCE = "others", 0.0005  # all other values, where they are not 0.0 %
NO_MODEL: dict[str, Any] = {"regret": None, "exact": None, "probability_of_best": {}, "cells": []}
MOST_MOMENTS = 40  # moments of a run at which the other treatments choose


@click.command(short_help="How sure the model is of the optimum.")
@json_option
@on_folder
def certainty(folder: Folder, as_json: bool) -> None:
    """The probability that each integer, each option and, of a small lattice, each combination is
    the best, and what may be left to gain.

    It is the model's belief, from joint draws of the function: as good as the model is.
    """
    from spearmint_int.snapshot import Snapshot  # noqa: PLC0415

    with folder.store() as store:
        snapshot = Snapshot.of_store(folder.config, store)
    draws = interruptible(fitting(len(snapshot.finished)), lambda: _draws(snapshot))
    if draws is None:
        _tell_why_not(snapshot, as_json=as_json)
    elif as_json:
        print_json(_document(draws))
    else:
        print_facts(_facts(draws))


def _draws(snapshot: Snapshot) -> OptimumDraws | None:
    """None where there is no model, or it has no best place."""
    import numpy as np  # noqa: PLC0415

    from spearmint_int.analysis.optimum import optimum_draws  # noqa: PLC0415
    from spearmint_int.blas import one_blas_thread  # noqa: PLC0415

    model = snapshot.model
    if model is None or model.has_no_best:
        return None
    with one_blas_thread():
        return optimum_draws(model, np.random.default_rng(0))


def _tell_why_not(snapshot: Snapshot, *, as_json: bool) -> None:
    from spearmint_int.analysis.optimum import NONE_KNOWN  # noqa: PLC0415

    varies = bool(snapshot.problem.space.groups)
    reason = "two results are needed for a model" if varies else "no variable can vary"
    if snapshot.model is not None:
        reason = NONE_KNOWN
    if as_json:
        print_json(NO_MODEL | {"reason": reason})
    else:
        click.echo(reason)


def _facts(draws: OptimumDraws) -> Iterator[tuple[str, str]]:
    from spearmint_int.analysis.optimum import certificate  # noqa: PLC0415

    found = certificate(draws)
    exact = "every point of the space" if draws.is_exact else f"{len(draws.points)} points"
    yield "optimum", f"{found} (looked at {exact})"
    yield "expected gain", f"{value_text.number(found.expected_regret)} is left on average"
    tables = [(name, likeliest(chances)) for name, chances in _chances(draws)]
    width = max((columns_of(label) for _, rows in tables for label, _ in rows), default=0)
    for name, rows in tables:
        for i, (label, chance) in enumerate(rows):
            yield ("" if i else name), f"{to_right(label, width)} {_bar(chance)}"
    yield from _cell_facts(draws)


def likeliest(chances: Mapping[Any, float]) -> list[tuple[str, float]]:
    """(text, probability) of the most likely values in their own order, and of all others."""
    first = sorted(chances, key=lambda value: -chances[value])[:MOST_VALUES]
    shown = {v: p for v, p in chances.items() if v in first and p >= SHOWN_CHANCE}
    rows = [(clip(value_text.param(v), WIDEST_VALUE), p) for v, p in shown.items()]
    return rows + _others(list(shown.values()))


def _others(shown: Sequence[float]) -> list[tuple[str, float]]:
    rest = 1.0 - sum(shown)
    return [(OTHERS, rest)] if rest >= OTHERS_CHANCE else []


def _cell_facts(draws: OptimumDraws) -> Iterator[tuple[str, str]]:
    """The likeliest combinations, where there are several variables to combine."""
    from spearmint_int.analysis.optimum import best_cells  # noqa: PLC0415

    cells = best_cells(draws)[:MOST_VALUES] if len(draws.space.groups) > 1 else []
    rows = [(value_text.params(params), chance) for params, chance in cells]
    rows += _others([chance for _, chance in cells]) if cells else []
    for i, (where, chance) in enumerate(rows):
        yield ("" if i else "all together"), f"{_bar(chance)} {where}"


def _bar(chance: float) -> str:
    return f"{'█' * max(round(BAR_WIDTH * chance), 1):<{BAR_WIDTH}} {chance:.1%}"


def _chances(draws: OptimumDraws) -> Iterator[tuple[str, dict[Any, float]]]:
    from spearmint_int.analysis.optimum import (  # noqa: PLC0415
        discrete_groups,
        probability_of_best,
    )

    for group in discrete_groups(draws.space):
        yield draws.space.group_names[group], probability_of_best(draws, group)


def _document(draws: OptimumDraws) -> dict[str, Any]:
    from spearmint_int.analysis.optimum import best_cells, certificate  # noqa: PLC0415

    found = certificate(draws)
    return {
        "regret": {"mean": found.expected_regret, f"{100 * found.confidence:g} %": found.bound},
        "exact": draws.is_exact,
        "probability_of_best": {
            name: [{"value": value, "probability": chance} for value, chance in chances.items()]
            for name, chances in _chances(draws)
        },
        "cells": [{"params": p, "probability": chance} for p, chance in best_cells(draws)],
    }


@click.command(short_help="What rounding would have wasted.")
@json_option
@on_folder
def audit(folder: Folder, as_json: bool) -> None:
    """How many suggestions would have been wasted if integers were rounded and not in the kernel.

    At moments of this run the naive and the basic treatment choose too; what they choose is wasted
    where it rounds to an evaluation that was there already.
    """
    from spearmint_int.analysis.rounding import waste_of_rounding  # noqa: PLC0415

    moments = _moments(folder)
    text = f"choosing again at {value_text.counted(len(moments), 'moment')}; Ctrl-C ends it"
    wastes = interruptible(text, lambda: waste_of_rounding(moments))
    if as_json:
        print_json([vars(waste) for waste in wastes])
    elif not moments:
        click.echo(
            "no job was chosen by a model yet, or no choice can be computed again: see 'replay'"
        )
    else:
        print_facts((waste.treatment, _waste_text(waste)) for waste in wastes)


def _waste_text(waste: Waste) -> str:
    share = f"{waste.repeats / waste.asked:.0%}"
    return f"{waste.repeats} of {waste.asked} suggestions would have been repeats ({share})"


def _moments(folder: Folder) -> Sequence[Problem]:
    """The problems before the jobs that a model has chosen, evenly thinned."""
    from spearmint_int.experiment.experiment import StoredExperiment  # noqa: PLC0415
    from spearmint_int.experiment.replay import is_replayable, problem_before  # noqa: PLC0415
    from spearmint_int.jobs import JobStatus  # noqa: PLC0415

    with folder.store() as store:
        experiment = StoredExperiment.read(folder.config, store)
        points = store.job_points(list(JobStatus))
        chosen = [j for j in store.jobs() if is_replayable(j) and "acquisition" in j.provenance]
    step = max(len(chosen) // MOST_MOMENTS, 1)
    return [problem_before(experiment, points, job) for job in chosen[::step]]
