"""Figures as files: pages that need no network, pictures that need no display."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import plotly.graph_objects as go
import plotly.offline

from spearmint_int.atomic import write_whole
from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.plots.style import THEMES, plain

PICTURES = (".png", ".svg", ".pdf")
ENDINGS = (".html", *PICTURES)
WIDTH, SCALE = 960, 2
CONFIG = {"displaylogo": False, "responsive": True, "toImageButtonOptions": {"format": "svg"}}

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ margin: 1rem; background: {paper}; color: {ink}; }}</style>
<script>{library}</script></head><body>
{body}
</body></html>
"""


def write(figure: go.Figure, path: Path) -> None:
    """The figure in the format that the file's ending names."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UnknownNameError("ending of a figure's file", ending or path.name, ENDINGS)
    if ending == ".html":
        title = str(figure.layout.title.text or path.stem)
        write_page(page([figure], title=title), path)
        return
    _write(picture(figure, ending[1:]), path)


def write_page(text: str, path: Path) -> None:
    """The page as a whole, or one sentence on why not."""
    _write(text, path)


def _write(content: str | bytes, path: Path) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise SpearmintError(f"{path} can't be written: {error.strerror or error}") from None


def page(figures: Sequence[go.Figure], *, title: str, theme: str = "light") -> str:
    """An HTML page that works without a network: plotly's code is in it, once."""
    body = "\n".join(embedded(figure) for figure in figures)
    return PAGE.format(
        title=plain(title), library=plotly.offline.get_plotlyjs(), body=body, **THEMES[theme]
    )


def embedded(figure: go.Figure) -> str:
    """The figure as a part of a page that has plotly's code."""
    text = figure.to_html(full_html=False, include_plotlyjs=False, config=CONFIG)
    return str(text)


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
