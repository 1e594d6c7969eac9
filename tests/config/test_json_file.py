"""JSON faults: the line, the column, what was found, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from spearmint_int.config.json_file import parse_json, read_json
from spearmint_int.errors import ConfigError

FAULTS = {
    '{\n  "a": 1,\n}': "c.json:2:9: trailing comma before '}'; delete it",
    '{"a": [1, 2,]}': "c.json:1:12: trailing comma before ']'; delete it",
    '{\n  // the depth\n  "a": 1}': "c.json:2:3: comments are not part of JSON; delete this one",
    '{"a": 1 # one\n}': "c.json:1:9: comments are not part of JSON; delete this one",
    '{"a": 1, /* x */ "b": 2}': "c.json:1:10: comments are not part of JSON; delete this one",
    '{"a": 1,, "b": 2}': "c.json:1:9: two commas in a row; delete one",
    '{"a": True}': "c.json:1:7: True is not JSON; write true",
    '{"a": None}': "c.json:1:7: None is not JSON; write null",
    '{"NaN": NaN}': "c.json:1:9: NaN is not JSON; write a finite number",
    "{'a': 1}": "c.json:1:2: found a single quote; JSON strings have double quotes",
    "{a: 1}": "c.json:1:2: expected a key in double quotes, found 'a'",
    '{"a": "b\n}': "c.json:1:7: the string that begins here is not closed by a quote",
    '{"a": "b': "c.json:1:7: the string that begins here is not closed by a quote",
    '{"a": "C:\\data"}': "c.json:1:10: bad escape in a string",
    '{"a": 1\n "b": 2}': "c.json:2:2: expected a comma or the end of the list or object",
    '{"a" 1}': "c.json:1:6: expected a colon after the key, found '1'",
    '{"a": }': "c.json:1:7: expected a value, found '}'",
    '{"a": 1': "c.json:1:8: the file ends too early: a closing } or ] is missing",
    '{"a": 1} }': "c.json:1:10: the document ended before this, but '}' follows",
    " \n": "c.json: is empty; it must hold a JSON object",
    '{"a": {"b": 1, "b": 2}}': "c.json: a.b: this key is given twice; keep one of them",
    '{"a": [{"b": 1, "b": 2}]}': "c.json: a[0].b: this key is given twice; keep one of them",
    "[" * 100_000: "c.json: can't be read as JSON",
}


@pytest.mark.parametrize("text", FAULTS, ids=lambda text: text[:20])
def test_a_json_fault_says_its_place_and_what_to_do(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_json(text, name="c.json")
    assert str(caught.value).startswith(FAULTS[text])


def test_a_document_without_faults_is_read_as_it_is() -> None:
    text = '{"a": [1, 2.5, "x", null, true, {"b": {}}]}'
    assert parse_json(text, name="c.json") == {"a": [1, 2.5, "x", None, True, {"b": {}}]}


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert read_json(tmp_path / "c.json") == {"a": 1}


def test_a_file_in_another_encoding_says_the_line(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes('{\n"a": "größe"}'.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"^c\.json:2: is not UTF-8 text"):
        read_json(tmp_path / "c.json")


def test_a_missing_file_names_the_command_that_writes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no such file; 'spearmint-int init"):
        read_json(tmp_path / "config.json")


def test_a_missing_file_names_the_other_json_files(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"name another with --config \(here: other\.json\)"):
        read_json(tmp_path / "config.json")


def test_a_file_in_place_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match="is a file, but an experiment is a folder"):
        read_json(tmp_path / "config.json" / "config.json")
