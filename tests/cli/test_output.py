"""Text in columns of a terminal, where a letter may take two."""

from __future__ import annotations

import pytest

from spearmint_int.cli.output import clip, print_facts, print_table


def test_facts_begin_in_one_column_whatever_their_names_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_facts([("学習率", "1"), ("depth-", "2")])
    assert capsys.readouterr().out == "学習率  1\ndepth-  2\n"


def test_a_table_has_its_cells_below_wide_names(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["学習率", "e"], [["0.5", "a"]])
    assert capsys.readouterr().out == "学習率  e\n   0.5  a\n"


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("depth", 5, "depth"), ("depth", 4, "dep…"), ("学習率", 6, "学習率"), ("学習率", 5, "学習…")],
)
def test_what_is_too_wide_is_cut(text: str, width: int, shown: str) -> None:
    assert clip(text, width) == shown
