"""From records to the tables of the page: areas, ranks, distances, each paired with ours."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from experiments.markdown import markdown_table
from experiments.statistics import estimate, paired_test
from experiments.suite import coco
from experiments.suite.runs import best_so_far
from experiments.trial import CLOSE, log10_distance

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from experiments.suite.runs import Record

Problem = tuple[str, int, int]  # name, instance, repetition
Scores = dict[str, dict[Problem, float]]  # by optimiser
SHOWN = 1 / 4  # of the problems that an optimiser has to have beside the one with the most
# The suite's own groups of functions.
GROUPS = {
    "separable": range(1, 6),
    "moderate": range(6, 10),
    "ill-conditioned": range(10, 15),
    "multimodal": range(15, 20),
    "weak structure": range(20, 25),
}


def latest_versions(records: Iterable[Record]) -> list[Record]:
    """The finished runs of each optimiser's latest version: that of its last record."""
    done = [record for record in records if "error" not in record]
    versions = {record["optimizer"]: record["version"] for record in done}
    return [record for record in done if record["version"] == versions[record["optimizer"]]]


def scores(records: Iterable[Record], measure: Callable[[Record], float]) -> Scores:
    """`measure` of every record, by optimiser and problem."""
    table: Scores = defaultdict(dict)
    for record in records:
        problem = record["problem"], record["instance"], record["repetition"]
        table[record["optimizer"]][problem] = measure(record)
    return dict(table)


# --- bbob-mixint ---------------------------------------------------------------------------------


def coco_table(records: Sequence[Record], reference: str) -> str:
    """The areas in percent; better and worse are the reference's."""
    table, ends = scores(records, _area), scores(records, _reached)
    ours = table.get(reference, {})
    headings = ("optimiser", "problems", "area %", "at the end %", f"{reference}, same problems")
    rows = [
        [
            name,
            str(len(areas)),
            str(estimate(list(areas.values()))),
            f"{np.mean(list(ends[name].values())):.1f}",
            *_paired(ours, areas),
        ]
        for name, areas in _best_first(table, reference)
    ]
    return markdown_table((*headings, "better", "worse", "p"), rows)


def coco_groups_table(records: Sequence[Record], reference: str) -> str:
    """The mean areas by the suite's groups of functions, in percent."""
    table = scores(records, _area)
    rows = [
        [
            name,
            str(len(areas)),
            *(_group_mean(areas, functions) for functions in GROUPS.values()),
        ]
        for name, areas in _best_first(table, reference)
    ]
    return markdown_table(("optimiser", "problems", *GROUPS), rows)


def _area(record: Record) -> float:
    return 100 * coco.area(best_so_far(record))


def _reached(record: Record) -> float:
    """The share of the targets at the last evaluation."""
    return 100 * coco.area(best_so_far(record)[-1:])


def _best_first(table: Scores, reference: str) -> list[tuple[str, dict[Problem, float]]]:
    """Without those whose few problems would say nothing beside the others' many."""
    least = SHOWN * max(map(len, table.values()), default=0)
    shown = [
        (name, areas) for name, areas in table.items() if name == reference or least <= len(areas)
    ]
    return sorted(shown, key=lambda item: -np.mean(list(item[1].values())))


def _group_mean(areas: dict[Problem, float], functions: range) -> str:
    members = [
        area
        for (problem, *_), area in areas.items()
        if coco.function_and_dimension(problem)[0] in functions
    ]
    return f"{np.mean(members):.1f}" if members else ""


def _paired(ours: dict[Problem, float], theirs: dict[Problem, float]) -> list[str]:
    """Ours on the same problems, better, worse, p; nothing beside itself. Higher is better."""
    same, lower, higher, p = _paired_lower(ours, theirs)
    return [same, higher, lower, p]


def _paired_lower(ours: dict[Problem, float], theirs: dict[Problem, float]) -> list[str]:
    """As `_paired`, where lower is better. Equal in everything is the same optimiser."""
    both = sorted(ours.keys() & theirs.keys())
    if not both or ours == theirs:
        return ["", "", "", ""]
    first, second = [ours[problem] for problem in both], [theirs[problem] for problem in both]
    test = paired_test(first, second)
    counts = [str(test.first_lower), str(test.second_lower)]
    return [f"{np.mean(first):.2f} ({len(both)})", *counts, p_text(test.p_value)]


def p_text(p: float) -> str:
    return f"{p:.1e}" if p < 0.001 else f"{p:.3f}"


# --- tuning and designs ---------------------------------------------------------------------------


def quick_and_slow(records: Sequence[Record], reference: str) -> tuple[list[str], list[str]]:
    """The optimisers with at least half of the reference's runs; and of the others, those with at
    least half of the most of them: one that has made a few must not leave all with as few."""
    counts = {name: len(runs) for name, runs in scores(records, _end).items()}
    quick = [name for name in counts if 2 * counts[name] >= counts.get(reference, 0)]
    most = max((counts[name] for name in counts if name not in quick), default=0)
    slow = [name for name in counts if name not in quick and 2 * counts[name] >= most]
    return quick, slow


def ranks_table(records: Sequence[Record], reference: str, names: Collection[str]) -> str:
    """Mean ranks of the optimisers of these names, over the runs that all of them have made."""
    halfway, end = scores(records, _halfway), scores(records, _end)
    shared = sorted(set.intersection(*(set(end[name]) for name in names))) if names else []
    if not shared:
        return "No run has been made by all of the optimisers yet.\n"
    at_half = _ranks({name: halfway[name] for name in names}, shared)
    at_end = _ranks({name: end[name] for name in names}, shared)
    rows = [
        [
            name,
            str(len(shared)),
            str(estimate(list(at_half[name].values()))),
            str(estimate(list(at_end[name].values()))),
            *_paired_lower(at_end.get(reference, {}), at_end[name])[1:],
        ]
        for name in sorted(names, key=lambda name: sum(at_end[name].values()))
    ]
    headings = ("optimiser", "runs", "rank at half", "at the end")
    return markdown_table((*headings, "better", "worse", "p"), rows)


def losses_table(
    records: Sequence[Record], reference: str, names: Collection[str], tasks: Iterable[str]
) -> str:
    """The mean loss at the end by task, with the p of the paired test against the reference."""
    end = scores(records, _end)
    names = [reference, *sorted(set(names) - {reference})]
    rows = [
        [task, *(_loss_cell(task, end.get(reference, {}), end.get(name, {})) for name in names)]
        for task in tasks
    ]
    return markdown_table(("task", *names), rows)


def _halfway(record: Record) -> float:
    curve = best_so_far(record)
    return curve[len(curve) // 2 - 1]


def _end(record: Record) -> float:
    return best_so_far(record)[-1]


def _ranks(table: Scores, shared: Sequence[Problem]) -> Scores:
    """The rank of each optimiser in each shared run; ties share theirs."""
    losses = np.array([[table[name][problem] for problem in shared] for name in table])
    ranks = rankdata(losses, axis=0)
    return {
        name: dict(zip(shared, row.tolist(), strict=True))
        for name, row in zip(table, ranks, strict=True)
    }


def _loss_cell(task: str, ours: dict[Problem, float], theirs: dict[Problem, float]) -> str:
    """The mean loss; in brackets p, + where the reference is better more often, − worse."""
    losses = {problem: loss for problem, loss in theirs.items() if problem[0] == task}
    both = sorted(ours.keys() & losses.keys())
    if not losses:
        return ""
    mean = f"{np.mean(list(losses.values())):#.4g}".rstrip(".")
    if not both or ours is theirs:
        return mean
    test = paired_test([ours[problem] for problem in both], [theirs[problem] for problem in both])
    signs = {1: "+", 0: "=", -1: "−"}
    sign = signs[int(np.sign(test.first_lower - test.second_lower))]
    return f"{mean} ({sign} {p_text(test.p_value)})"


# --- the paper's problems ------------------------------------------------------------------------


def draws_table(records: Sequence[Record], reference: str) -> str:
    """log₁₀ distances at the end: under noise of the recommended point, else of the best.

    Where results are exact the others are paired with the reference that is told so, if it has run.
    """
    headings = (
        "problem",
        "optimiser",
        "draws",
        "log10 best",
        "log10 recommended",
        f"{reference}, same draws",
        "better",
        "worse",
        "p",
        "until 1e-2",
        "within 1e-2",
        "repeats %",
        "CPU s/suggestion",
    )
    rows = [
        _draws_row(name, members, _reference_of(group, reference))
        for group in _by_problem(records)
        for name, members in _by_optimiser(group)
    ]
    return markdown_table(headings, rows)


def _reference_of(group: Sequence[Record], reference: str) -> list[Record]:
    told = [record for record in group if record["optimizer"] == f"{reference}-noiseless"]
    noisy = group[0]["problem"].endswith("-noisy")
    return told if told and not noisy else [r for r in group if r["optimizer"] == reference]


def _by_problem(records: Sequence[Record]) -> list[list[Record]]:
    names = sorted({record["problem"] for record in records})
    return [[record for record in records if record["problem"] == name] for name in names]


def _by_optimiser(records: Sequence[Record]) -> list[tuple[str, list[Record]]]:
    names = sorted({record["optimizer"] for record in records})
    return [(name, [r for r in records if r["optimizer"] == name]) for name in names]


def _draws_row(name: str, members: list[Record], ours: list[Record]) -> list[str]:
    problem = members[0]["problem"]
    measure = _log_recommended if problem.endswith("-noisy") else _log_best
    best = [_log_best(record) for record in members]
    recommended = [_log_recommended(record) for record in members]
    until = [_until_close(record) for record in members]
    close = sum(
        number <= record["evaluations"] for number, record in zip(until, members, strict=True)
    )
    repeats = sum(r["repeats"] for r in members) / sum(r["evaluations"] for r in members)
    return [
        f"{problem}, {members[0]['evaluations']} evaluations",
        name,
        str(len(members)),
        str(estimate(best)),
        str(estimate(recommended)) if measure is _log_recommended else "",
        *_paired_lower(*(_values(rows, measure) for rows in (ours, members))),
        str(estimate(until)),
        f"{close}/{len(members)}",
        f"{100 * repeats:.0f}",
        f"{np.mean([r['seconds_per_suggestion'] for r in members]):.3f}",
    ]


def _values(rows: list[Record], measure: Callable[[Record], float]) -> dict[Problem, float]:
    return next(iter(scores(rows, measure).values()), {})


def _log_best(record: Record) -> float:
    return log10_distance(best_so_far(record)[-1])


def _log_recommended(record: Record) -> float:
    return log10_distance(record["recommended"][-1])


def _until_close(record: Record) -> int:
    """A run that never came close counts as one more: leaving it out would favour it."""
    hits = [number for number, distance in record["improvements"] if distance <= CLOSE]
    return hits[0] if hits else int(record["evaluations"]) + 1
