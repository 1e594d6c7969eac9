"""Figures 3 and 4: the mean log distance against evaluations, with a band of one standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

from experiments.paper.panels import FIGURE_3, FIGURE_4, PANELS, TREATMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from experiments.paper.curves import Curves

# Colours that stay apart for colour-blind readers (Okabe and Ito), and dashes for print.
STYLES: dict[str, dict[str, Any]] = {
    "proposed": {"color": "#0072B2", "linestyle": "-"},
    "basic": {"color": "#D55E00", "linestyle": "--"},
    "naive": {"color": "#009E73", "linestyle": ":"},
}
MEASURE_NAMES = {"evaluated": "best evaluated point", "recommended": "recommended point"}


def figure_3(curves: Mapping[tuple[str, str, str], Curves]) -> Figure:
    """The four synthetic panels."""
    figure = Figure(figsize=(9, 7), layout="constrained")
    for axes, name in zip(figure.subplots(2, 2).flat, FIGURE_3, strict=True):
        _panel(axes, curves, name, PANELS[name].measure)
    return figure


def figure_3_evaluated(curves: Mapping[tuple[str, str, str], Curves]) -> Figure:
    """The noisy panels once more, by the best evaluated point's noiseless value."""
    noisy = [name for name in FIGURE_3 if PANELS[name].noisy]
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, name in zip(figure.subplots(1, 2).flat, noisy, strict=True):
        _panel(axes, curves, name, "evaluated")
    return figure


def figure_4(curves: Mapping[tuple[str, str, str], Curves]) -> Figure:
    """Digits."""
    figure = Figure(figsize=(5.5, 4), layout="constrained")
    _panel(figure.subplots(), curves, FIGURE_4[0], PANELS[FIGURE_4[0]].measure)
    return figure


def _panel(
    axes: Any, curves: Mapping[tuple[str, str, str], Curves], name: str, measure: str
) -> None:
    for treatment in TREATMENTS:
        curve = curves.get((name, treatment, measure))
        if curve is not None:
            _line(axes, curve, treatment)
    axes.set_title(PANELS[name].title, fontsize=10)
    axes.set_xlabel("evaluations")
    axes.set_ylabel(f"log$_{{10}}$ distance, {MEASURE_NAMES[measure]}", fontsize=9)
    axes.grid(alpha=0.25)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=9)


def _line(axes: Any, curve: Curves, treatment: str) -> None:
    evaluations = range(1, len(curve.mean) + 1)
    axes.plot(evaluations, curve.mean, label=treatment, **STYLES[treatment])
    band = (curve.mean - curve.standard_error, curve.mean + curve.standard_error)
    axes.fill_between(evaluations, *band, color=STYLES[treatment]["color"], alpha=0.2, lw=0)


def save(figure: Figure, path: Path, formats: Sequence[str] = ("png", "pdf")) -> None:
    """As PNG and PDF, without the time of the day in them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for kind in formats:
        metadata = {"CreationDate": None} if kind == "pdf" else {}
        with mpl.rc_context({"pdf.fonttype": 42}):
            figure.savefig(path.with_suffix(f".{kind}"), dpi=150, metadata=metadata)
