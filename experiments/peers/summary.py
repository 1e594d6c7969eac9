"""The table of the comparison: a row for each problem, noise and method."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from experiments.markdown import markdown_table
from experiments.statistics import estimate, paired_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Row = dict[str, str]
GROUP = ("problem", "noisy", "evaluations")
HEADINGS = (
    "problem",
    "noise",
    "method",
    "draws",
    "failed",
    "log10 best",
    "log10 recommended",
    "proposed, same draws",
    "p (to proposed)",
    "until 1e-2",
    "within 1e-2",
    "within 1e-3",
    "repeats %",
    "CPU s/suggestion",
)


def summarise(rows: Iterable[Row], methods_in_order: Sequence[str]) -> list[dict[str, str]]:
    """Cells as text, in the order of `HEADINGS`."""
    groups: dict[tuple[str, ...], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in _latest(rows):
        groups[tuple(row[name] for name in GROUP)][row["method"]].append(row)
    return [
        _cells(method, members, methods.get("proposed", []))
        for _, methods in sorted(groups.items())
        for method, members in sorted(methods.items(), key=lambda m: methods_in_order.index(m[0]))
    ]


def markdown(table: list[dict[str, str]]) -> str:
    """The table as a page shows it."""
    return markdown_table(HEADINGS, [[cells[heading] for heading in HEADINGS] for cells in table])


def _latest(rows: Iterable[Row]) -> list[Row]:
    """A run that failed and was run again counts by its last row."""
    latest: dict[tuple[str, ...], Row] = {}
    for row in rows:
        latest[tuple(row[name] for name in (*GROUP, "draw", "method"))] = row
    return list(latest.values())


def _cells(method: str, members: list[Row], proposed: list[Row]) -> dict[str, str]:
    done = [row for row in members if row["status"] == "ok"]
    first = members[0]
    head = {
        "problem": f"{first['problem']}, {first['evaluations']} evaluations",
        "noise": "yes" if first["noisy"] == "True" else "no",
        "method": method,
        "draws": str(len(members)),
        "failed": str(len(members) - len(done)),
    }
    measured = _measured(done, proposed) if done else {}
    return {heading: {**head, **measured}.get(heading, "") for heading in HEADINGS}


def _measured(done: list[Row], proposed: list[Row]) -> dict[str, str]:
    noisy = done[0]["noisy"] == "True"
    best = [float(row["log10_best"]) for row in done]
    recommended = [float(row["log10_recommended"]) for row in done]
    # A run that never came close counts as one more than it had: leaving it out would favour it.
    until = [int(r["evaluations_until_close"] or int(r["evaluations"]) + 1) for r in done]
    close = sum(bool(row["evaluations_until_close"]) for row in done)
    repeats = sum(int(row["repeats"]) for row in done) / sum(int(r["evaluations"]) for r in done)
    seconds = [float(row["seconds_per_suggestion"]) for row in done]
    ours, theirs = _paired(proposed, done, "log10_recommended" if noisy else "log10_best")
    return {
        "log10 best": str(estimate(best)),
        "log10 recommended": str(estimate(recommended)) if noisy else "",
        "proposed, same draws": str(estimate(ours)) if ours else "",
        "p (to proposed)": f"{paired_test(ours, theirs).p_value:.3f}" if ours else "",
        "until 1e-2": str(estimate(until)),
        "within 1e-2": f"{close}/{len(done)}",
        "within 1e-3": f"{sum(b <= -3 for b in best)}/{len(done)}",
        "repeats %": f"{100 * repeats:.0f}",
        "CPU s/suggestion": f"{np.mean(seconds):.3f}",
    }


def _paired(proposed: list[Row], done: list[Row], measure: str) -> tuple[list[float], list[float]]:
    """The values of proposed and of another method over the draws that both have finished."""
    if done[0]["method"] == "proposed":
        return [], []
    ours, theirs = _by_draw(proposed, measure), _by_draw(done, measure)
    both = sorted(set(ours) & set(theirs))
    return [ours[draw] for draw in both], [theirs[draw] for draw in both]


def _by_draw(rows: Iterable[Mapping[str, str]], measure: str) -> dict[str, float]:
    return {row["draw"]: float(row[measure]) for row in rows if row["status"] == "ok"}
