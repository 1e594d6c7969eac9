"""The hyperparameter samples now, and from job to job: length scales and warps of the model that
suggestions come from.

The power λ of the outputs draws in the bad half of the results: 1 leaves them as they are, near 0
they count by their logarithm. A warp of an input bends its axis; it is drawn where it is sampled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spearmint_int.arrays import FloatArray
from spearmint_int.blas import one_blas_thread
from spearmint_int.chooser import FittedModel, fit_for_search
from spearmint_int.kernels.warp import InputWarp
from spearmint_int.plots.axes import (
    NAME_LENGTH,
    job_axis,
    log_axis,
    named_ticks,
    shortened,
)
from spearmint_int.plots.panels import LETTER, upright_letters
from spearmint_int.plots.style import COLOURS, GREY, empty, faded, finished, plain
from spearmint_int.snapshot import Snapshot

TITLE = "Length scales: short ones matter (1 is the whole range)"
POWER, POWER_NAME = "power λ of the results", "λ"
BOX = {"boxpoints": "all", "jitter": 0.4, "pointpos": 0, "marker": {"size": 4}}
ROW_HEIGHTS = (300, 170, 260)  # of length scales, the power of the outputs, the warps of inputs
ROW_GAP = 80
DASHES = ("solid", "dash", "dot")
WARP_POINTS = np.linspace(0.0, 1.0, 41)


@dataclass(frozen=True)
class Samples:
    """Length scales [S, groups] and powers [S], a row for each hyperparameter sample."""

    length_scales: FloatArray
    powers: FloatArray


Trace = Sequence[tuple[int, Samples]]
Curves = Mapping[str, FloatArray]  # of each warped element, w [S, points] over its axis


def figure(
    names: Sequence[str], now: Samples, trace: Trace, *, warps: Curves | None = None,
    theme: str = "light",
) -> go.Figure:  # fmt: skip
    """`trace` has the samples that each job was chosen with."""
    powers = bool(np.any(now.powers != 1.0) or any(np.any(s.powers != 1.0) for _, s in trace))
    ticks = named_ticks(names, NAME_LENGTH)
    heights = _heights(powers=powers, warps=bool(warps))
    gap = ROW_GAP + LETTER * upright_letters(ticks["ticktext"])
    drawn = _panels(bool(trace), heights, gap, warps=bool(warps))
    for i, name in enumerate(names):
        way = [(job, samples.length_scales[:, i]) for job, samples in trace]
        _add(drawn, 1, name, _line(i), now=now.length_scales[:, i], way=way)
    drawn.update_yaxes(log_axis(now.length_scales.ravel().tolist()), row=1)
    drawn.update_yaxes(title="length scale", row=1, col=1)
    drawn.update_xaxes(ticks, row=1, col=1)
    if powers:
        way = [(job, samples.powers) for job, samples in trace]
        _add(drawn, 2, POWER_NAME, {"color": GREY}, now=now.powers, way=way)
        drawn.update_yaxes(title=POWER, row=2, col=1)
    if warps:
        _add_warps(drawn, 2 + powers, names, warps)
    if trace:
        drawn.update_xaxes(job_axis([job for job, _ in trace]), row=1 + powers, col=2)
    height = 40 + sum(heights) + gap * len(heights)
    return finished(drawn, title=TITLE, theme=theme, height=height)


def _heights(*, powers: bool, warps: bool) -> list[int]:
    there = zip(ROW_HEIGHTS, (True, powers, warps), strict=True)
    return [height for height, shown in there if shown]


def _line(place: int) -> dict[str, str]:
    """The line of the element at this place: a colour, and another dash once those are used up."""
    again, colour = divmod(place, len(COLOURS))
    return {"color": COLOURS[colour], "dash": DASHES[again % len(DASHES)]}


def _panels(trace: bool, heights: Sequence[int], gap: int, *, warps: bool) -> go.Figure:
    """The panels: the samples of now beside those from job to job; below, over the whole width, the
    warps of inputs."""
    widths = [0.4, 0.6] if trace else [1.0]
    specs: list[list[Any]] = [[{}] * len(widths) for _ in heights]
    if warps:
        specs[-1] = [{"colspan": len(widths)}, *[None] * (len(widths) - 1)]
    return make_subplots(
        rows=len(heights), cols=len(widths), column_widths=widths, row_heights=heights,
        specs=specs, shared_yaxes=True, horizontal_spacing=0.05,
        vertical_spacing=gap / (sum(heights) + gap * len(heights)),
    )  # fmt: skip


def _add(
    drawn: go.Figure, row: int, name: str, line: Mapping[str, str],
    *, now: FloatArray, way: Sequence[tuple[int, FloatArray]],
) -> None:  # fmt: skip
    """Draw a box of the samples of now, and beside it those from job to job."""
    box = go.Box(y=now, name=plain(name), line={"color": line["color"]}, showlegend=False, **BOX)
    drawn.add_trace(box, row=row, col=1)
    for part in _way(way, name, line) if way else ():
        drawn.add_trace(part, row=row, col=2)


def _way(
    rows: Sequence[tuple[int, FloatArray]], name: str, line: Mapping[str, str]
) -> Iterable[go.Scatter]:
    """The median from job to job, inside of the 10 and 90 % quantiles."""
    jobs = [job for job, _ in rows]
    low, middle, high = np.array([np.quantile(s, [0.1, 0.5, 0.9]) for _, s in rows]).T
    yield _band(jobs, low, high, plain(name), line["color"])
    yield go.Scatter(
        x=jobs, y=middle, name=plain(shortened(name, NAME_LENGTH)), line=dict(line),
        legendgroup=plain(name), showlegend=name != POWER_NAME,
    )  # fmt: skip


def _band(
    x: Sequence[float], low: FloatArray, high: FloatArray, label: str, colour: str
) -> go.Scatter:
    return go.Scatter(
        x=[*x, *x[::-1]], y=[*high, *low[::-1]], fill="toself", mode="lines", hoverinfo="skip",
        fillcolor=faded(colour, 0.15), line={"width": 0}, legendgroup=label, showlegend=False,
    )  # fmt: skip


def _add_warps(drawn: go.Figure, row: int, names: Sequence[str], warps: Curves) -> None:
    """Draw each axis as the model sees it over the declared one; the diagonal is no warp."""
    at = WARP_POINTS.tolist()
    straight = {"color": GREY, "dash": "dash", "width": 1}
    diagonal = go.Scatter(x=[0, 1], y=[0, 1], mode="lines", line=straight, showlegend=False)
    drawn.add_trace(diagonal, row=row, col=1)
    for name, curves in warps.items():
        style, label = _line(list(names).index(name)), plain(name)
        low, middle, high = np.quantile(curves, [0.1, 0.5, 0.9], axis=0)
        drawn.add_trace(_band(at, low, high, label, style["color"]), row=row, col=1)
        line = go.Scatter(
            x=at,
            y=middle,
            name=f"axis of {label}",
            line=style,
            legendgroup=label,
            showlegend=False,
        )
        drawn.add_trace(line, row=row, col=1)
    drawn.update_xaxes(title="declared axis", row=row)
    drawn.update_yaxes(title="as the model sees it", row=row, col=1)


def of(snapshot: Snapshot, theme: str = "light") -> go.Figure:
    model = _search_model(snapshot)
    if model is None:
        return empty("two results are needed for a model", title=TITLE, theme=theme)
    names = snapshot.problem.space.group_names
    thetas = [posterior.theta for posterior in model.draws.posteriors]
    now = Samples(
        np.array([theta.length_scales for theta in thetas]),
        np.array([theta.power for theta in thetas]),
    )
    warps = warp_curves(snapshot, [theta.input_warp for theta in thetas])
    return figure(names, now, _trace(snapshot, len(names)), warps=warps, theme=theme)


def _search_model(snapshot: Snapshot) -> FittedModel | None:
    """The model whose samples jobs keep; None until there is a model at all."""
    if snapshot.model is None:
        return None
    problem = snapshot.problem.without_pending()
    with one_blas_thread():
        try:
            return fit_for_search(problem, problem.rng())
        except np.linalg.LinAlgError:
            return snapshot.model


def warp_curves(snapshot: Snapshot, warps: Sequence[InputWarp]) -> dict[str, FloatArray]:
    """The warp w [S, points] of each element whose axis is warped."""
    space = snapshot.problem.space
    axis = np.repeat(WARP_POINTS[:, np.newaxis], space.dimensions, axis=1)
    return {
        name: np.array([warp.apply(axis)[:, columns[0]] for warp in warps])
        for name, columns in zip(space.group_names, space.groups, strict=True)
        if columns[0] in warps[0].columns
    }


def _trace(snapshot: Snapshot, groups: int) -> list[tuple[int, Samples]]:
    """The samples of every job that a model has chosen, as its provenance keeps them."""
    rows = []
    for trial in snapshot.trials:
        stored = trial.provenance.get("hyperparameters") or []
        lengths = np.array([theta.get("length_scales", ()) for theta in stored], dtype=np.float64)
        powers = np.array([theta.get("power", 1.0) for theta in stored], dtype=np.float64)
        if lengths.ndim == 2 and lengths.shape[1] == groups:
            rows.append((trial.id, Samples(lengths, powers)))
    return rows
