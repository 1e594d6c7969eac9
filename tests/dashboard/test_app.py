"""What the server answers to an address, asked as a browser does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dash")

from spearmint_int.config import load_config
from spearmint_int.dashboard import Access, Source, make_app
from tests.cli.conftest import experiment, spearmint, with_results

__all__ = ["experiment", "spearmint", "with_results"]
ASK = "/_dash-update-component"
HOST = {"Host": "127.0.0.1:8050"}


@pytest.fixture
def source(with_results: Path) -> Iterator[Source]:
    opened = Source.of(load_config(with_results))
    yield opened
    opened.close()


def page_at(source: Source, path: str) -> str:
    """The page at an address, as JSON."""
    return asked(source, "page", {"address.pathname": path})


def asked(
    source: Source, wanted: str, inputs: dict[str, Any], state: dict[str, Any] | None = None
) -> str:
    """The answer of the callback that fills the element."""
    client = make_app({source.name: source}, Access(None, 8050)).server.test_client()
    outputs = [each["output"] for each in client.get("/_dash-dependencies", headers=HOST).json]
    output = next(text for text in outputs if f"{wanted}.children" in text.strip(".").split("..."))
    question = {
        "output": output,
        "outputs": _outputs(output),
        "inputs": _values(inputs),
        "state": _values(state or {}),
        "changedPropIds": list(inputs),
    }
    answer = client.post(ASK, json=question, headers=HOST)
    assert answer.status_code == 200, answer.text
    return json.dumps(answer.json)


def _outputs(output: str) -> Any:
    names = output.strip(".").split("...")
    each = [dict(zip(("id", "property"), name.split("."), strict=True)) for name in names]
    return each if output.startswith("..") else each[0]


def _values(given: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        dict(zip(("id", "property"), name.split("."), strict=True)) | {"value": value}
        for name, value in given.items()
    ]


@pytest.mark.parametrize("rest", ["figures/bogus", "bogus/x", "jobs/x", "jobs/1/x", "figures"])
def test_an_address_of_nothing_says_so_within_its_experiment(source: Source, rest: str) -> None:
    shown = page_at(source, f"/e/parabola/{rest}")
    assert "There is no such page." in shown
    assert '"href": "/e/parabola"' in shown
    assert '"id": "table"' not in shown


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/", "experiments"),
        ("/e/parabola", "jobs · parabola"),
        ("/e/parabola/figures/variables", "variables · parabola"),
        ("/e/parabola/jobs/2", "job 2 · parabola"),
        ("/e/parabola/jobs/999", "jobs 999 · parabola"),
        ("/e/other", "no such page"),
    ],
)
def test_a_title_tells_what_is_shown_and_of_which_experiment(
    source: Source, path: str, title: str
) -> None:
    assert json.loads(page_at(source, path))["response"]["title"]["data"] == title


def test_an_experiment_that_is_not_there_leads_to_those_that_are(source: Source) -> None:
    shown = page_at(source, "/e/other")
    assert "There is no such page." in shown
    assert '"href": "/"' in shown


def test_a_job_that_is_not_there_is_a_sentence_with_a_way_back(source: Source) -> None:
    shown = page_at(source, "/e/parabola/jobs/999")
    assert "there is no job 999" in shown
    assert '"href": "/e/parabola"' in shown


@pytest.mark.parametrize("panel", ["explanation", "choice"])
def test_a_panel_that_fails_says_so_and_the_log_has_the_reason(
    source: Source, panel: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(source, panel, failing)
    state = {"theme.data": "light"} if panel == "choice" else {}
    shown = asked(
        source, panel, {"job.data": 2}, {**state, "address.pathname": "/e/parabola/jobs/2"}
    )
    assert "This can't be shown: ZeroDivisionError('by nothing')" in shown
    assert "ZeroDivisionError: by nothing" in caplog.text


def test_a_page_that_fails_says_so_within_its_experiment(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(source, "job", failing)
    shown = page_at(source, "/e/parabola/jobs/2")
    assert "This can't be shown: ZeroDivisionError" in shown
    assert '"href": "/e/parabola"' in shown


def test_the_address_of_an_experiment_shows_its_jobs(source: Source) -> None:
    assert '"id": "table"' in page_at(source, "/e/parabola")
