"""The maximiser against brute force: enumerated, climbing on lattices, and in mixed spaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
import pytest

from spearmint_int.acquisition import (
    ACQUISITIONS,
    Found,
    NegativeBound,
    SearchOptions,
    SupportsGradient,
    Surface,
    acquisition_named,
    maximize,
    search,
)
from spearmint_int.arrays import FloatArray, point_key
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int
from tests.acquisition.ensembles import some_ensemble
from tests.twins import MIXED

LATTICE = Space({"k": Int(0, 9), "j": Int(-3, 6), "e": Enum(list("abc"))})
FEW = SearchOptions(candidates=60)


@dataclass(frozen=True)
class Table:
    """A value for every cell without rhyme or reason: only looking at all finds the best."""

    space: Space
    seed: int = 0

    def value(self, U: FloatArray) -> FloatArray:
        keys = [crc32(point_key(row), self.seed) for row in self.space.snap(U)]
        return np.array([np.random.default_rng(key).random() for key in keys])


@dataclass(frozen=True)
class Bowl:
    """−|T(u) − centre|²: one hill."""

    space: Space
    centre: FloatArray

    def value(self, U: FloatArray) -> FloatArray:
        return np.asarray(-np.sum((self.space.snap(U) - self.centre) ** 2, axis=1))

    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self.value(U), -2.0 * (self.space.snap(U) - self.centre)


@dataclass(frozen=True)
class Recorded:
    """A surface that remembers all that was asked of it."""

    surface: Surface
    seen: list[float] = field(default_factory=list)

    def value(self, U: FloatArray) -> FloatArray:
        values = self.surface.value(U)
        self.seen.extend(values.tolist())
        return values


@dataclass(frozen=True)
class RecordedClimb(Recorded):
    def value_and_gradient(self, U: FloatArray) -> tuple[FloatArray, FloatArray]:
        assert isinstance(self.surface, Bowl | NegativeBound)
        return self.surface.value_and_gradient(U)


def best_of(
    surface: Surface,
    space: Space,
    options: SearchOptions | None = None,
    *,
    seed: int = 0,
    anchors: FloatArray | None = None,
    excluded: frozenset[bytes] = frozenset(),
) -> Found:
    found = maximize(
        surface,
        space,
        options or SearchOptions(),
        rng=np.random.default_rng(seed),
        anchors=np.empty((0, space.dimensions)) if anchors is None else anchors,
        excluded=excluded,
    )
    assert found is not None
    return found


def ei(space: Space, *, seed: int = 0, noiseless: bool = False) -> Surface:
    ensemble = some_ensemble(space, seed=seed, noiseless=noiseless)
    return acquisition_named("ei")(ensemble, np.random.default_rng(0))


# --- lattices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_a_small_lattice_is_searched_exactly(seed: int) -> None:
    surface = Table(LATTICE, seed)
    values = surface.value(LATTICE.lattice())
    found = best_of(surface, LATTICE)
    assert found.value == np.max(values)
    assert np.array_equal(found.point, LATTICE.lattice()[np.argmax(values)])
    assert found.source == "lattice"


def test_the_runner_up_of_a_lattice_is_the_second_best() -> None:
    surface = Table(LATTICE)
    values = np.sort(surface.value(LATTICE.lattice()))
    assert best_of(surface, LATTICE).runner_up_value == values[-2]


@pytest.mark.parametrize("seed", range(6))
def test_climbing_on_a_lattice_finds_the_best_cell_of_ei(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "ENUMERATED", 0)
    surface = ei(LATTICE, seed=seed)
    found = best_of(surface, LATTICE, FEW, seed=seed)
    assert found.source != "lattice"
    assert found.value == pytest.approx(np.max(surface.value(LATTICE.lattice())), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_climbing_finds_the_top_of_one_hill_in_a_large_lattice(seed: int) -> None:
    space = Space({"k": Int(0, 99, size=3), "e": Enum(list("abcd"))})
    centre = space.snap(np.random.default_rng(seed).random(space.dimensions))
    found = best_of(Bowl(space, centre), space, seed=seed)
    assert np.array_equal(found.point, centre)


@dataclass(frozen=True)
class RecordedLattice(RecordedClimb):
    def relaxed(self) -> SupportsGradient:
        assert isinstance(self.surface, NegativeBound)
        return self.surface.relaxed()


def test_a_climb_without_t_spares_most_of_the_neighbours() -> None:
    """Of 20 integers with 50 values: 60 rounds of 5 starts with 80 to 120 neighbours each."""
    space = Space({f"k{i}": Int(0, 49) for i in range(20)})
    surface = NegativeBound(some_ensemble(space))
    stepwise, relaxed = RecordedClimb(surface), RecordedLattice(surface)
    slow, fast = best_of(stepwise, space), best_of(relaxed, space)
    assert fast.value >= slow.value - 1e-3 * abs(slow.value)
    assert len(relaxed.seen) < 0.5 * len(stepwise.seen)


@pytest.mark.parametrize("target", [0, 1, 123_456_789, 10**9])
def test_one_integer_of_a_billion_is_climbed_to_as_a_real_is(target: int) -> None:
    space = Space({"k": Int(0, 10**9)})
    found = best_of(Bowl(space, space.encode({"k": target})), space)
    assert space.decode(found.point)["k"] == pytest.approx(target, abs=1e-3 * 10**9)
    assert np.array_equal(space.snap(found.point), found.point)


def test_the_runner_up_of_a_climb_is_another_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "ENUMERATED", 0)
    found = best_of(ei(LATTICE), LATTICE, FEW)
    assert found.runner_up is not None
    assert not np.array_equal(found.runner_up, found.point)


@pytest.mark.parametrize("enumerated", [0, 4096])
def test_excluded_points_are_never_found(enumerated: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "ENUMERATED", enumerated)
    surface = ei(LATTICE)
    best_first = LATTICE.lattice()[np.argsort(-surface.value(LATTICE.lattice()))]
    excluded = frozenset(point_key(row) for row in best_first[:100])
    found = best_of(surface, LATTICE, FEW, excluded=excluded)
    assert point_key(found.point) not in excluded
    if enumerated:
        assert np.array_equal(found.point, best_first[100])


def test_nothing_is_found_where_all_is_excluded() -> None:
    everything = frozenset(point_key(row) for row in LATTICE.lattice())
    assert (
        maximize(
            Table(LATTICE),
            LATTICE,
            SearchOptions(),
            rng=np.random.default_rng(0),
            anchors=LATTICE.lattice()[:1],
            excluded=everything,
        )
        is None
    )


@dataclass(frozen=True)
class Constant:
    level: float

    def value(self, U: FloatArray) -> FloatArray:
        return np.full(len(U), self.level)


@pytest.mark.parametrize("level", [np.nan, -np.inf])
def test_nothing_is_found_on_a_surface_without_values(level: float) -> None:
    rng = np.random.default_rng(0)
    found = maximize(Constant(level), MIXED, SearchOptions(), rng=rng, anchors=np.empty((0, 5)))
    assert found is None


def test_a_space_of_one_point_is_searched_too() -> None:
    space = Space({"k": Int(3, 3)})
    found = best_of(Constant(1.0), space)
    assert space.decode(found.point) == {"k": 3}
    assert found.runner_up is None


# --- mixed spaces ---------------------------------------------------------------------------------


def dense_grid(space: Space, points: int) -> FloatArray:
    """Every cell with `points` values of one real."""
    rows = np.repeat(space.lattice(), points, axis=0)
    rows[:, space.real_columns[0]] = np.tile(np.linspace(0.0, 1.0, points), space.cells)
    return rows


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("noiseless", [False, True])
def test_a_mixed_space_is_searched_as_well_as_a_dense_grid(seed: int, noiseless: bool) -> None:
    surface = ei(MIXED, seed=seed, noiseless=noiseless)
    on_the_grid = np.max(surface.value(dense_grid(MIXED, 2001)))
    assert best_of(surface, MIXED, seed=seed).value >= on_the_grid - 1e-4


@pytest.mark.parametrize("cells", [2, 3, 4, 8, 12, 16])
def test_the_candidates_of_every_cell_cover_the_whole_of_every_real(cells: int) -> None:
    @dataclass(frozen=True)
    class Candidates:
        rows: list[FloatArray] = field(default_factory=list)

        def value(self, U: FloatArray) -> FloatArray:
            self.rows.append(U)
            return np.zeros(len(U))

    space = Space({"x": Float(0, 1, size=2), "k": Int(1, cells)})
    candidates = Candidates()
    best_of(candidates, space)
    rows = candidates.rows[0]
    for k in np.unique(rows[:, 2]):
        inside = np.sort(rows[rows[:, 2] == k, :2], axis=0)
        assert np.max(np.diff(inside, axis=0, prepend=0.0, append=1.0)) < 6 / len(inside)


@pytest.mark.parametrize("name", sorted(set(ACQUISITIONS) - {"thompson"}))
def test_every_acquisition_is_climbed_to_the_top_of_a_dense_grid(name: str) -> None:
    surface = acquisition_named(name)(some_ensemble(MIXED), np.random.default_rng(0))
    on_the_grid = np.max(surface.value(dense_grid(MIXED, 1001)))
    assert best_of(surface, MIXED).value >= on_the_grid - 1e-3


def test_reals_are_climbed_to_the_top() -> None:
    space = Space({"x": Float(0, 1, size=3), "k": Int(0, 3)})
    centre = space.snap(np.array([0.123456, 0.654321, 0.999, 0.6]))
    found = best_of(Bowl(space, centre), space)
    assert np.allclose(found.point, centre, atol=1e-5)


def test_the_top_may_be_at_the_border() -> None:
    space = Space({"x": Float(0, 1, size=2)})
    found = best_of(Bowl(space, np.array([-0.5, 2.0])), space)
    assert np.allclose(found.point, [0.0, 1.0], atol=1e-9)


def test_a_point_that_is_found_is_canonical() -> None:
    found = best_of(ei(MIXED), MIXED)
    assert np.array_equal(MIXED.snap(found.point), found.point)


@pytest.mark.parametrize("seed", range(4))
def test_the_result_is_never_worse_than_any_point_that_was_looked_at(seed: int) -> None:
    recorded = RecordedClimb(NegativeBound(some_ensemble(MIXED, seed=seed)))
    found = best_of(recorded, MIXED, FEW, seed=seed, anchors=np.full((1, 5), 0.4))
    assert found.value >= max(recorded.seen)


def test_a_surface_without_a_gradient_gives_its_best_candidate() -> None:
    recorded = Recorded(ei(MIXED))
    found = best_of(recorded, MIXED)
    assert found.value == max(recorded.seen)
    assert "refined" not in found.source


def test_a_narrow_peak_at_a_visited_point_is_not_overlooked() -> None:
    @dataclass(frozen=True)
    class Peak:
        at: FloatArray

        def value(self, U: FloatArray) -> FloatArray:
            return np.asarray(-np.minimum(np.max(np.abs(U - self.at), axis=1), 1e-6))

    anchor = np.array([[0.314159, 0.271828]])
    space = Space({"x": Float(0, 1), "z": Float(0, 1)})
    found = best_of(Peak(anchor[0]), space, anchors=anchor)
    assert np.array_equal(found.point, anchor[0])
    assert found.source == "visited"


@pytest.mark.parametrize("distance", [1e-3, 1e-4, 1e-5])
def test_a_narrow_peak_beside_a_visited_point_is_found_by_looking_closer(distance: float) -> None:
    """As beside a best at the edge of what is allowed: there is nothing to gain at itself, nor
    further away than the model is unsure of the edge."""

    @dataclass(frozen=True)
    class Peak:
        at: FloatArray

        def value(self, U: FloatArray) -> FloatArray:
            distances = np.linalg.norm(U - self.at, axis=1)
            return np.where(distances < 3 * distance, -distances / distance, -50.0)

    anchor = np.array([[0.314159, 0.271828]])
    space = Space({"x": Float(0, 1), "z": Float(0, 1)})
    peak = Peak(anchor[0] + distance)
    found = best_of(peak, space, SearchOptions().closer, anchors=anchor)
    assert found.value > -1.0 > peak.value(anchor)[0]
    assert found.source == "spray"


def test_the_same_random_numbers_give_the_same_result() -> None:
    surface = ei(MIXED)
    one, two = (best_of(surface, MIXED, seed=5) for _ in range(2))
    assert np.array_equal(one.point, two.point)


def test_the_runner_up_is_elsewhere_and_no_better() -> None:
    found = best_of(ei(MIXED), MIXED)
    assert found.runner_up is not None
    assert np.max(np.abs(found.runner_up - found.point)) >= 1e-3
    assert found.runner_up_value <= found.value
