"""Evaluations for people: as a table of pandas, and as one for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from spearmint_int import value_text
from spearmint_int.errors import SpearmintError

if TYPE_CHECKING:
    import pandas as pd

    from spearmint_int.library.evaluation import Evaluation
    from spearmint_int.space import Space

SHOWN_ROWS = 20  # of the evaluations, in a notebook


def as_dataframe(
    evaluations: Iterable[Evaluation], space: Space, constraints: Sequence[str]
) -> pd.DataFrame:
    """A column for each variable, `value`, and one for each constraint; a variable that is called
    as one of those is `params.value`. SpearmintError where pandas is not installed."""
    try:
        import pandas as pd  # noqa: PLC0415
    except ModuleNotFoundError:
        raise SpearmintError("to_dataframe needs pandas: pip install pandas") from None
    numbers = ["value", *constraints]
    names = {n: f"params.{n}" if n in numbers else n for n in space.variables}
    rows = [[*(e.params[name] for name in names), *e.row(constraints)] for e in evaluations]
    return pd.DataFrame(rows, columns=[*names.values(), *numbers])


def as_html(
    evaluations: Sequence[Evaluation],
    space: Space,
    constraints: Sequence[str],
    *,
    best: Evaluation | None,
) -> str:
    """The last ones, with their numbers from 1 on, and the best one bold."""
    rows = "".join(
        _html_row(
            [n, *(e.params[name] for name in space.variables), *e.row(constraints)], e is best
        )
        for n, e in list(enumerate(evaluations, start=1))[-SHOWN_ROWS:]
    )
    columns = ["", *space.variables, "value", *constraints]
    header = "".join(f"<th>{escape(name)}</th>" for name in columns)
    return f"<table><tr>{header}</tr>{rows}</table>"


def _html_row(cells: Sequence[Any], is_bold: bool) -> str:
    texts = [value_text.param(cell) for cell in cells]
    tag = "th" if is_bold else "td"
    return "<tr>" + "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts) + "</tr>"
