"""The house style: colours that the colour-blind can tell apart, light and dark, fit for print.

The colours are those of Okabe and Ito (2008) without black, so that each reads on white and on
dark grey. Where two things share a figure they differ in shape or dash too: a grey print tells
them apart.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import plotly.graph_objects as go

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, GREY = "#CC79A7", "#56B4E9", "#808080"
COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, GREY)
LOW_TO_HIGH = "Viridis"  # monotone in lightness: the order survives a grey print
# Colours of lines on the paper itself, where the best must stand out: five even steps of viridis,
# from the farthest from the paper's colour to the closest that is still seen on it.
BEST_TO_WORST = {
    "light": ("#440154", "#3b528b", "#21918c", "#5ec962", "#d8c81c"),
    "dark": ("#fde725", "#5ec962", "#21918c", "#3b6a9e", "#5b4a94"),
}
# The same numbers on every axis and colour bar: whole ones up to 99999, powers of ten beyond.
NUMBERS = {"exponentformat": "power", "minexponent": 4}
# What does not fulfil a constraint is hollow in every figure.
RESULT, UNFULFILLED = "result", "constraint not fulfilled"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
HEIGHT = 420
# A note under the title has a line of its own, above the legend.
NOTE_HEIGHT = 25
NOTED = {"margin": {"t": 60 + NOTE_HEIGHT}, "title": {"y": 1, "yanchor": "top", "pad": {"t": 22}}}
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"

Drawing = dict[str, Any]  # data and layout, as plotly's JSON has them

THEMES: dict[str, dict[str, str]] = {
    "light": {"paper": "#ffffff", "ink": "#1f2328", "faint": "#d8dee4"},
    "dark": {"paper": "#16191d", "ink": "#e6e8eb", "faint": "#3a4048"},
}


def template(theme: str) -> dict[str, Any]:
    """What every figure of a theme has in common, as plotly's template."""
    shade = THEMES[theme]
    axis = {
        "gridcolor": shade["faint"],
        "linecolor": shade["faint"],
        "zeroline": False,
        "automargin": True,
        "title": {"standoff": 8},
        **NUMBERS,
    }
    bar = {"thickness": 14, "outlinewidth": 0, **NUMBERS}
    scale = [[i / 4, colour] for i, colour in enumerate(BEST_TO_WORST[theme])]
    lines = {"colorscale": scale, "autocolorscale": False, "colorbar": bar}
    return {
        "layout": {
            "font": {"family": FONT, "size": 13, "color": shade["ink"]},
            "paper_bgcolor": shade["paper"],
            "plot_bgcolor": shade["paper"],
            "colorway": list(COLOURS),
            "xaxis": axis,
            "yaxis": axis,
            "separators": ".",
            "coloraxis": {"colorscale": LOW_TO_HIGH, "colorbar": bar},
            "margin": {"l": 60, "r": 20, "t": 60, "b": 50},
            "legend": {"orientation": "h", "x": 1, "xanchor": "right", "y": 1,
                       "yanchor": "bottom"},
            "title": {"x": 0.01, "xanchor": "left", "font": {"size": 16}},
            "hoverlabel": {"font": {"family": FONT}},
        },
        "data": {"parcoords": [{"line": lines}]},
    }  # fmt: skip


def finished(
    figure: go.Figure, *, title: str, note: str = "", theme: str = "light", height: int = HEIGHT,
    **layout: Any,
) -> go.Figure:  # fmt: skip
    """The figure in the house style; the note is a smaller line below the title."""
    figure.layout.template = _checked_template(theme)
    figure.layout.title, figure.layout.height = {"text": plain(title)}, height
    if note:
        figure.layout.title.text += f"<br><sup>{plain(note)}</sup>"
        figure.update_layout(NOTED, height=height + NOTE_HEIGHT)
    if layout:
        figure.update_layout(**layout)
    return figure


def styled(drawing: Drawing, *, title: str, theme: str = "light", height: int = HEIGHT) -> Drawing:
    """A figure that is plain data, in the house style."""
    house = {"template": template(theme), "title": {"text": plain(title)}, "height": height}
    return {**drawing, "layout": drawing["layout"] | house}


@cache
def _checked_template(theme: str) -> go.layout.Template:
    """The template as plotly has checked it, once for all figures: checking takes longer than
    making a figure."""
    return go.layout.Template(template(theme))


def empty(sentence: str, *, title: str, theme: str = "light") -> go.Figure:
    """A figure that says why there is nothing to see."""
    figure = go.Figure()
    figure.add_annotation(
        text=plain(sentence), x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return finished(figure, title=title, theme=theme, height=240)


def plain(text: Any) -> str:
    """Text that plotly shows as it is: names and options come from strangers' configs."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def number(value: float, *, digits: int = 6) -> str:
    """A number written as on plotly's axes, for texts that plotly shows as they are."""
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return f"{mantissa}×{power_of_ten(int(exponent))}"


def power_of_ten(exponent: int) -> str:
    if exponent in (0, 1):
        return ("1", "10")[exponent]
    return "10" + str(exponent).translate(SUPERSCRIPTS)


def faded(colour: str, opacity: float) -> str:
    """A colour of the palette, seen through."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"
