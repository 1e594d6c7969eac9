"""A part of each kind, as another package would bring it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spearmint_int.acquisition import ACQUISITIONS, AcquisitionMaker
from spearmint_int.chooser import Answer, Problem
from spearmint_int.registry import CHOOSERS
from spearmint_int.sampling.priors import Prior, gamma
from spearmint_int.schedulers import LocalScheduler
from spearmint_int.snapshot import Snapshot
from spearmint_int.stores import SQLiteStore, StoreAddress

FloatArray = np.ndarray[Any, np.dtype[np.float64]]


class RationalQuadratic:
    """k(r²) = 1 / (1 + r²/2)."""

    def correlation(self, r2: FloatArray) -> FloatArray:
        return np.asarray(1.0 / (1.0 + r2 / 2.0))

    def slope(self, r2: FloatArray) -> FloatArray:
        return np.asarray(-0.5 / (1.0 + r2 / 2.0) ** 2)


wide_lcb: AcquisitionMaker = ACQUISITIONS["lcb"]


def exponential(rate: float) -> Prior:
    """A gamma distribution of shape 1."""
    return gamma(1.0, rate)


def corner_first(problem: Problem, count: int = 1) -> Answer:
    """The random chooser under another name, and its provenance says so."""
    answer = CHOOSERS["random_chooser"](problem, count)
    renamed = (
        replace(s, provenance=replace(s.provenance, source="corner first"))
        for s in answer.suggestions
    )
    return replace(answer, suggestions=tuple(renamed))


def job_count(snapshot: Snapshot, theme: str) -> Any:
    """An empty figure, whose title has the number of jobs."""
    import plotly.graph_objects as go

    return go.Figure(layout={"title": {"text": f"{len(snapshot.trials)} jobs, {theme}"}})


class CountedScheduler(LocalScheduler):
    """The local scheduler, with a line in the folder for each job that it starts."""

    def __init__(self, directory: Path, *others: Any) -> None:
        super().__init__(directory, *others)
        self._count = directory / "submitted.txt"

    def submit(self, order: Any) -> Any:
        with self._count.open("a") as file:
            file.write("job\n")
        return super().submit(order)


def open_beside(place: StoreAddress, *, create: bool, patience: float | None) -> SQLiteStore:
    """`beside:///path/to/file`: SQLite at a place of one's own."""
    return SQLiteStore(Path((place.address or "").removeprefix("beside://")), create=create)
