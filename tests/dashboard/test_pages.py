"""The pages: text stays text, addresses stay addresses."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("dash")

from dash import html
from plotly.utils import PlotlyJSONEncoder

from spearmint_int.dashboard import pages
from spearmint_int.dashboard.app import _reordered
from spearmint_int.dashboard.source import NOTHING, State
from spearmint_int.snapshot import Trial

HOSTILE = "<img src=x onerror=alert(1)>/../?#"


def test_an_address_has_nothing_of_a_name_but_its_letters() -> None:
    assert pages.address("e", "a/b c<") == "/e/a%2Fb%20c%3C"


def test_a_hostile_job_is_in_the_table_as_text() -> None:
    row = Trial(1, {HOSTILE: HOSTILE}, 1.0, failure=HOSTILE)
    table = pages.jobs_table(HOSTILE, [HOSTILE], [row], column="job", descending=True)
    parts = json.loads(json.dumps(table, cls=PlotlyJSONEncoder))
    kinds = set(_types(parts))
    assert kinds <= {"Table", "Thead", "Tbody", "Tr", "Th", "Td", "Button", "Link", "Span"}


def _types(part: object) -> list[str]:
    if isinstance(part, list):
        return [kind for item in part for kind in _types(item)]
    if not isinstance(part, dict):
        return []
    return [part["type"], *_types(part["props"].get("children"))]


def test_the_best_of_what_is_maximised_is_the_highest() -> None:
    state = State(NOTHING.counts, (Trial(1, {}, 1.0), Trial(2, {}, 3.0)))
    listed = json.dumps(
        pages.overview([pages.Line("a", state, maximize=True)]), cls=PlotlyJSONEncoder
    )
    assert '"children": "3"' in listed


def test_facts_without_a_text_are_left_out() -> None:
    shown = pages.facts([("a", "1"), ("b", "")])
    assert isinstance(shown, html.Dl)
    assert len(shown.children) == 2


def test_a_second_press_on_a_column_turns_the_order_round() -> None:
    order = {"column": "job", "descending": True, "page": 3}
    once = _reordered({"sort": "value"}, order, True)
    assert once == {"column": "value", "descending": False, "page": 0}
    assert _reordered({"sort": "value"}, once, True)["descending"]
    assert _reordered("older", order, False)["page"] == 4
    assert _reordered("filter", order, False)["page"] == 0
