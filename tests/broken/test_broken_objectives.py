"""Every objective that goes wrong is one sentence: refused at once, or a broken job in a store
that still works.

The runs are real processes; they are started together, since each one mostly waits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from spearmint_int.config import load_config
from spearmint_int.jobs import JobStatus
from spearmint_int.stores import open_store
from tests.broken.objectives import BROKEN_OBJECTIVES, UNLOADABLE, Broken
from tests.broken.runs import Ending, run

TOGETHER = 4  # several of them only wait for their time limit


def write(folder: Path, broken: Broken) -> None:
    """The experiment: one job, one attempt."""
    script = broken.keys.get("language") == "SHELL"
    config = {
        "main-file": "objective.sh" if script else "objective",
        "max-finished-jobs": 1,
        "max-attempts": 1,
        "variables": {"depth": {"type": "INT", "min": 1, "max": 5}},
    }
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config | broken.keys))
    file = folder / ("objective.sh" if script else "objective.py")
    file.write_text(broken.source)
    file.chmod(0o755)


@pytest.fixture(scope="module")
def endings(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, tuple[Path, Future[Ending]]]]:
    """Every broken objective's folder and how its run ended."""
    root = tmp_path_factory.mktemp("broken")
    with ThreadPoolExecutor(TOGETHER) as pool:
        started = {}
        for name, broken in (BROKEN_OBJECTIVES | UNLOADABLE).items():
            folder = root / name.replace(" ", "-").replace("'", "")
            write(folder, broken)
            started[name] = (folder, pool.submit(run, folder))
        yield started


@pytest.mark.parametrize("name", BROKEN_OBJECTIVES)
def test_a_broken_objective_is_a_broken_job_with_one_sentence(
    name: str, endings: dict[str, tuple[Path, Future[Ending]]]
) -> None:
    folder, future = endings[name]
    ending, broken = future.result(), BROKEN_OBJECTIVES[name]
    store = open_store(load_config(folder), create=False)
    try:
        (job,) = store.jobs()
        failure = job.failures[-1]
        assert job.status is JobStatus.BROKEN
        assert re.fullmatch(broken.kind, failure.kind.value), failure
        assert re.search(broken.message, failure.message), failure
        assert "\n" not in failure.message
        assert store.retry(job.id).status is JobStatus.NEW  # the store works on
    finally:
        store.close()
    assert ending.code == 1
    assert failure.message in ending.out
    assert ending.err == ""


@pytest.mark.parametrize("name", UNLOADABLE)
def test_an_objective_that_cant_be_loaded_is_refused_before_anything_is_written(
    name: str, endings: dict[str, tuple[Path, Future[Ending]]]
) -> None:
    folder, future = endings[name]
    ending = future.result()
    assert ending.code == 2
    assert ending.err.startswith("error: objective.")
    assert ending.err.count("\n") == 1
    assert re.search(UNLOADABLE[name].message, ending.err)
    assert not (folder / "spearmint.sqlite").exists()
    assert not (folder / "output").exists()
