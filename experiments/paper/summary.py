"""The results as a page shows them: a row for each panel and measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.markdown import markdown_table
from experiments.paper.curves import MEASURES, latest
from experiments.paper.panels import PANELS, TREATMENTS
from experiments.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from experiments.paper.curves import Curves, Row

HEADINGS = (
    "panel",
    "distance of the point",
    *TREATMENTS,
    "below basic",
    "p, end",
    "p, curve",
    "p to naive, end",
    "repeats %",
)


def markdown(
    rows: Sequence[Row],
    curves: Mapping[tuple[str, str, str], Curves],
    tests: Sequence[Mapping[str, object]],
) -> str:
    """The table, the noisy panels by both measures."""
    shown = [
        (panel, measure)
        for panel in PANELS
        for measure in sorted(MEASURES, key=lambda m: m != PANELS[panel].measure)
        if any((panel, treatment, measure) in curves for treatment in TREATMENTS)
    ]
    return markdown_table(HEADINGS, [_cells(*key, rows, curves, tests) for key in shown])


def _cells(
    panel: str,
    measure: str,
    rows: Sequence[Row],
    curves: Mapping[tuple[str, str, str], Curves],
    tests: Sequence[Mapping[str, object]],
) -> list[str]:
    found = {
        (test["compared_with"], test["at"]): test
        for test in tests
        if (test["panel"], test["measure"]) == (panel, measure)
    }

    def tested(treatment: str, at: str, column: str) -> str:
        return str(found[treatment, at][column]) if (treatment, at) in found else ""

    share = tested("basic", "end", "curve_share_below")
    return [
        panel,
        measure,
        *(_end(curves.get((panel, treatment, measure))) for treatment in TREATMENTS),
        f"{float(share):.0%} of the curve" if share else "",
        tested("basic", "end", "p_value"),
        tested("basic", "curve", "p_value"),
        tested("naive", "end", "p_value"),
        " / ".join(_repeats(rows, panel, treatment) for treatment in TREATMENTS),
    ]


def _end(curve: Curves | None) -> str:
    return "" if curve is None else str(estimate(curve.values[:, -1].tolist()))


def _repeats(rows: Sequence[Row], panel: str, treatment: str) -> str:
    """Evaluations at a point that was evaluated before, in percent."""
    counts = [
        int(row["repeats"])
        for row in latest(rows)
        if (row["panel"], row["treatment"], row["status"]) == (panel, treatment, "ok")
    ]
    return f"{100 * np.mean(counts) / PANELS[panel].evaluations:.0f}" if counts else "–"
