"""Figures as files: pages that need no network, pictures that need no display."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from pathlib import Path

import plotly.graph_objects as go
import plotly.io
import plotly.offline

from spearmint_int.atomic import write_whole
from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.plots.style import FONT, THEMES, Drawing

PICTURES = (".png", ".svg", ".pdf")
ENDINGS = (".html", *PICTURES)
WIDTH, SCALE = 960, 2
CONFIG = {"displaylogo": False, "responsive": True, "toImageButtonOptions": {"format": "svg"}}

LEAST_PANEL, LEAST_LANE = 300, 55  # the least width of a panel, and of a lane between two axes
TOP_MARGIN = 30  # of a figure without its title: a row of the legend, or the names of its parts

# plotly neither wraps a title nor keeps it clear of its buttons and of the legend: on a page the
# title is a heading above the figure; the buttons are beside it, or below it where it is narrow.
FIGURE_STYLE = """
.figure { margin: 1.6rem 0; } .figure h3 { min-height: 1.4rem; }
.figure h3, .figure p { margin: 0; overflow-wrap: anywhere; }
.figure .modebar-container { top: -30px !important; }
@media (max-width: 900px) {
  .figure .plotly-graph-div { margin-top: 30px; } .figure .drawn { overflow-x: auto; } }
"""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ margin: 1rem; font: 15px/1.45 {font}; background: {paper}; color: {ink}; }}
{style}</style>
<script>{library}</script></head><body>
{body}
</body></html>
"""


def write(figure: go.Figure, path: Path) -> None:
    """Write the figure in the format that the file's ending names."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UnknownNameError("ending of a figure's file", ending or path.name, ENDINGS)
    if ending == ".html":
        title, _ = headed(figure.to_plotly_json())
        write_page(page([figure], title=title[0] or path.stem), path)
        return
    _write(picture(figure, ending[1:]), path)


def write_page(text: str, path: Path) -> None:
    """Write the page as a whole or not at all; one sentence says why not."""
    _write(text, path)


def _write(content: str | bytes, path: Path) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise SpearmintError(f"{path} can't be written: {error.strerror or error}") from None


def page(figures: Sequence[go.Figure], *, title: str, theme: str = "light") -> str:
    """An HTML page that works without a network: plotly's code is in it, once."""
    return PAGE.format(
        title=escape(title),
        font=FONT,
        style=FIGURE_STYLE,
        library=plotly.offline.get_plotlyjs(),
        body="\n".join(embedded(figure) for figure in figures),
        **THEMES[theme],
    )


def embedded(figure: go.Figure) -> str:
    """The figure as a part of a page that has plotly's code and the style of figures."""
    title, bare = headed(figure.to_plotly_json())
    head = f"<h3>{escape(title[0])}</h3>" + "".join(f"<p>{escape(line)}</p>" for line in title[1:])
    drawn = plotly.io.to_html(
        bare, full_html=False, include_plotlyjs=False, config=CONFIG, validate=False
    )
    wide = f'<div style="min-width: {least_width(bare)}px">{drawn}</div>'
    return f'<section class="figure">{head}<div class="drawn">{wide}</div></section>'


def least_width(drawing: Drawing) -> int:
    """The width below which names of panels side by side would run into each other: on a narrower
    page the figure is as wide as this, and scrolls."""
    axes = [axis for name, axis in drawing["layout"].items() if name.startswith("xaxis")]
    beside = {tuple(axis.get("domain", ()))[:1] for axis in axes}
    lanes = max((len(part.get("dimensions", ())) for part in drawing["data"]), default=0)
    return max(LEAST_PANEL * len(beside), LEAST_LANE * lanes)


def headed(drawing: Drawing) -> tuple[list[str], Drawing]:
    """The lines of a figure's title as plain text, its name first, and the figure without them."""
    layout = drawing["layout"]
    lines = re.split(r"<br ?/?>", layout.get("title", {}).get("text") or "")
    margin = layout.get("margin", {}) | {"t": TOP_MARGIN}
    bare = {**drawing, "layout": layout | {"title": {"text": ""}, "margin": margin}}
    return [unescape(re.sub(r"<[^>]*>", "", line)) for line in lines], bare


def picture(figure: go.Figure, form: str, *, scale: int = SCALE) -> bytes:
    """PNG, SVG or PDF, drawn by Chrome or Chromium without a display or a network."""
    try:
        import kaleido  # noqa: PLC0415 (only pictures need it)
        from kaleido.errors import BrowserFailedError, ChromeNotFoundError  # noqa: PLC0415
    except ImportError:
        raise SpearmintError(
            f"a {form} needs kaleido: pip install 'spearmint-int[plots]', or write .html"
        ) from None
    height = figure.layout.height or 420
    wanted = {"format": form, "width": WIDTH, "height": height, "scale": scale}
    try:
        drawn = kaleido.calc_fig_sync(figure, opts=wanted, kopts={"mathjax": False})
    except (ChromeNotFoundError, BrowserFailedError):
        raise SpearmintError(
            f"a {form} needs Chrome or Chromium, which was not found or did not start "
            "(on Debian: apt install chromium); .html needs neither"
        ) from None
    return bytes(drawn)
