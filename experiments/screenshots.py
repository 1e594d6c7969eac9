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

from spearmint_int import Int, minimize
from spearmint_int.config import load_config
from spearmint_int.plots import PLOTS
from spearmint_int.plots.files import picture
from spearmint_int.snapshot import Snapshot
from spearmint_int.space import Space
from spearmint_int.stores import open_store
from spearmint_int.variables import Params

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
    "page-job": ("/e/network/jobs/20", "Where job 20 was chosen"),
}
PATIENCE = 200.0
TOKEN = "screenshots"
TALL = 1500  # of a page with more to see


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "network"
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(CONFIG))
        (folder / "network.py").write_text(OBJECTIVE)
        spearmint("run", str(folder))
        draw_figures(folder)
        draw_lattice()
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


def draw_lattice() -> None:
    """Where there are few combinations, each has a probability too."""
    space = Space({"depth": Int(1, 8), "heads": Int(1, 6)})
    found = minimize(lattice_loss, space, 14, progress=False)
    (IMAGES / "optimum-lattice.png").write_bytes(picture(found.plot("optimum"), "png", scale=1))


def lattice_loss(params: Params) -> float:
    return float(0.1 * (params["depth"] - 4.4) ** 2 + 0.05 * (params["heads"] - 3.4) ** 2)


def show_pages(folder: Path) -> None:
    """Each page in light, the jobs in dark, and what can be done where that is allowed."""
    command = [sys.executable, "-m", "spearmint_int", "dashboard", str(folder)]
    command += ["--port", "0", "--token", TOKEN, "--allow-actions"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            browser = open_browser()
            assert server.stdout is not None
            address = server.stdout.readline().split("/?")[0]
            for name, (path, wanted) in PAGES.items():
                browser.set_window_size(1000, TALL if name == "page-job" else 900)
                take(browser, f"{address}{path}?token={TOKEN}", wanted, IMAGES / f"{name}.png")
            browser.get(address + PAGES["page-jobs"][0])
            await_text(browser, PAGES["page-jobs"][1])
            browser.execute_script("document.querySelector('summary').click()")
            time.sleep(1.0)
            browser.save_screenshot(str(IMAGES / "page-actions.png"))
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
    await_text(browser, wanted)
    time.sleep(1.0)  # the figure's own drawing
    browser.save_screenshot(str(file))


def await_text(browser: Any, wanted: str) -> None:
    until = time.monotonic() + PATIENCE
    while wanted not in browser.execute_script("return document.body.innerText"):
        if time.monotonic() > until:
            raise TimeoutError(f"{browser.current_url} shows no {wanted!r}")
        time.sleep(0.2)


if __name__ == "__main__":
    main()
