"""The page of the suite, from the records that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.peers.adapters import NAMES
from experiments.suite import classics, coco, designs, draws, idle, tables, tuning
from experiments.suite.plan import REPORTED, TUNED_ON

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from experiments.suite.runs import Record, Results


def coco_report(
    results: Results,
    *,
    reference: str,
    dimensions: Collection[int],
    functions: Collection[int] = coco.FUNCTIONS,
    instances: Collection[int] = coco.INSTANCES,
) -> str:
    """For each dimension a table of areas, one of the groups of functions, one of the variants."""
    chosen = [
        record
        for record in results.read(coco.SET)
        if record["instance"] in instances
        and coco.function_and_dimension(record["problem"])[0] in functions
    ]
    parts = [part for dimension in dimensions for part in _coco_parts(chosen, dimension, reference)]
    return "\n".join(parts)


def _coco_parts(chosen: list[Record], dimension: int, reference: str) -> list[str]:
    of_dimension = [r for r in chosen if coco.function_and_dimension(r["problem"])[1] == dimension]
    shown = tables.latest_versions(of_dimension)
    if reference not in {record["optimizer"] for record in shown}:
        return []
    instances = _range({record["instance"] for record in shown})
    title = f"### bbob-mixint, {dimension}-D, instances {instances}\n"
    others, variants = _split(shown, reference)
    parts = [
        title,
        tables.coco_table(others, reference),
        tables.coco_groups_table(others, reference),
    ]
    if variants:
        parts += ["Variants of ours:\n", tables.coco_table(variants, reference)]
    return parts


def tuning_report(results: Results, *, reference: str) -> str:
    """Ranks over all tasks, then losses task by task."""
    return "### Tuning\n\n" + _ranked_report(results.read(tuning.SET), reference, tuning.TASKS)


def designs_report(results: Results, *, reference: str) -> str:
    """The same of the designs that were tuned on, and of the others."""
    parts = []
    for title, names in (("", designs.REPORTED), (", tuned on", designs.TUNED_ON)):
        records = [r for r in results.read(designs.SET) if r["problem"] in names]
        if any(record["optimizer"] == reference for record in records):
            parts.append(f"### Designs{title}\n\n" + _ranked_report(records, reference, names))
    return "\n".join(parts)


def classics_report(results: Results, *, reference: str) -> str:
    """The same of the test functions."""
    records = list(results.read(classics.SET))
    if not any(record["optimizer"] == reference for record in records):
        return ""
    return "### Classics\n\n" + _ranked_report(records, reference, classics.NAMES)


def idle_report(
    results: Results, *, reference: str, instances: Collection[int] | None = None
) -> str:
    """Tables of areas where few of many variables matter."""
    titles = {
        f"bbob-mixint, {idle.MATTERING}-D, among {idle.IDLE} idle integers": idle.FUNCTIONS,
        f"Valleys of two among {idle.VALLEYS_VARIABLES} integers": (idle.VALLEYS,),
    }
    records = [r for r in results.read(idle.SET) if instances is None or r["instance"] in instances]
    parts = []
    for title, names in titles.items():
        shown = tables.latest_versions(r for r in records if r["problem"] in names)
        if any(record["optimizer"] == reference for record in shown):
            numbers = _range({record["instance"] for record in shown})
            parts.append(f"### {title}, instances {numbers}\n")
            parts.append(tables.coco_table(shown, reference))
    return "\n".join(parts)


def _ranked_report(records: Iterable[Record], reference: str, tasks: Iterable[str]) -> str:
    shown, variants = _split(tables.latest_versions(records), reference)
    quick, slow = tables.quick_and_slow(shown, reference)
    parts = [
        tables.ranks_table(shown, reference, quick),
        tables.losses_table(shown, reference, quick, tasks),
    ]
    if slow:
        parts += [
            "The slow peers too, on the runs that all have made:\n",
            tables.ranks_table(shown, reference, [*quick, *slow]),
        ]
    if variants:
        names, _ = tables.quick_and_slow(variants, reference)
        parts += ["Variants of ours:\n", tables.ranks_table(variants, reference, names)]
    return "\n".join(parts)


def draws_report(results: Results, *, reference: str) -> str:
    """The paper's problems."""
    records = tables.latest_versions(results.read(draws.SET))
    return "### The paper's problems\n\n" + tables.draws_table(records, reference)


def whole_report(results: Results, *, reference: str) -> str:
    """Every table of the page."""
    parts = [
        coco_report(results, reference=reference, dimensions=coco.DIMENSIONS, instances=instances)
        for instances in (REPORTED, TUNED_ON)
    ]
    parts += [
        tuning_report(results, reference=reference),
        designs_report(results, reference=reference),
        classics_report(results, reference=reference),
        idle_report(results, reference=reference),
        draws_report(results, reference=reference),
    ]
    return "\n".join(part for part in parts if part)


def _split(records: list[Record], reference: str) -> tuple[list[Record], list[Record]]:
    """The optimisers by their names, and the labels that were given; the reference is in both."""
    named = [r for r in records if r["optimizer"] in {*NAMES, reference}]
    given = [r for r in records if r["optimizer"] not in NAMES or r["optimizer"] == reference]
    variants = {r["optimizer"] for r in given} - {reference}
    return named, given if variants else []


def _range(numbers: Collection[int]) -> str:
    ordered = sorted(numbers)
    whole = ordered == list(range(ordered[0], ordered[-1] + 1)) and len(ordered) > 1
    return f"{ordered[0]} to {ordered[-1]}" if whole else ", ".join(map(str, ordered))
