"""Every figure and every page as a picture in docs/images: `make screenshots`.

A small experiment is run for it, so that what the pictures show can be made again. It needs the
extra `dashboard`, selenium, and Chromium with its driver.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from spearmint_int.config import load_config
from spearmint_int.plots import PLOTS
from spearmint_int.plots.files import picture
from spearmint_int.snapshot import Snapshot
from spearmint_int.stores import open_store

IMAGES = Path(__file__).parent.parent / "docs" / "images"
CONFIG: dict[str, Any] = {
    "experiment-name": "network",
    "main-file": "network",
    "max-finished-jobs": 40,
    "max-concurrent": 2,
    "max-attempts": 1,
    "seed": 3,
    "variables": {
        "rate": {"type": "FLOAT", "min": 1e-4, "max": 1, "log": True},
        "depth": {"type": "INT", "min": 1, "max": 8},
        "units": {"type": "INT", "min": 8, "max": 128},
        "activation": {"type": "ENUM", "options": ["relu", "tanh", "gelu"]},
    },
}
OBJECTIVE = '''
"""A stand-in for the training of a network: its loss, with noise; deep and fast ones diverge."""
import math, random

def main(job_id, params):
    rate, depth, units = (float(params[name][0]) for name in ("rate", "depth", "units"))
    if depth >= 7 and rate > 0.05:
        raise ValueError("the loss is NaN: training diverged")
    loss = 0.3 * (math.log10(rate) + 2.2) ** 2 + 0.1 * (depth - 4.4) ** 2
    loss += 0.3 * ((units - 70) / 60) ** 2
    loss += {"relu": 0.0, "tanh": 0.25, "gelu": 0.1}[params["activation"][0]]
    return loss + random.Random(job_id).gauss(0, 0.03)
'''
PAGES = {
    "page-experiments": ("/", "network"),
    "page-jobs": ("/e/network", "1 to"),
    "page-figure": ("/e/network/figures/variables", "What the model expects"),
    "page-job": ("/e/network/jobs/20", "runner-up"),
}
PATIENCE = 90.0
TOKEN = "screenshots"


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "network"
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(CONFIG))
        (folder / "network.py").write_text(OBJECTIVE)
        spearmint("run", str(folder))
        draw_figures(folder)
        show_pages(folder)


def spearmint(*arguments: str) -> None:
    command = [sys.executable, "-m", "spearmint_int", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def draw_figures(folder: Path) -> None:
    config = load_config(folder)
    store = open_store(config, create=False)
    snapshot = Snapshot.of_store(config, store)
    store.close()
    for kind in PLOTS.built_in:
        (IMAGES / f"{kind}.png").write_bytes(
            picture(PLOTS[kind](snapshot, "light"), "png", scale=1)
        )


def show_pages(folder: Path) -> None:
    """Each page in light, and the jobs in dark."""
    command = [sys.executable, "-m", "spearmint_int", "dashboard", str(folder)]
    command += ["--port", "0", "--token", TOKEN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            browser = open_browser()
            assert server.stdout is not None
            address = server.stdout.readline().split("/?")[0]
            for name, (path, wanted) in PAGES.items():
                take(browser, f"{address}{path}?token={TOKEN}", wanted, IMAGES / f"{name}.png")
            dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
            browser.execute_script("localStorage.clear()")
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
            path, wanted = PAGES["page-jobs"]
            take(browser, address + path, wanted, IMAGES / "page-jobs-dark.png")
            browser.quit()
        finally:
            server.terminate()


def open_browser() -> Any:
    from selenium import webdriver  # noqa: PLC0415 (of the test extra)

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1000,900"):
        options.add_argument(argument)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    return webdriver.Chrome(options=options, service=service)


def take(browser: Any, address: str, wanted: str, file: Path) -> None:
    """The page as soon as it has what it is about."""
    browser.get(address)
    until = time.monotonic() + PATIENCE
    while wanted not in browser.execute_script("return document.body.innerText"):
        if time.monotonic() > until:
            raise TimeoutError(f"{address} shows no {wanted!r}")
        time.sleep(0.2)
    time.sleep(1.0)  # the figure's own drawing
    browser.save_screenshot(str(file))


if __name__ == "__main__":
    main()
