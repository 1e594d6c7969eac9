"""The page in a real browser: looked at, clicked through, attacked, and left open while things go
on."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dash")

from spearmint_int.cli.program import exit_code
from spearmint_int.config import load_config
from spearmint_int.jobs import JobDraft, Source
from spearmint_int.stores import open_store
from tests.cli.conftest import (
    CONFIG,
    OBJECTIVE,
    RESULTS,
    CommandLine,
    experiment,
    spearmint,
    with_results,
)
from tests.dashboard.conftest import Server, await_text, press, text_of

__all__ = ["experiment", "spearmint", "with_results"]
Serve = Callable[..., Server]
HOSTILE = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script>"
HOSTILE_OBJECTIVE = f"""
def main(job_id, params):
    print({HOSTILE!r})
    if job_id == 2:
        raise ValueError({HOSTILE!r})
    return float(job_id)
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests that only look."""
    folder = tmp_path_factory.mktemp("shown") / "parabola"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "results.csv").write_text(RESULTS)
    assert exit_code(["add", str(folder), str(folder / "results.csv")]) == 0
    server = Server(folder)
    yield server
    server.stop()


def bring(folder: Path, spearmint: CommandLine, x: float) -> None:
    """One more result."""
    file = folder / "more.csv"
    file.write_text(f"x,n,value\n{x},2,{x * x + 2}\n")
    assert spearmint("add", folder, file).code == 0


def test_from_the_experiments_to_a_job_and_back(browser: Any, shown: Server) -> None:
    browser.get(shown.url())
    await_text(browser, "parabola")
    browser.execute_script("window.loads = 1")  # gone with the next load
    press(browser, "main a[href='/e/parabola']")
    await_text(browser, "1 to 4 of 4")
    assert browser.current_url.endswith("/e/parabola")
    assert browser.title == "jobs · parabola"
    press(browser, "a[href='/e/parabola/jobs/2']")
    await_text(browser, "No model chose this point.")
    assert browser.title == "job 2 · parabola"
    assert browser.current_url.endswith("/e/parabola/jobs/2")
    browser.back()
    await_text(browser, "1 to 4 of 4")
    assert browser.execute_script("return window.loads") == 1


def test_without_the_token_the_browser_sees_a_401(browser: Any, shown: Server) -> None:
    browser.delete_all_cookies()
    browser.get(shown.address)
    assert "401" in text_of(browser, "body")
    assert "parabola" not in browser.page_source


def test_a_deep_link_sorts_filters_and_draws(browser: Any, shown: Server) -> None:
    browser.get(shown.url("/e/parabola"))
    await_text(browser, "1 to 4 of 4")
    press(browser, "th:nth-child(2) button")
    await_text(browser, "value ↑", "thead")
    assert text_of(browser, "tbody tr td:nth-child(2)") == "0.0625"
    press(browser, "th:nth-child(2) button")
    await_text(browser, "value ↓", "thead")
    assert text_of(browser, "tbody tr td:nth-child(2)") == "5"
    browser.find_element("id", "filter").send_keys("n=4")
    await_text(browser, "1 to 1 of 1")
    browser.get(shown.url("/e/parabola/figures/variables"))
    await_text(browser, "What the model expects", "#figure-title")


def test_on_a_narrow_page_the_whole_title_stands_above_the_figures_buttons(
    browser: Any, shown: Server
) -> None:
    narrow = {"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", narrow)
    browser.get(shown.url("/e/parabola/figures/variables"))
    await_text(browser, "What the model expects along each variable", "#figure-title")
    await_text(browser, "objective", "#figure")
    title = browser.find_element("css selector", "#figure-title h3").rect
    buttons = browser.find_element("css selector", "#figure .modebar").rect
    legend = browser.find_element("css selector", "#figure .legend").rect
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert title["x"] + title["width"] <= 420
    assert title["y"] + title["height"] <= buttons["y"] + 1
    assert buttons["y"] + buttons["height"] <= legend["y"] + 1


def test_a_result_is_on_every_open_page_within_seconds(
    browser: Any,
    serve: Serve,
    with_results: Path,
    spearmint: CommandLine,
) -> None:
    server = serve(with_results)
    browser.get(server.url("/e/parabola"))
    first = browser.current_window_handle
    await_text(browser, "1 to 4 of 4")
    browser.switch_to.new_window("tab")
    browser.get(server.url("/e/parabola"))
    await_text(browser, "1 to 4 of 4")
    bring(with_results, spearmint, 0.125)
    took = await_text(browser, "1 to 5 of 5")
    browser.close()
    browser.switch_to.window(first)
    await_text(browser, "1 to 5 of 5")
    assert took < 20.0  # about one second where the machine has nothing else to do


def test_a_page_goes_on_when_the_server_comes_back(
    browser: Any,
    serve: Serve,
    with_results: Path,
    spearmint: CommandLine,
) -> None:
    server = serve(with_results)
    browser.get(server.url("/e/parabola"))
    await_text(browser, "1 to 4 of 4")
    server.stop()
    bring(with_results, spearmint, 0.25)
    time.sleep(2)
    serve(with_results, port=server.port)
    await_text(browser, "1 to 5 of 5")


def test_a_page_that_nobody_sees_asks_nothing(browser: Any, shown: Server) -> None:
    browser.get(shown.url("/e/parabola"))
    await_text(browser, "1 to 4 of 4")
    assert _questions(browser) > 0
    hidden = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true})"
    browser.execute_script(hidden % "true")
    _questions(browser)  # what was asked just before
    assert _questions(browser) == 0
    browser.execute_script(hidden % "false")
    assert _questions(browser) > 0


def _questions(browser: Any) -> int:
    """How many the page asks in three seconds."""
    browser.execute_script("performance.clearResourceTimings()")
    time.sleep(3)
    script = "return performance.getEntriesByType('resource').map(entry => entry.name)"
    return sum("_dash-update-component" in name for name in browser.execute_script(script))


def test_what_is_allowed_can_be_done(browser: Any, serve: Serve, with_results: Path) -> None:
    server = serve(with_results, arguments=("--allow-actions",))
    browser.get(server.url("/e/parabola"))
    await_text(browser, "1 to 4 of 4")
    press(browser, "summary")
    cells = browser.find_elements("css selector", ".form input")
    for cell, text in zip(cells, ("0.75", "2", "2.5625"), strict=True):
        cell.send_keys(text)
    press(browser, "#add")
    await_text(browser, "added as job 5")
    await_text(browser, "1 to 5 of 5")
    press(browser, "#reserve")
    await_text(browser, "job 6 is reserved")
    browser.get(server.url("/e/parabola/jobs/6"))
    await_text(browser, "tell the result")
    press(browser, "#stop-job")
    await_text(browser, "stopped; its worker")


def test_a_run_is_seen_while_it_goes_on(browser: Any, serve: Serve, experiment: Path) -> None:
    objective = "import time\n" + OBJECTIVE.replace("return", "time.sleep(1); return")
    (experiment / "objective.py").write_text(objective)
    server = serve(experiment)
    browser.get(server.url("/e/parabola"))
    await_text(browser, "none yet")
    command = [sys.executable, "-m", "spearmint_int", "run", str(experiment)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        await_text(browser, "1 complete")
        await_text(browser, "3 complete")
        assert run.wait(60) == 0


def test_dark_where_the_system_is_and_light_at_a_press(browser: Any, shown: Server) -> None:
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    browser.get(shown.url())
    await_text(browser, "parabola")
    theme = "return document.documentElement.dataset.theme"
    assert browser.execute_script(theme) == "dark"
    press(browser, "#switch")
    time.sleep(0.5)
    assert browser.execute_script(theme) == "light"
    browser.execute_script("localStorage.clear()")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_hostile_job_is_text_everywhere(browser: Any, serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / "hostile"
    folder.mkdir()
    kind = {"type": "ENUM", "options": [HOSTILE, "tame"]}
    variables = {"kind": kind, "n": {"type": "INT", "min": 0, "max": 3}}
    config = CONFIG | {"variables": variables, "max-attempts": 1, "experiment-name": "h<b>i</b>"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "objective.py").write_text(HOSTILE_OBJECTIVE)
    command = [sys.executable, "-m", "spearmint_int", "run", str(folder)]
    subprocess.run(command, capture_output=True, check=False)
    server = serve(folder)
    name = "/e/h%3Cb%3Ei%3C%2Fb%3E"
    seen = {
        name: "h<b>i</b>",
        f"{name}/jobs/2": "<script>window.hacked=1</script>",
        f"{name}/figures/timeline": "Jobs over time",
    }
    for path, wanted in seen.items():
        browser.get(server.url(path))
        await_text(browser, wanted)
        time.sleep(0.5)
        assert browser.execute_script("return window.hacked") is None
        assert browser.execute_script("return document.querySelectorAll('main img').length") == 0


def test_ten_thousand_jobs_are_there_at_once(
    browser: Any,
    serve: Serve,
    experiment: Path,
) -> None:
    config = load_config(experiment)
    space = config.space()
    drafts = []
    for i in range(10_000):
        params = {"x": (i % 2000) / 1000 - 1, "n": i % 5}
        draft = JobDraft(params, tuple(space.encode(params)), Source.USER)
        drafts.append((draft, {"main": float(i % 97)}))
    store = open_store(config, create=True)
    store.add_all_complete(drafts)
    store.close()
    server = serve(experiment)
    browser.get(server.url("/e/parabola"))
    await_text(browser, "1 to 50 of 10000")
    browser.get(server.url("/e/parabola"))
    took = await_text(browser, "1 to 50 of 10000")
    paint = "return performance.getEntriesByName('first-contentful-paint')[0].startTime"
    assert browser.execute_script(paint) < 2_000
    assert took < 10.0  # below 1 s on a machine of its own
