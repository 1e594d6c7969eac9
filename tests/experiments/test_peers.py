"""Every optimiser that is installed keeps the contract of the comparison.

The peers live in an environment of their own: .venv-suite/bin/python -m pytest tests/experiments
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec

import pytest

from experiments.dimension import Dimension
from experiments.peers.adapters import NAMES, build, version
from experiments.peers.history import Assignment

DIMENSIONS = (
    Dimension("k", -1, 3, integer=True),
    Dimension("x", -2.0, 0.5),
    Dimension("rate", 1e-3, 10.0, log=True),
)
# Past the random start of each; a suggestion of HEBO takes many seconds.
EVALUATIONS = {name: 6 if name == "hebo" else 12 for name in NAMES}


def is_installed(name: str) -> bool:
    if name == "optuna-gp" and find_spec("torch") is None:  # Optuna itself does without
        return False
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


@pytest.mark.filterwarnings("default")  # the peers' own are not ours to mend
@pytest.mark.parametrize("name", [name for name in NAMES if is_installed(name)])
@pytest.mark.parametrize("noise_variance", [0.0, None])
def test_an_optimiser_asks_inside_the_ranges_and_recommends_what_it_saw(
    name: str, noise_variance: float | None
) -> None:
    optimiser = build(name, Assignment(DIMENSIONS, noise_variance, EVALUATIONS[name], seed=3))
    for _ in range(EVALUATIONS[name]):
        point = optimiser.ask()
        assert list(point) == [d.name for d in DIMENSIONS]
        assert all(d.low <= point[d.name] <= d.high for d in DIMENSIONS)
        assert type(point["k"]) is int
        optimiser.tell(point, (point["k"] - 1) ** 2 + point["x"] ** 2)
    answer = optimiser.recommend()
    assert all(d.low <= answer[d.name] <= d.high for d in DIMENSIONS)


def test_the_unit_cube_and_back() -> None:
    k, _, rate = DIMENSIONS
    assert [k.from_unit(k.to_unit(value)) for value in k.values()] == list(k.values())
    assert rate.from_unit(0.5) == pytest.approx(0.1)
    assert [k.from_uniform(u) for u in (0.0, 0.199, 0.2, 0.999, 1.0)] == [-1, -1, 0, 3, 3]


def test_an_integer_has_no_log_scale() -> None:
    with pytest.raises(ValueError, match="a log scale is for reals above 0"):
        Dimension("n", 1, 8, integer=True, log=True)


def test_the_version_of_ours_is_that_of_its_sources() -> None:
    package, _, fingerprint = version("ours").partition("+")
    assert package
    assert len(fingerprint) == 8
    assert version("ours") == version("ours-noiseless")
