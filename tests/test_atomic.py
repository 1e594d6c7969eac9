"""Files that are written as a whole: nothing else changes, whatever was there."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from spearmint_int.atomic import write_durably, write_whole

Write = Callable[[Path, str], None]
both = pytest.mark.parametrize("write", [write_whole, write_durably])


@both
def test_the_text_is_in_the_place_of_what_was_there(write: Write, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("long before")
    write(file, "now: ü")
    assert file.read_text(encoding="utf-8") == "now: ü"
    assert os.listdir(tmp_path) == ["file"]


def test_bytes_stay_as_they_are(tmp_path: Path) -> None:
    write_whole(tmp_path / "file", b"\x89PNG\r\n")
    assert (tmp_path / "file").read_bytes() == b"\x89PNG\r\n"


@both
def test_a_link_stays_one_and_its_target_changes(write: Write, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "target"
    target.parent.mkdir()
    target.write_text("before")
    link = tmp_path / "link"
    link.symlink_to(target)
    write(link, "now")
    assert link.is_symlink()
    assert target.read_text() == "now"
    assert os.listdir(target.parent) == ["target"]


def test_where_a_link_points_to_nothing_the_file_is_made(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_whole(tmp_path / "link", "now")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "now"


def test_links_in_a_circle_are_an_error_and_stay(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(tmp_path / "a", "now")
    assert (tmp_path / "a").is_symlink()


def test_a_pipe_stays_one_and_its_reader_gets_the_text(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_whole(pipe, "now")
    reader.join(20)
    assert pipe.is_fifo()
    assert read == ["now"]


@both
def test_where_it_fails_the_old_file_stays_and_nothing_beside_it(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "file"
    file.write_text("before")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write(file, "now")
    assert file.read_text() == "before"
    assert os.listdir(tmp_path) == ["file"]
