"""What objectives of Spearmint's time do with their parameters, and what Python 2 looks like."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spearmint_int.launcher.objective import as_arrays, place_of


def one(value: float, kind: str = "FLOAT") -> Any:
    return as_arrays([{"name": "x", "type": kind, "values": [value]}])["x"]


def test_a_parameter_of_one_element_converts_to_a_number() -> None:
    assert float(one(2.25)) == 2.25
    assert int(one(2.25)) == 2
    assert math.sqrt(one(2.25)) == 1.5
    assert "%.2f" % one(2.25) == "2.25"  # noqa: UP031 (as they are written)


def test_what_was_computed_from_it_converts_too() -> None:
    assert float(2 * np.square(one(3.0)) + 1) == 19.0


def test_an_integer_counts_and_indexes() -> None:
    assert list(range(one(3, "INT"))) == [0, 1, 2]
    assert "abcd"[one(2, "INT")] == "c"


def test_a_real_number_is_no_index() -> None:
    with pytest.raises(TypeError):
        range(one(3.0))


def test_it_is_an_array_still() -> None:
    x = one(2.25)
    assert isinstance(x, np.ndarray)
    assert x.shape == (1,)
    assert type(x[0]) is np.float64
    assert repr(x) == "array([2.25])"
    assert np.concatenate([x, x]).tolist() == [2.25, 2.25]


def test_sums_are_scalars_as_of_any_array() -> None:
    assert type(one(2.0).sum()) is np.float64
    assert type(np.max(one(2.0))) is np.float64


def test_a_vector_does_not_convert() -> None:
    vector = as_arrays([{"name": "x", "type": "FLOAT", "values": [1.0, 2.0]}])["x"]
    with pytest.raises(ValueError, match="size 1"):
        float(vector)


def test_other_processes_get_a_plain_array() -> None:
    assert type(pickle.loads(pickle.dumps(one(2.0)))) is np.ndarray


@pytest.mark.parametrize(
    "line",
    [
        "print 'x =', x",
        "raise ValueError, 'no'",
        "x = 0777",
        "if a <> b: pass",
        "exec 'x = 1'",
        "try:\n    f()\nexcept ValueError, e:\n    pass",
        "if x:\n\ty = 1\n        z = 2",
    ],
)
def test_python_2_is_recognised_and_the_remedy_named(line: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        compile(f"{line}\n", str(Path("folder/old.py")), "exec")
    text = place_of(caught.value)
    assert text.startswith(" (old.py, line ")
    assert text.endswith(": this is Python 2; '2to3 -w old.py' rewrites it (Python 3.12 has it)")


@pytest.mark.parametrize("line", ["x = = 3", "for x in y\n    pass", "print('a'", "f(x y)"])
def test_other_syntax_errors_are_not_blamed_on_python_2(line: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        compile(f"{line}\n", "new.py", "exec")
    assert "Python 2" not in place_of(caught.value)
