"""The output file: bounded, appended to, and locked while its worker lives."""

from __future__ import annotations

from pathlib import Path

from spearmint_int.launcher.output import OutputFile, Tail, output_path, worker_is_alive


def test_a_tail_keeps_the_end() -> None:
    tail = Tail(4)
    for data in (b"ab", b"cdef", b"g"):
        tail.add(data)
    assert (bytes(tail), tail.dropped) == (b"defg", 3)


def test_a_tail_cut_inside_of_a_letter_is_still_text() -> None:
    tail = Tail(3)
    tail.add("éé".encode())
    assert tail.text().endswith("é")


def test_the_path_has_eight_digits(tmp_path: Path) -> None:
    assert output_path(tmp_path, 12) == tmp_path / "output" / "00000012.out"


def test_output_beyond_the_limit_is_cut_with_its_end_kept(tmp_path: Path) -> None:
    path = tmp_path / "output" / "1.out"
    output = OutputFile(path, append=False, largest=10)
    output.write(b"0123456")
    output.write(b"789abc" + b"x" * 70_000 + b"end")
    output.close()
    text = path.read_text()
    assert text.startswith("0123456789\n[spearmint-int: 6006 bytes left out here]\n")
    assert text.endswith("xend")


def test_a_worker_is_alive_as_long_as_it_holds_its_output(tmp_path: Path) -> None:
    assert not worker_is_alive(tmp_path, 3)
    output = OutputFile(output_path(tmp_path, 3), append=False)
    assert worker_is_alive(tmp_path, 3)
    output.close()
    assert not worker_is_alive(tmp_path, 3)
