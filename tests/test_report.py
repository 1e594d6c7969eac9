"""The report: self-contained, small, and safe to open."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from spearmint_int import value_text
from spearmint_int.chooser import ChooserOptions, Observations, Problem
from spearmint_int.snapshot import Snapshot, Trial
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int
from tests.cli.conftest import CommandLine, experiment, spearmint, with_results

pytest.importorskip("plotly")

from plotly.offline import get_plotlyjs

from spearmint_int.report import report

__all__ = ["experiment", "spearmint", "with_results"]
HOSTILE = "</script><script>alert(1)</script>"
MADE = datetime(2026, 11, 16, tzinfo=timezone.utc)


def hostile_snapshot(n: int) -> Snapshot:
    space = Space({HOSTILE: Enum(["a", HOSTILE]), "k": Int(0, 9), "x": Float(0, 1)})
    rng = np.random.default_rng(0)
    points = space.snap(rng.random((n, 4)))
    values = np.sum(points, axis=1)
    values[1] = values[4] = np.nan
    why = {"failure": HOSTILE, "status": "broken"}
    trials = tuple(
        Trial(i + 1, space.decode(p), float(v), **(why if i == 1 else {}))  # type: ignore[arg-type]
        for i, (p, v) in enumerate(zip(points, values, strict=True))
    )
    options = ChooserOptions(samples=2, burn_in=10, candidates=50)
    return Snapshot(
        HOSTILE, trials, Problem(space, Observations.of(points, values), options=options)
    )


@pytest.fixture(scope="module")
def text() -> str:
    return report(hostile_snapshot(8), {"main-file": HOSTILE}, made=MADE, store=HOSTILE)


def test_nothing_from_a_config_or_a_job_is_markup(text: str) -> None:
    assert "<script>alert(1)" not in text
    assert "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_nothing_is_loaded_from_a_network(text: str) -> None:
    ours = text.replace(get_plotlyjs(), "")
    assert 'src="' not in ours
    assert 'href="http' not in ours


def test_plotlys_code_is_in_it_once(text: str) -> None:
    assert text.count(get_plotlyjs()) == 1


def test_failures_are_counted(text: str) -> None:
    assert "<dt>1 ×</dt>" in text
    assert "(job 2)" in text


def test_a_job_that_answered_nan_is_a_failure_with_one_word(text: str) -> None:
    assert "7 complete, 1 of them failed here (NaN or infinite), 1 broken" in text
    assert "<td>complete, failed here (NaN or infinite)</td>" in text
    assert "<dd>failed here (NaN or infinite) (job 5)</dd>" in text


def test_a_best_outside_of_the_present_bounds_is_told_with_the_best_within_them() -> None:
    snapshot = hostile_snapshot(8)
    assert snapshot.best is not None
    beyond = Trial(9, {HOSTILE: "a", "k": 99, "x": 0.5}, -1.0)
    told = report(replace(snapshot, trials=(*snapshot.trials, beyond)), {}, made=MADE, store="")
    assert "-1 (job 9, outside of the present bounds)" in told
    value = value_text.number(snapshot.best.value)
    assert f"<dt>within them</dt><dd>{value} (job {snapshot.best.id}), at" in told


def test_settings_are_those_of_a_config_that_differ_from_a_default() -> None:
    variables = {"learning_rate": {"type": "FLOAT", "min": 0.0, "max": 1.0, "was": None}}
    settings = {"kernel": "matern52", "resources": {"Main": {"max_finished_jobs": 30}}}
    text = report(hostile_snapshot(5), {**settings, "variables": variables}, made=MADE)
    shown = text[text.index("<h2>Settings</h2>") : text.index("<h2>Versions</h2>")]
    assert unescape(shown).splitlines()[1:] == [
        "<pre>{",
        '  "variables": {',
        '    "learning_rate": {"type": "FLOAT", "min": 0.0, "max": 1.0}',
        "  },",
        '  "max-finished-jobs": 30',
        "}</pre>",
    ]


@pytest.mark.slow
def test_500_jobs_are_small_enough_to_mail() -> None:
    assert len(report(hostile_snapshot(500), {}, made=MADE).encode()) < 6_000_000


def test_the_command_writes_it(with_results: Path, spearmint: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "mail.html"
    answer = spearmint("report", with_results, "-o", file)
    assert answer.code == 0
    assert str(file) in answer.out
    assert "parabola" in file.read_text()
