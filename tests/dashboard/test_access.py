"""Who may look at the page, and what it says to strangers."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("dash")

from spearmint_int.dashboard import Access, make_app

TOKEN = "open-sesame"


@pytest.fixture
def client() -> Any:
    return make_app({}, Access(TOKEN, 8050)).server.test_client()


def get(client: Any, path: str, host: str = "127.0.0.1:8050") -> Any:
    return client.get(path, headers={"Host": host})


@pytest.mark.parametrize("path", ["/", "/?token=wrong", "/e/any", "/_dash-layout", "/assets/x.css"])
def test_without_the_token_nothing_is_shown(client: Any, path: str) -> None:
    answer = get(client, path)
    assert answer.status_code == 401
    assert TOKEN not in answer.text


def test_nothing_is_changed_without_the_token(client: Any) -> None:
    answer = client.post("/_dash-update-component", json={}, headers={"Host": "127.0.0.1:8050"})
    assert answer.status_code == 401


def test_the_token_becomes_a_cookie_and_leaves_the_address(client: Any) -> None:
    answer = get(client, f"/e/some%20name?token={TOKEN}&a=1")
    assert answer.status_code == 302
    assert answer.headers["Location"].endswith("?a=1")
    assert "HttpOnly" in answer.headers["Set-Cookie"]
    assert "SameSite=Strict" in answer.headers["Set-Cookie"]
    assert get(client, "/").status_code == 200


def test_the_way_in_leads_to_no_other_host(client: Any) -> None:
    assert get(client, f"//evil.example/x?token={TOKEN}").headers["Location"] == "/x"


def test_another_name_of_the_server_is_refused_even_with_the_token(client: Any) -> None:
    assert get(client, f"/?token={TOKEN}", host="evil.example").status_code == 403


def test_nothing_may_be_loaded_from_elsewhere(client: Any) -> None:
    get(client, f"/?token={TOKEN}")
    answer = get(client, "/")
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert "//cdn" not in answer.text


def test_no_token_asks_nobody() -> None:
    open_to_all = make_app({}, Access(None, 8050)).server.test_client()
    assert get(open_to_all, "/").status_code == 200


@pytest.mark.parametrize(("allowed", "number"), [(False, 0), (True, 6)])
def test_nothing_can_be_changed_unless_that_is_allowed(allowed: bool, number: int) -> None:
    app = make_app({}, Access(None, 8050), actions=allowed)
    told = get(app.server.test_client(), "/_dash-dependencies").json
    assert sum(each["output"].startswith("acted.") for each in told) == number
