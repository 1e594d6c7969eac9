"""From the runs to tidy tables: curves with standard errors, final distances, paired tests."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.paper.panels import PANELS, TREATMENTS
from experiments.statistics import estimate, paired_test
from experiments.trial import log10_distance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Row = dict[str, str]
EARLY = 30  # evaluations after which the treatments are compared too
MEASURES = ("evaluated", "recommended")
CURVE_COLUMNS = (
    "panel", "treatment", "measure", "evaluation", "mean_log10_distance", "standard_error", "runs",
)  # fmt: skip
FINAL_COLUMNS = (
    "panel", "treatment", "repetition", "status", "measure", "log10_distance",
    "mean_log10_distance", "repeats", "seconds",
)  # fmt: skip
TEST_COLUMNS = (
    "panel", "measure", "compared_with", "at", "pairs", "proposed_lower", "other_lower",
    "median_difference", "p_value", "curve_share_below",
)  # fmt: skip


@dataclass(frozen=True)
class Curves:
    """log₁₀ distances [runs, evaluations] of one treatment in one panel, by one measure."""

    panel: str
    treatment: str
    measure: str
    repetitions: tuple[int, ...]
    values: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        return np.asarray(self.values.mean(axis=0))

    @property
    def standard_error(self) -> NDArray[np.float64]:
        return np.array([estimate(column).standard_error for column in self.values.T.tolist()])

    def at(self, repetitions: Iterable[int]) -> NDArray[np.float64]:
        """The rows of these repetitions, in their order."""
        index = {repetition: i for i, repetition in enumerate(self.repetitions)}
        return np.asarray(self.values[[index[repetition] for repetition in repetitions]])


def latest(rows: Iterable[Row]) -> list[Row]:
    """A run that failed and was made again counts by its last row."""
    found: dict[tuple[str, str, int], Row] = {}
    for row in rows:
        found[row["panel"], row["treatment"], int(row["repetition"])] = row
    return [found[key] for key in sorted(found)]


def curves_of(rows: Iterable[Row]) -> dict[tuple[str, str, str], Curves]:
    """By panel, treatment and measure; failed runs have no curve (they are in the final table)."""
    runs: dict[tuple[str, str, str], dict[int, list[float]]] = defaultdict(dict)
    for row in latest(rows):
        for measure in MEASURES:
            if row["status"] == "ok" and row[measure]:
                logs = [log10_distance(float(text)) for text in row[measure].split()]
                runs[row["panel"], row["treatment"], measure][int(row["repetition"])] = logs
    return {
        key: Curves(*key, tuple(members), np.array(list(members.values())))
        for key, members in runs.items()
    }


def curve_rows(curves: Iterable[Curves]) -> Iterator[dict[str, object]]:
    """A row for each point of each curve."""
    for curve in curves:
        for i, (mean, error) in enumerate(zip(curve.mean, curve.standard_error, strict=True)):
            values = (curve.panel, curve.treatment, curve.measure, i + 1, round(mean, 5))
            rest = (round(error, 5), len(curve.repetitions))
            yield dict(zip(CURVE_COLUMNS, (*values, *rest), strict=True))


def final_rows(rows: Iterable[Row]) -> Iterator[dict[str, object]]:
    """A row for each run, the failed ones too."""
    for row in latest(rows):
        measure = PANELS[row["panel"]].measure
        logs = [log10_distance(float(text)) for text in row[measure].split()]
        distances = (round(logs[-1], 5), round(float(np.mean(logs)), 5)) if logs else ("", "")
        values = (row["panel"], row["treatment"], row["repetition"], row["status"], measure)
        cells = (*values, *distances, row["repeats"], row["seconds"])
        yield dict(zip(FINAL_COLUMNS, cells, strict=True))


def test_rows(curves: dict[tuple[str, str, str], Curves]) -> Iterator[dict[str, object]]:
    """Proposed against the others: at the end, early, and on the mean over the curve."""
    for (panel, treatment, measure), other in curves.items():
        proposed = curves.get((panel, TREATMENTS[0], measure))
        if proposed is None or treatment == TREATMENTS[0]:
            continue
        both = sorted(set(proposed.repetitions) & set(other.repetitions))
        ours, theirs = proposed.at(both), other.at(both)
        below = float(np.mean(ours.mean(axis=0) < theirs.mean(axis=0)))
        pairs = {"end": (ours[:, -1], theirs[:, -1]), "curve": (ours.mean(1), theirs.mean(1))}
        if ours.shape[1] >= EARLY:
            pairs[f"evaluation {EARLY}"] = (ours[:, EARLY - 1], theirs[:, EARLY - 1])
        for at, (first, second) in pairs.items():
            test = paired_test(first.tolist(), second.tolist())
            counts = (test.pairs, test.first_lower, test.second_lower)
            numbers = (round(test.median_difference, 4), f"{test.p_value:.3g}", round(below, 3))
            cells = (panel, measure, treatment, at, *counts, *numbers)
            yield dict(zip(TEST_COLUMNS, cells, strict=True))
