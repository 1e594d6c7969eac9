"""Figures as files: what was there before is replaced as a whole, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("plotly")

import plotly.graph_objects as go

from spearmint_int.errors import SpearmintError
from spearmint_int.plots import files


@pytest.mark.parametrize("ending", files.ENDINGS)
def test_a_figure_goes_to_where_a_link_points(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "picture", lambda *_: b"a picture")
    link, target = tmp_path / f"link{ending}", tmp_path / f"target{ending}"
    link.symlink_to(target)
    files.write(go.Figure(), link)
    assert link.is_symlink()
    assert target.stat().st_size > 0


@pytest.mark.parametrize("ending", files.ENDINGS)
def test_where_the_disk_is_full_the_old_figure_stays(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "picture", lambda *_: b"a picture")
    monkeypatch.setattr(os, "replace", full)
    file = tmp_path / f"figure{ending}"
    file.write_text("before")
    with pytest.raises(SpearmintError, match=f"{ending} can't be written: No space left"):
        files.write(go.Figure(), file)
    assert file.read_text() == "before"
    assert os.listdir(tmp_path) == [file.name]


def test_on_a_page_a_title_is_a_heading_and_not_plotlys() -> None:
    figure = go.Figure(layout={"title": {"text": "What &lt;b&gt; is<br><sup>and &amp; why</sup>"}})
    shown = files.embedded(figure)
    assert "<h3>What &lt;b&gt; is</h3><p>and &amp; why</p>" in shown
    assert '"title":{"text":""}' in shown
    assert figure.layout.title.text.startswith("What")


def test_on_a_narrow_page_panels_side_by_side_keep_their_width() -> None:
    beside = {"xaxis": {"domain": [0, 0.4]}, "xaxis2": {"domain": [0.6, 1]}}
    below = {"xaxis": {"domain": [0, 1]}, "xaxis2": {"domain": [0, 1]}}
    widths = [files.least_width({"data": [], "layout": layout}) for layout in (below, beside)]
    assert widths == [files.LEAST_PANEL, 2 * files.LEAST_PANEL]
    lanes = files.least_width({"data": [{"dimensions": [{}] * 15}], "layout": {}})
    assert lanes == 15 * files.LEAST_LANE


def test_without_its_title_a_figure_keeps_its_margins_but_for_the_top_one() -> None:
    _, wide = files.headed({"layout": {"margin": {"t": 70, "l": 5}}})
    _, usual = files.headed({"layout": {}})
    assert wide["layout"]["margin"] == {"t": files.TOP_MARGIN, "l": 5}
    assert usual["layout"]["margin"] == {"t": files.TOP_MARGIN}
