"""The pages: text stays text, addresses stay addresses."""

from __future__ import annotations

import json
import math

import pytest

pytest.importorskip("dash")

from dash import html
from plotly.utils import PlotlyJSONEncoder

from spearmint_int.dashboard import Access, make_app, pages
from spearmint_int.dashboard.source import NOTHING, State
from spearmint_int.goal import Goal
from spearmint_int.jobs import Job, JobStatus, Source
from spearmint_int.snapshot import Trial
from spearmint_int.space import Space
from spearmint_int.variables import Int

HOSTILE = "<img src=x onerror=alert(1)>/../?#"
SPACE = Space({"k": Int(0, 5)})


def test_an_address_has_nothing_of_a_name_but_its_letters() -> None:
    assert pages.address("e", "a/b c<") == "/e/a%2Fb%20c%3C"


def test_the_table_has_texts_only_and_an_address_without_markup() -> None:
    row = Trial(1, {HOSTILE: HOSTILE, "k": 3}, 1.0, failure=HOSTILE)
    order = {"column": "job", "descending": True, "page": 0}
    table = pages.jobs_table(HOSTILE, [HOSTILE, "k"], [row], order=order, shown="1 to 1 of 1")
    assert table["rows"] == [["1", "1", "complete", "", HOSTILE, "3", HOSTILE]]
    assert table["columns"] == ["job", "value", "status", "seconds", HOSTILE, "k", "failure"]
    assert not set("<>?#") & set(table["address"])


def test_a_job_that_answered_nan_is_the_same_in_the_table_and_on_its_page() -> None:
    job = Job(1, JobStatus.COMPLETE, {"k": 3}, (0.5,), Source.USER, {}, "Main", ("main",), 0.0,
              values={"main": math.nan})  # fmt: skip
    order = {"column": "job", "descending": True, "page": 0}
    rows = [Trial.of_job(job, "main")]
    table = pages.jobs_table("a", ["k"], rows, order=order, shown="")
    page = pages.job_page("a", job, "", task="main", actions=False)
    word = "complete, failed here (NaN or infinite)"
    assert table["rows"] == [["1", "", word, "", "3", ""]]
    assert word in json.dumps(page, cls=PlotlyJSONEncoder)


def test_how_many_answered_nan_stands_with_the_counts() -> None:
    counts = {**NOTHING.counts, JobStatus.COMPLETE: 2, JobStatus.BROKEN: 1}
    rows = (Trial(1, {"k": 1}, 1.0), Trial(2, {}), Trial(3, {}, status="broken"))
    state = State(counts, rows, finished=3)
    shown = json.dumps(pages.standing(state, None, SPACE, maximize=False), cls=PlotlyJSONEncoder)
    assert "3 (2 complete, 1 of them failed here (NaN or infinite), 1 broken)" in shown


def test_the_best_of_what_is_maximised_is_the_highest() -> None:
    state = State(NOTHING.counts, (Trial(1, {}, 1.0), Trial(2, {}, 3.0)))
    listed = json.dumps(
        pages.overview([pages.Line("a", state, maximize=True)]), cls=PlotlyJSONEncoder
    )
    assert '"children": "3"' in listed


def test_the_best_in_the_list_fulfils_every_constraint() -> None:
    violating = Trial(1, {}, 1.0, unfulfilled=("strength",))
    state = State(NOTHING.counts, (violating, Trial(2, {}, 3.0)))
    listed = json.dumps(pages.overview([pages.Line("a", state)]), cls=PlotlyJSONEncoder)
    assert '"children": "3"' in listed
    state = State(NOTHING.counts, (violating,))
    listed = json.dumps(pages.overview([pages.Line("a", state)]), cls=PlotlyJSONEncoder)
    assert "no result fulfils every constraint" in listed


def test_results_that_were_added_are_outside_of_the_budget() -> None:
    counts = {**NOTHING.counts, JobStatus.COMPLETE: 3}
    state = State(counts, tuple(Trial(id_, {"k": 1}, 1.0) for id_ in (1, 2, 3)), finished=1)
    listed = json.dumps(pages.overview([pages.Line("a", state, 10)]), cls=PlotlyJSONEncoder)
    assert '"1 of 10"' in listed
    shown = json.dumps(pages.standing(state, 10, SPACE, maximize=False), cls=PlotlyJSONEncoder)
    assert "1 of 10 (3 complete; 2 outside of the budget)" in shown


def test_a_best_outside_of_the_present_bounds_is_told_with_the_best_within_them() -> None:
    state = State(NOTHING.counts, (Trial(1, {"k": 9}, 1.0), Trial(2, {"k": 3}, 2.0)))
    shown = json.dumps(pages.standing(state, None, SPACE, maximize=False), cls=PlotlyJSONEncoder)
    assert "1 at k=9 (job 1, outside of the present bounds)" in shown
    assert "2 at k=3 (job 2)" in shown


def test_bounds_without_a_result_have_no_best_within_them() -> None:
    state = State(NOTHING.counts, (Trial(1, {"k": 9}, 1.0),))
    shown = json.dumps(pages.standing(state, None, SPACE, maximize=False), cls=PlotlyJSONEncoder)
    assert "no result yet" in shown


def test_how_far_the_goal_is_stands_with_the_best() -> None:
    goal = Goal(results=12, bound=0.25, confidence=0.95, wanted=0.01)
    shown = pages.standing(State(NOTHING.counts, (), goal), None, SPACE, maximize=False)
    told = json.dumps(shown, cls=PlotlyJSONEncoder)
    assert "95 % sure that no point is better than the best by more than 0.25, after 12" in told


def test_facts_without_a_text_are_left_out() -> None:
    shown = pages.facts([("a", "1"), ("b", "")])
    assert isinstance(shown, html.Dl)
    assert len(shown.children) == 2


def test_what_is_looked_at_every_second_waits_for_no_other_answer_of_the_server() -> None:
    client = make_app({}, Access(None, 8050)).server.test_client()
    told = client.get("/_dash-dependencies", headers={"Host": "127.0.0.1:8050"}).json
    answered = [each["output"] for each in told if each["clientside_function"] is None]
    live = [each for each in told if any(i["id"].startswith("look-") for i in each["inputs"])]
    needed = {f"{i['id']}.{i['property']}" for each in live for i in each["inputs"]}
    assert len(live) == 3
    assert not [output for output in answered if needed & set(_names(output))]


def _names(output: str) -> list[str]:
    """`..a.x...b.y..` are two."""
    return output.strip(".").split("...")
