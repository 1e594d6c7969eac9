"""A real browser without a display, and a real server for it to look at."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

TOKEN = "open-sesame"
BINARIES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--window-size=1280,1000",
)  # fmt: skip
PATIENCE = 90.0  # seconds until something must be on a page; the machine may be busy


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by selenium; where there is none the tests are skipped, and say so."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary = next(filter(None, map(shutil.which, BINARIES)), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no Chromium with its driver (on Debian: apt install chromium chromium-driver)")
    options = selenium.ChromeOptions()
    options.binary_location = binary
    for argument in ARGUMENTS:
        options.add_argument(argument)
    opened = selenium.Chrome(options=options, service=selenium.ChromeService(driver))
    yield opened
    opened.quit()


class Server:
    """`spearmint-int dashboard` in a process of its own."""

    def __init__(self, *folders: Path, port: int = 0, arguments: tuple[str, ...] = ()) -> None:
        command = [sys.executable, "-m", "spearmint_int", "dashboard", *map(str, folders)]
        command += ["--port", str(port), "--token", TOKEN, *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().split("/?")[0]
        assert self.address.startswith("http://127.0.0.1:"), self.address
        self.port = int(self.address.rsplit(":", 1)[1])

    def url(self, path: str = "/") -> str:
        return f"{self.address}{path}?token={TOKEN}"

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(20)
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start servers, which end with the test."""
    started: list[Server] = []

    def start(*folders: Path, port: int = 0, arguments: tuple[str, ...] = ()) -> Server:
        started.append(Server(*folders, port=port, arguments=arguments))
        return started[-1]

    yield start
    for server in started:
        server.stop()


def text_of(browser: Any, selector: str) -> str:
    """The text of the first element there is; empty while there is none."""
    script = "const e = document.querySelector(arguments[0]); return e ? e.innerText : '';"
    return str(browser.execute_script(script, selector))


def await_text(browser: Any, wanted: str, selector: str = "main") -> float:
    """The seconds until the text is there."""
    began = time.monotonic()
    while wanted not in text_of(browser, selector):
        waited = time.monotonic() - began
        seen = f"{browser.current_url}: {text_of(browser, selector)[:500]}"
        assert waited < PATIENCE, f"no {wanted!r} at {seen}"
        time.sleep(0.05)
    return time.monotonic() - began


def press(browser: Any, selector: str) -> None:
    """Click what the selector names."""
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)
