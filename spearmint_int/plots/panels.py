"""Panels side by side, one for each variable: how many in a row, and how far apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spearmint_int.analysis.slices import Grid
from spearmint_int.plots.axes import layout

COLUMNS = 3
PANEL_WIDTH = 280  # in a picture, which has three in a row
GAP = 65  # below a row: ticks and a name
LETTER = 7
MARGINS = 110  # above and below all of them


def side_by_side(grids: Sequence[Grid], *, height: int, below: int = 0) -> go.Figure:
    """An empty panel of this height for each grid, and below them all one of the whole width and
    the height `below`; between the rows there is room for names that stand upright."""
    columns = min(COLUMNS, len(grids))
    heights = [height] * -(-len(grids) // columns)
    specs: list[list[Any]] = [[{}] * columns for _ in heights]
    if below:
        heights.append(below)
        specs.append([{"colspan": columns}, *[None] * (columns - 1)])
    gap = GAP + LETTER * max(upright_letters(layout(grid).get("ticktext", ())) for grid in grids)
    inside = sum(heights) + gap * (len(heights) - 1)
    drawn = make_subplots(
        rows=len(heights), cols=columns, row_heights=heights, specs=specs, shared_yaxes=True,
        horizontal_spacing=0.04, vertical_spacing=gap / inside if len(heights) > 1 else 0.0,
    )  # fmt: skip
    return drawn.update_layout(height=inside + MARGINS)


def places(grids: Sequence[Grid]) -> list[dict[str, int]]:
    """The row and the column of each grid's panel."""
    columns = min(COLUMNS, len(grids))
    return [{"row": i // columns + 1, "col": i % columns + 1} for i in range(len(grids))]


def upright_letters(texts: Sequence[str]) -> int:
    """The length of the longest name, where plotly turns them for want of room; else 0."""
    lengths = [len(text) for text in texts]
    room = PANEL_WIDTH / LETTER / max(len(lengths), 1)
    return max(lengths, default=0) if any(length > room for length in lengths) else 0


def named_once(drawn: go.Figure) -> None:
    """List every kind of mark once in the legend, however many panels have it."""
    known: set[str] = set()
    for trace in drawn.data:
        if trace.showlegend is False:
            continue
        trace.showlegend = trace.name not in known
        known.add(trace.name)
