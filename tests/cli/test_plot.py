"""`plot`, and `status --plots`."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spearmint_int.cli.arguments import at
from spearmint_int.cli.plot import snapshot_of
from spearmint_int.cli.sparklines import sparkline
from tests.cli.conftest import CommandLine

ERASED = "\x1b[2K"  # the line where the cursor stands


def test_one_kind_goes_to_the_file_that_is_named(
    with_results: Path, spearmint: CommandLine, tmp_path: Path
) -> None:
    pytest.importorskip("plotly")
    file = tmp_path / "figure.html"
    answer = spearmint("plot", with_results, "progress", "-o", file)
    assert (answer.code, answer.out.strip()) == (0, str(file))
    assert "Best so far" in file.read_text()


def test_all_figures_begin_with_the_progress(
    with_results: Path, spearmint: CommandLine, tmp_path: Path
) -> None:
    pytest.importorskip("plotly")
    file = tmp_path / "all.html"
    assert spearmint("plot", with_results, "-o", file).code == 0
    text = file.read_text()
    assert text.index("Best so far") < text.index("Jobs over time")
    assert text.index("Best so far") < text.index("What each suggestion promised")


def test_what_is_drawn_has_the_time_at_which_it_was_read(with_results: Path) -> None:
    before = time.time()
    taken = snapshot_of(at(with_results, "config.json")).taken
    assert taken is not None
    assert before <= taken <= time.time()


def test_an_unknown_kind_is_a_sentence_with_the_nearest(
    with_results: Path, spearmint: CommandLine
) -> None:
    answer = spearmint("plot", with_results, "variable")
    assert answer.code == 2
    assert "did you mean 'variables'?" in answer.err


def test_all_figures_can_only_be_a_page(with_results: Path, spearmint: CommandLine) -> None:
    answer = spearmint("plot", with_results, "-o", "all.png")
    assert answer.code == 2
    assert ".html" in answer.err


def test_a_terminal_is_told_what_is_being_drawn_and_is_left_as_it_was(with_results: Path) -> None:
    parent, terminal = pty.openpty()
    command = [sys.executable, "-m", "spearmint_int", "plot", str(with_results), "progress"]
    written = ["-o", str(with_results / "drawn.html")]
    with subprocess.Popen([*command, *written], stderr=terminal) as running:
        os.close(terminal)
        told = _all_of(parent)
    assert running.returncode == 0
    assert "drawing progress (1 of 1) …" in told
    assert told.rstrip("\r\n").endswith(ERASED)


def _all_of(terminal: int) -> str:
    """What is written to it until its other end is closed, which is an error on Linux."""
    parts = []
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode()


def test_a_file_is_told_nothing_while_figures_are_drawn(
    with_results: Path, spearmint: CommandLine, tmp_path: Path
) -> None:
    assert spearmint("plot", with_results, "progress", "-o", tmp_path / "drawn.html").err == ""


def test_status_has_lines_of_bars(with_results: Path, spearmint: CommandLine) -> None:
    lines = spearmint("status", with_results, "--plots").out.splitlines()
    (results,) = [line for line in lines if line.startswith("results")]
    assert results.split()[1] == "▂▁█×"
    assert any(line.startswith("n ") and "0 … 4" in line for line in lines)


def test_a_sparkline_keeps_the_best_of_what_it_puts_together() -> None:
    assert sparkline([0.0, 4.0, 2.0, 2.0], width=2, maximize=True) == "█▁"
    assert len(sparkline([5.0, 0.0, 5.0] * 100, width=50)) == 50
    assert set(sparkline([5.0, 0.0, 5.0] * 100, width=50)) == {"▁"}


def test_a_sparkline_of_equal_values_and_of_failures() -> None:
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert sparkline([float("nan")]) == "×"
    assert sparkline([]) == ""


def test_a_grid_says_that_it_is_the_models_and_not_where_something_was_tried(
    with_results: Path, spearmint: CommandLine
) -> None:
    out = spearmint("status", with_results, "--plots").out
    x, n = (next(line for line in out.splitlines() if line.startswith(v)) for v in ("x ", "n "))
    assert "-1 … 1, the model's best near " in x
    assert "0 … 4, the model's best at " in n


def test_a_misspelt_kind_in_the_experiments_folder_gets_the_nearest_one(
    spearmint: CommandLine, with_results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(with_results)
    answer = spearmint("plot", "varables")
    assert answer.code == 2
    assert "varables: is neither a folder nor a kind of figure; did you mean 'variables'?" in (
        answer.err
    )


def test_bars_of_numbers_near_the_largest_do_not_overflow() -> None:
    assert sparkline([-1.7e308, 0.0, 1.7e308]) == "▁▅█"
