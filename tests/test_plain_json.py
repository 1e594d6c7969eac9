"""Values on their way to JSON."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spearmint_int.plain_json import plain


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


@dataclass(frozen=True)
class Sample:
    x: float
    where: Path


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, None),
        (-math.inf, None),
        (np.float64(0.5), 0.5),
        (np.arange(3), [0, 1, 2]),
        ((1, (2, 3)), [1, [2, 3]]),
        ({Colour.RED: Level.LOW, 3: None}, {"red": 1, "3": None}),
        (Sample(math.inf, Path("a/b")), {"x": None, "where": "a/b"}),
        ("lone \udc80", "lone ?"),
        (True, True),
    ],
)
def test_a_value_takes_the_form_that_json_has_for_it(value: Any, expected: Any) -> None:
    found = plain(value)
    assert found == expected
    assert json.loads(json.dumps(found, allow_nan=False)) == expected


@pytest.mark.parametrize("value", [{1, 2}, object(), Sample])
def test_what_json_has_no_form_for_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="has no form in JSON"):
        plain({"deep": [value]})
