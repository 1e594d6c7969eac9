"""Files of version 0.1.0: what `save` wrote must be read for ever; pickles name modules, and are
made anew where those move."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spearmint_int import Constraint, MinimizeResult, Optimizer

FILES = Path(__file__).parent / "releases" / "0.1.0"
SAVED = FILES / "optimizer.json"


def unpickled(name: str) -> Any:
    return pickle.loads((FILES / name).read_bytes())


@pytest.mark.parametrize(
    "read", [lambda: Optimizer.load(SAVED), lambda: unpickled("optimizer.pickle")]
)
def test_an_optimizer_is_read_with_all_that_it_knew(read: Callable[[], Optimizer]) -> None:
    optimizer = read()
    assert (optimizer.seed, optimizer.direction) == (3, "maximize")
    assert optimizer.constraints[1] == Constraint("fast", "NOISELESS", 0.9)
    assert [e.was_asked for e in optimizer.history] == [True, True, False, False]
    assert math.isnan(optimizer.history[2].value)
    assert optimizer.history[0].constraints == {"memory": 2.0, "fast": 1.0}
    assert len(optimizer.pending) == 2
    assert optimizer.problem().chain is not None
    assert optimizer.best() == optimizer.history[0]
    assert len(optimizer.ask(2)) == 2


def test_it_is_saved_as_it_was(tmp_path: Path) -> None:
    Optimizer.load(SAVED).save(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(SAVED.read_text())


def test_an_optimizer_of_a_folder_is_read() -> None:
    optimizer = unpickled("stored_optimizer.pickle")
    assert type(optimizer) is Optimizer
    assert len(optimizer.history) == 5
    assert len(optimizer.ask(2)) == 2


def test_a_result_is_read() -> None:
    result = unpickled("result.pickle")
    assert isinstance(result, MinimizeResult)
    assert result.message == "5 evaluations done"
    assert min(e.value for e in result.history) == result.value
    assert result.recommendation is not None
