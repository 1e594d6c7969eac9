"""The page of the suite, from the records that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.suite import coco, draws, tables, tuning
from experiments.suite.plan import REPORTED

if TYPE_CHECKING:
    from collections.abc import Collection

    from experiments.suite.runs import Record, Results


def coco_report(
    results: Results,
    *,
    reference: str,
    dimensions: Collection[int],
    functions: Collection[int] = coco.FUNCTIONS,
    instances: Collection[int] = coco.INSTANCES,
) -> str:
    """A table of areas and one of the groups of functions for each dimension."""
    shown = [
        record
        for record in tables.latest_versions(results.read(coco.SET))
        if record["instance"] in instances
        and coco.function_and_dimension(record["problem"])[0] in functions
    ]
    parts = [
        part
        for dimension in dimensions
        for part in (
            f"### bbob-mixint, {dimension}-D, instances {_range(instances)}\n",
            tables.coco_table(shown, dimension, reference),
            tables.coco_groups_table(shown, dimension),
        )
    ]
    return "\n".join(parts)


def tuning_report(results: Results, *, reference: str) -> str:
    """Ranks over all tasks, then losses task by task."""
    records = tables.latest_versions(results.read(tuning.SET))
    parts = ("### Tuning\n", tables.ranks_table(records), tables.losses_table(records, reference))
    return "\n".join(parts)


def draws_report(results: Results, *, reference: str) -> str:
    """The paper's problems."""
    records: list[Record] = tables.latest_versions(results.read(draws.SET))
    return "### The paper's problems\n\n" + tables.draws_table(records, reference)


def whole_report(results: Results, *, reference: str) -> str:
    """Every table of the page."""
    parts = (
        coco_report(results, reference=reference, dimensions=coco.DIMENSIONS, instances=REPORTED),
        tuning_report(results, reference=reference),
        draws_report(results, reference=reference),
    )
    return "\n".join(parts)


def _range(numbers: Collection[int]) -> str:
    ordered = sorted(numbers)
    whole = ordered == list(range(ordered[0], ordered[-1] + 1)) and len(ordered) > 1
    return f"{ordered[0]} to {ordered[-1]}" if whole else ", ".join(map(str, ordered))
