"""The chooser as a function of data: what it suggests, and that no data make it crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spearmint_int.acquisition import ACQUISITIONS, Surface
from spearmint_int.acquisition.registry import ThompsonDraw
from spearmint_int.arrays import FloatArray
from spearmint_int.chooser import (
    LIKELIHOODS,
    TREATMENTS,
    Answer,
    ChooserOptions,
    Observations,
    Problem,
    Recommendation,
    Suggestion,
    chooser_named,
    recommend,
    suggest,
)
from spearmint_int.chooser.fitted import fit_for_search
from spearmint_int.errors import SpaceExhausted, SpearmintError, UnknownNameError
from spearmint_int.kernels import KERNELS, unrounded
from spearmint_int.model import Ensemble
from spearmint_int.registry import CHOOSERS
from spearmint_int.sampling import ChainState
from spearmint_int.sampling.priors import lognormal
from spearmint_int.space import Space
from spearmint_int.variables import Enum, Float, Int, Params
from tests.twins import MIXED

QUICK = ChooserOptions(samples=4, burn_in=20, candidates=300)
NOISELESS = replace(QUICK, likelihood="NOISELESS")
BOTH = pytest.mark.parametrize("options", [QUICK, NOISELESS], ids=["gaussian", "noiseless"])
FIVE = Space({"k": Int(0, 4)})
ELEVEN = Space({"k": Int(0, 10)})


def observed(space: Space, values: list[float], *, seed: int = 1) -> Observations:
    points = space.snap(np.random.default_rng(seed).random((len(values), space.dimensions)))
    return Observations.of(points, np.array(values, dtype=np.float64))


def next_of(
    space: Space, observations: Observations, options: ChooserOptions = QUICK, *, seed: int = 0
) -> Suggestion:
    return answer_of(space, observations, options, seed=seed).suggestions[0]


def answer_of(
    space: Space,
    observations: Observations,
    options: ChooserOptions = QUICK,
    *,
    seed: int = 0,
    pending: FloatArray | None = None,
) -> Answer:
    under_way = np.empty((0, space.dimensions)) if pending is None else pending
    return suggest(Problem(space, observations, under_way, options, seed))


def recommended(
    space: Space, observations: Observations, options: ChooserOptions
) -> Recommendation | None:
    return recommend(Problem(space, observations, options=options))


def run(
    space: Space,
    function: Callable[[Params], float],
    evaluations: int,
    options: ChooserOptions,
    *,
    seed: int = 0,
) -> tuple[list[Suggestion], Observations]:
    """A whole optimisation, one point after the other, with the chain handed on."""
    observations, chain, made = Observations.none(space.dimensions), None, []
    for _ in range(evaluations):
        answer = suggest(Problem(space, observations, options=options, seed=seed, chain=chain))
        suggestion, chain = answer.suggestions[0], answer.chain
        made.append(suggestion)
        observations = Observations.of(
            np.vstack([observations.points, suggestion.point]),
            np.append(observations.values["main"], function(suggestion.params)),
        )
    return made, observations


# --- determinism and provenance -------------------------------------------------------------------


@BOTH
def test_the_same_arguments_give_the_same_suggestion(options: ChooserOptions) -> None:
    data = observed(MIXED, [3.0, 1.0, 2.0, 5.0, 4.0])
    one, two = (answer_of(MIXED, data, options, seed=7) for _ in range(2))
    assert one.suggestions[0].params == two.suggestions[0].params
    assert np.array_equal(one.suggestions[0].point, two.suggestions[0].point)
    assert one.chain is not None
    assert two.chain is not None
    assert one.chain.to_json() == two.chain.to_json()


def test_another_seed_gives_another_design() -> None:
    none = Observations.none(5)
    assert next_of(MIXED, none, seed=0).params != next_of(MIXED, none, seed=1).params


@BOTH
def test_provenance_and_chain_are_plain_json(options: ChooserOptions) -> None:
    answer = answer_of(MIXED, observed(MIXED, [3.0, 1.0, 2.0]), options)
    suggestion = answer.suggestions[0]
    assert answer.chain is not None
    for part in (suggestion.provenance.to_json(), answer.chain.to_json(), suggestion.params):
        assert json.dumps(part, allow_nan=False)


def test_provenance_says_what_was_known_and_why_the_point_won() -> None:
    told = next_of(MIXED, observed(MIXED, [3.0, 1.0, np.nan, 2.0])).provenance.to_json()
    assert told["observations"] == 4
    assert told["failed"] == 1
    assert len(told["hyperparameters"]) == 4
    assert told["value"] >= told["runner_up"]["value"]
    assert told["source"]
    assert told["chain"]["evaluations"] > 0


@pytest.mark.parametrize(("likelihood", "used"), [("GAUSSIAN", "nei"), ("NOISELESS", "ei")])
def test_auto_is_ei_and_under_noise_the_noisy_one(likelihood: str, used: str) -> None:
    space = Space({"k": Int(0, 4), "x": Float(0, 1)})
    data = observed(space, [3.0, 1.0, 2.0, 5.0])
    auto = next_of(space, data, replace(QUICK, likelihood=likelihood))
    named = next_of(space, data, replace(QUICK, likelihood=likelihood, acquisition=used))
    assert auto.provenance.to_json()["acquisition"] == used
    assert np.array_equal(auto.point, named.point)


def test_the_value_of_ei_is_in_the_objectives_units() -> None:
    values = [3.0, 1.0, 2.0, 5.0, 4.0]
    plain, scaled = (
        next_of(MIXED, observed(MIXED, list(factor * np.array(values)))).provenance.to_json()[
            "value"
        ]
        for factor in (1.0, 1024.0)
    )
    assert scaled == pytest.approx(1024.0 * plain, rel=1e-9)


@BOTH
def test_shifting_and_scaling_the_results_does_not_change_the_suggestion(
    options: ChooserOptions,
) -> None:
    values = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 1.5])
    plain, moved = (
        next_of(MIXED, observed(MIXED, list(y)), options) for y in (values, 64.0 * values + 128.0)
    )
    assert np.allclose(plain.point, moved.point, atol=1e-6)


def test_the_stored_point_encodes_the_parameters() -> None:
    suggestion = next_of(MIXED, observed(MIXED, [3.0, 1.0, 2.0]))
    assert np.allclose(MIXED.encode(suggestion.params), suggestion.point, atol=1e-12)
    assert MIXED.decode(suggestion.point) == suggestion.params


def test_a_chain_that_is_handed_back_is_gone_on_with() -> None:
    data = observed(MIXED, [3.0, 1.0, 2.0, 4.0])
    first = answer_of(MIXED, data)
    second = suggest(Problem(MIXED, data, options=QUICK, seed=1, chain=first.chain))
    assert second.suggestions[0].provenance.to_json()["chain"]["resumed"]
    assert not first.suggestions[0].provenance.to_json()["chain"]["resumed"]


@pytest.mark.parametrize(
    "chain", [{}, {"states": 3}, {"states": [[1.0]], "widths": [], "trace": []}]
)
def test_a_damaged_chain_is_left_aside(chain: dict[str, Any]) -> None:
    assert ChainState.from_json(chain, chains=1, size=7) is None


# --- every combination runs -----------------------------------------------------------------------


@pytest.mark.parametrize("kernel", sorted(KERNELS))
@pytest.mark.parametrize("acquisition", sorted(ACQUISITIONS))
@pytest.mark.parametrize("treatment", TREATMENTS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_every_combination_of_options_gives_a_point_of_the_space(
    kernel: str, acquisition: str, treatment: str, likelihood: str
) -> None:
    options = replace(
        QUICK,
        kernel=kernel,
        acquisition=acquisition,
        treatment=treatment,
        likelihood=likelihood,
        candidates=100,
    )
    pending = np.array([[0.5, 0.5, 0.1, 0.8, 0.3]])
    data = observed(MIXED, [3.0, 1.0, 2.0, 5.0])
    suggestion = answer_of(MIXED, data, options, pending=pending).suggestions[0]
    assert MIXED.decode(suggestion.point) == suggestion.params
    assert suggestion.provenance.source != "random"


@pytest.mark.parametrize("fantasies", [1, 3])
@pytest.mark.parametrize("chains", [1, 2])
@pytest.mark.parametrize("acquisition", ["ei", "nei"])
def test_fantasies_and_chains_go_together(fantasies: int, chains: int, acquisition: str) -> None:
    options = replace(
        QUICK, fantasies=fantasies, chains=chains, threads=chains, acquisition=acquisition
    )
    pending = MIXED.snap(np.random.default_rng(3).random((3, 5)))
    data = observed(MIXED, [3.0, 1.0, 2.0, 5.0])
    suggestion = answer_of(MIXED, data, options, pending=pending).suggestions[0]
    assert MIXED.encode(suggestion.params).shape == (5,)


def test_priors_of_the_options_reach_the_sampler() -> None:
    options = replace(QUICK, priors={"length_scale": lognormal(-3.0, 0.01)})
    told = next_of(MIXED, observed(MIXED, [3.0, 1.0, 2.0, 5.0]), options).provenance.to_json()
    lengths = [length for theta in told["hyperparameters"] for length in theta["length_scales"]]
    assert np.allclose(np.log(lengths), -3.0, atol=0.1)


# --- treatments of integers -----------------------------------------------------------------------


def test_basic_keeps_the_unrounded_point_and_naive_the_rounded_one() -> None:
    space = Space({"k": Int(0, 4), "x": Float(0, 1)})
    data = observed(space, [3.0, 1.0, 2.0, 5.0])
    basic, naive = (
        next_of(space, data, replace(NOISELESS, treatment=treatment))
        for treatment in ("basic", "naive")
    )
    assert not np.array_equal(space.snap(basic.point), basic.point)
    assert np.array_equal(space.snap(naive.point), naive.point)
    assert space.decode(basic.point) == basic.params


def staircase(params: Params) -> float:
    return float([0.3, 0.2, 0.9, 0.0, 0.6][params["k"]])


def test_proposed_never_repeats_where_naive_does() -> None:
    """Figure 1 of the paper: one integer, no noise."""
    proposed, _ = run(FIVE, staircase, 5, NOISELESS)
    naive, _ = run(FIVE, staircase, 9, replace(NOISELESS, treatment="naive"))
    assert len({s.params["k"] for s in proposed}) == 5
    assert len({s.params["k"] for s in naive}) < len(naive)
    assert any(s.provenance.to_json().get("repeat") for s in naive)


@pytest.mark.parametrize("options", [QUICK, NOISELESS])
def test_the_standard_kernel_searched_on_the_lattice_alone_is_the_same_method(
    options: ChooserOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T leaves the lattice where it is: all that it changes is the model between the integers."""
    space = Space({"k": Int(0, 4), "x": Float(0, 1)})
    values = [3.0, 1.0, 2.0, 5.0, 2.5, 0.5]
    rounded = next_of(space, observed(space, values), options)
    monkeypatch.setattr("spearmint_int.chooser.treatment.rounding", lambda _: unrounded)
    standard = next_of(space, observed(space, values), options)
    assert np.array_equal(rounded.point, standard.point)
    assert rounded.provenance.to_json()["value"] == standard.provenance.to_json()["value"]


def test_after_every_cell_the_model_is_certain_of_its_recommendation() -> None:
    data = Observations.of(FIVE.lattice(), np.array([0.3, 0.2, 0.9, 0.0, 0.6]))
    best = recommended(FIVE, data, NOISELESS)
    assert best is not None
    assert best.params == {"k": 3}
    assert best.mean == pytest.approx(0.0, abs=1e-4)
    assert best.sd < 1e-3


@BOTH
def test_what_is_recommended_is_not_where_evaluations_fail(options: ChooserOptions) -> None:
    points = ELEVEN.lattice()[[0, 2, 4, 5, 7, 8, 10]]
    values = np.array([10.0, 8.0, 6.0, 5.0, np.nan, np.nan, np.nan])  # better and better, then not
    best = recommended(ELEVEN, Observations.of(points, values), options)
    assert best is not None
    assert ELEVEN.decode(best.point)["k"] <= 6


@BOTH
def test_a_single_success_among_failures_is_recommended(options: ChooserOptions) -> None:
    values = np.array([9.0, 8.5, 8.0, np.nan, np.nan, np.nan, np.nan, 0.0, np.nan, np.nan, np.nan])
    best = recommended(ELEVEN, Observations.of(ELEVEN.lattice(), values), options)
    assert best is not None
    assert ELEVEN.decode(best.point)["k"] == 7


@BOTH
def test_a_failure_is_learned_where_it_was(options: ChooserOptions) -> None:
    points = ELEVEN.lattice()[[0, 1, 2, 3, 7, 8, 9, 10]]
    values = np.array([1.0, 2.0, 1.0, 2.0, np.nan, np.nan, np.nan, np.nan])
    problem = Problem(ELEVEN, Observations.of(points, values), options=options)
    model = fit_for_search(problem, problem.rng())
    assert model.is_feasible(points).tolist() == [True] * 4 + [False] * 4
    assert model.data.X[:, 0].tolist() == points[:4, 0].tolist()


@pytest.mark.parametrize("treatment", ["proposed", "naive"])
def test_mean_and_sd_of_a_recommendation_are_those_of_its_rounded_point(treatment: str) -> None:
    values = np.array([0.0, 9.0, 1.0, 0.5, 4.0])
    data = Observations.of(FIVE.lattice(), values)
    best = recommended(FIVE, data, replace(NOISELESS, treatment=treatment))
    assert best is not None
    assert best.mean == pytest.approx(values[best.params["k"]], abs=1e-3)
    assert best.sd < 1e-2


def test_a_noiseless_run_over_integers_never_repeats_and_ends_when_all_is_known() -> None:
    space = Space({"k": Int(0, 3), "e": Enum(list("abc"))})
    made, data = run(space, lambda p: p["k"] + ord(p["e"]), 12, NOISELESS)
    assert len({tuple(s.params.values()) for s in made}) == 12
    with pytest.raises(SpaceExhausted, match="all 12 points"):
        next_of(space, data, NOISELESS)


@pytest.mark.parametrize("name", sorted(CHOOSERS))
def test_pending_cells_count_as_taken_without_noise(name: str) -> None:
    data = Observations.of(FIVE.lattice()[:2], np.array([1.0, 2.0]))
    choose = chooser_named(name)
    pending = np.empty((0, 1))
    for _ in range(3):
        answer = choose(Problem(FIVE, data, pending, NOISELESS))
        pending = np.vstack([pending, answer.suggestions[0].point])
    assert len(np.unique(np.vstack([pending, data.points]))) == 5
    with pytest.raises(SpaceExhausted):
        choose(Problem(FIVE, data, pending, NOISELESS))


def test_a_noisy_space_of_integers_is_never_used_up() -> None:
    made, _ = run(FIVE, staircase, 8, QUICK)
    assert len(made) == 8
    assert any(s.provenance.to_json().get("repeat") for s in made)


def test_a_space_of_reals_is_never_used_up_without_noise() -> None:
    space = Space({"x": Float(0, 1)})
    made, _ = run(space, lambda p: (p["x"] - 0.3) ** 2, 12, NOISELESS)
    assert len({s.params["x"] for s in made}) == 12


# --- no data make it crash ------------------------------------------------------------------------

AWKWARD: dict[str, list[float]] = {
    "none": [],
    "one": [1.0],
    "all equal": [2.0] * 6,
    "all equal and not exact in binary": [0.1] * 6,
    "nan": [1.0, np.nan, 2.0, np.nan],
    "infinities": [np.inf, -np.inf, 1.0, 2.0],
    "one finite": [np.nan, 1.0, np.inf],
    "all failed": [np.nan, np.inf, -np.inf, np.nan],
    "an outlier": [1.0, 1.1, 0.9, 1.2, 1.05, 1e6],
    "an outlier below": [1.0, 1.1, 0.9, 1.2, 1.05, -1e6],
    "huge": [1e300, -1e300, 3e300, 2e300],
    "near the largest double": [8e306, -8e306, 4e306, 0.0],
    "tiny": [1e-300, 2e-300, 5e-301, 4e-300],
    "subnormal": [1e-320, 2e-320, 0.0, 3e-320],
    "a shift that hides the differences": [1e15, 1e15 + 1, 1e15 + 2, 1e15 + 3],
    "huge and tiny": [1e-300, 1e300, 1.0, -1e-300],
}


@BOTH
@pytest.mark.parametrize("values", AWKWARD.values(), ids=AWKWARD.keys())
@pytest.mark.parametrize("treatment", ["proposed", "naive"])
def test_no_values_make_it_crash(
    values: list[float], options: ChooserOptions, treatment: str
) -> None:
    data = observed(MIXED, values)
    answer = answer_of(MIXED, data, replace(options, treatment=treatment))
    suggestion = answer.suggestions[0]
    assert MIXED.decode(suggestion.point) == suggestion.params
    chain = None if answer.chain is None else answer.chain.to_json()
    json.dumps([suggestion.provenance.to_json(), chain], allow_nan=False)


@BOTH
@pytest.mark.parametrize("values", AWKWARD.values(), ids=AWKWARD.keys())
def test_a_recommendation_is_had_as_soon_as_there_are_two_finite_results(
    values: list[float], options: ChooserOptions
) -> None:
    best = recommended(MIXED, observed(MIXED, values), options)
    assert (best is None) == (np.count_nonzero(np.isfinite(values)) < 2)
    if best is not None:
        assert np.isfinite([best.mean, best.sd]).all()
        assert MIXED.decode(best.point) == best.params


@BOTH
def test_duplicates_with_different_values_do_not_make_it_crash(options: ChooserOptions) -> None:
    rows = np.repeat(FIVE.lattice()[:3], 3, axis=0)
    data = Observations.of(rows, np.array([1.0, 2.0, 3.0, 1.0, 1.5, 9.0, 4.0, 4.0, 5.0]))
    assert next_of(FIVE, data, options).params["k"] in range(5)


@BOTH
def test_points_that_nearly_coincide_do_not_make_it_crash(options: ChooserOptions) -> None:
    space = Space({"x": Float(0, 1)})
    points = 0.5 + 1e-9 * np.arange(20.0)[:, np.newaxis]
    data = Observations.of(
        np.asarray(points, dtype=np.float64), np.random.default_rng(0).standard_normal(20)
    )
    assert 0.0 <= next_of(space, data, options).params["x"] <= 1.0


@BOTH
@pytest.mark.parametrize(
    "space",
    [
        Space({"x": Float(0, 1)}),
        Space({"k": Int(0, 1)}),
        Space({"e": Enum(list("ab"))}),
        Space({"k": Int(0, 10**9)}),
        Space({"x": Float(1e-8, 1e8, log=True)}),
        Space({"c": Int(3, 3), "x": Float(0, 1)}),
        Space({"c": Float(2, 2), "k": Int(0, 5)}),
        Space({"one": Enum(["only"]), "x": Float(0, 1)}),
        Space({"w": Float(0, 1, size=6), "k": Int(0, 9, size=4), "e": Enum(list("abc"), size=2)}),
    ],
    ids=repr,
)
def test_every_kind_of_space_can_be_searched(space: Space, options: ChooserOptions) -> None:
    rows = np.unique(space.snap(np.random.default_rng(0).random((6, space.dimensions))), axis=0)
    rows = rows[: max(1, min(space.cells - 1, 6))] if space.is_discrete else rows
    data = Observations.of(rows, np.arange(float(len(rows))))
    suggestion = next_of(space, data, options)
    assert space.decode(space.encode(suggestion.params)) == suggestion.params


def test_a_space_of_one_point_is_suggested_once_without_noise_and_for_ever_with_it() -> None:
    space = Space({"k": Int(3, 3)})
    made, data = run(space, lambda _: 1.0, 4, QUICK)
    assert all(s.params == {"k": 3} for s in made)
    assert recommended(space, data, QUICK) is not None
    _, once = run(space, lambda _: 1.0, 1, NOISELESS)
    with pytest.raises(SpaceExhausted):
        next_of(space, once, NOISELESS)


@pytest.mark.parametrize("initial_points", [0, 1])
def test_the_first_point_needs_no_model_however_short_the_design(initial_points: int) -> None:
    options = replace(QUICK, initial_points=initial_points)
    assert next_of(MIXED, Observations.none(5), options).provenance.source == "initial design"
    assert next_of(MIXED, observed(MIXED, [1.0]), options).provenance.source != "initial design"


def test_failures_do_not_count_as_results_of_the_design() -> None:
    data = observed(MIXED, [1.0, np.nan, np.nan])
    assert next_of(MIXED, data).provenance.source == "initial design"


def test_a_failed_point_is_not_asked_for_again() -> None:
    space = Space({"k": Int(0, 19)})
    failing = {3, 4, 5, 6}
    made, _ = run(
        space, lambda p: np.nan if p["k"] in failing else (p["k"] - 7.0) ** 2, 12, NOISELESS
    )
    assert len({s.params["k"] for s in made}) == 12


# --- it optimises ---------------------------------------------------------------------------------


def bowl(params: Params) -> float:
    return float((params["x"] - 0.3) ** 2 + (params["k"] - 2) ** 2)


BOWL = Space({"x": Float(0, 1), "k": Int(0, 5)})


def least(observations: Observations) -> float:
    return float(np.min(observations.values["main"]))


def test_a_noiseless_bowl_is_solved_to_three_digits() -> None:
    ends = [
        np.min(run(BOWL, bowl, 20, NOISELESS, seed=seed)[1].values["main"]) for seed in range(3)
    ]
    assert np.median(ends) < 1e-3


def test_results_that_are_a_million_times_too_large_do_not_blind_it() -> None:
    def diverging(params: Params) -> float:
        return 1e6 if params["k"] >= 3 and params["x"] > 0.7 else bowl(params)

    ends = [
        np.min(run(BOWL, diverging, 20, NOISELESS, seed=seed)[1].values["main"])
        for seed in range(3)
    ]
    assert np.median(ends) < 0.05


def steep(params: Params) -> float:
    return float(9.0 * (params["x"] - 0.3) ** 2 + (params["k"] - 2) ** 2)


@pytest.mark.parametrize("seed", range(3))
def test_under_noise_the_recommendation_is_near_the_true_minimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, data = run(BOWL, lambda p: steep(p) + 0.1 * rng.standard_normal(), 30, QUICK, seed=seed)
    best = recommended(BOWL, data, QUICK)
    assert best is not None
    assert steep(best.params) < 0.1
    assert abs(best.mean) < 5.0 * best.sd + 0.1


def test_random_and_sequential_choosers_need_no_results() -> None:
    for name in ("random_chooser", "sequential_chooser"):
        answer = CHOOSERS[name](Problem(MIXED, Observations.none(5), options=QUICK))
        suggestion = answer.suggestions[0]
        assert MIXED.decode(suggestion.point) == suggestion.params


# --- batches --------------------------------------------------------------------------------------


@BOTH
def test_the_points_of_a_batch_differ_and_come_from_one_set_of_samples(
    options: ChooserOptions,
) -> None:
    data = observed(MIXED, [3.0, 1.0, 2.0, 5.0, 4.0])
    answer = suggest(Problem(MIXED, data, options=options), 5)
    assert len({s.point.tobytes() for s in answer.suggestions}) == 5
    samples = [s.provenance.to_json()["hyperparameters"] for s in answer.suggestions]
    assert all(sample == samples[0] for sample in samples)
    assert [s.provenance.to_json()["batch"] for s in answer.suggestions] == [0, 1, 2, 3, 4]


@BOTH
def test_the_first_point_of_a_batch_is_that_of_a_single_suggestion(options: ChooserOptions) -> None:
    problem = Problem(MIXED, observed(MIXED, [3.0, 1.0, 2.0, 5.0]), options=options)
    alone, first = suggest(problem).suggestions[0], suggest(problem, 3).suggestions[0]
    assert np.array_equal(alone.point, first.point)


def test_a_batch_takes_the_last_points_of_a_space_and_no_more() -> None:
    data = Observations.of(FIVE.lattice()[:3], np.array([1.0, 2.0, 3.0]))
    answer = suggest(Problem(FIVE, data, options=NOISELESS), 4)
    assert {s.params["k"] for s in answer.suggestions} == {3, 4}


@pytest.mark.parametrize("breaks_at", [0, 1])
def test_a_batch_whose_model_breaks_is_filled_at_random(
    breaks_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the model has chosen until then is not lost, and nothing is suggested twice."""

    def surface(ensemble: Ensemble, rng: np.random.Generator) -> Surface:
        if len(ensemble.posteriors[0].X) == 4 + breaks_at:
            raise np.linalg.LinAlgError("singular")
        return ThompsonDraw(ensemble, rng)  # has to be made anew for each point

    monkeypatch.setattr(ACQUISITIONS, "_values", {})
    ACQUISITIONS.register("breaks", surface)
    observations = observed(MIXED, [3.0, 1.0, 2.0, 4.0])
    options = replace(QUICK, acquisition="breaks")
    answer = suggest(Problem(MIXED, observations, options=options), 3)
    reasons = [suggestion.provenance.reason for suggestion in answer.suggestions]
    assert [reason is None for reason in reasons] == [i < breaks_at for i in range(3)]
    assert str(reasons[-1]).endswith(": singular")
    # those after the model's own can't be computed again by themselves
    batch = [suggestion.provenance.batch for suggestion in answer.suggestions]
    assert batch == ([0, 0, 0] if breaks_at == 0 else [0, 1, 2])
    assert len({tuple(suggestion.point) for suggestion in answer.suggestions}) == 3


def test_a_batch_spreads_where_one_by_one_without_pending_would_crowd() -> None:
    space = Space({"x": Float(0, 1)})
    points, values = [[0.0], [0.2], [0.4], [0.7], [1.0]], [1.0, 0.1, 0.7, 0.0, 1.0]
    data = Observations.of(np.array(points), np.array(values))
    answer = suggest(Problem(space, data, options=NOISELESS), 4)
    at = np.sort([s.params["x"] for s in answer.suggestions])
    assert np.min(np.diff(at)) > 1e-3


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"treatment": "propose"}, "did you mean 'proposed'"),
        ({"likelihood": "POISSON"}, "GAUSSIAN, NOISELESS"),
        ({"kernel": "matern"}, "unknown kernel"),
        ({"acquisition": "eis"}, "unknown acquisition"),
        ({"priors": {"lengthscale": lognormal(0.0, 1.0)}}, "did you mean 'length_scale'"),
    ],
)
def test_unknown_names_are_refused_when_the_options_are_made(
    settings: dict[str, Any], text: str
) -> None:
    with pytest.raises(UnknownNameError, match=text):
        ChooserOptions(**settings)


@pytest.mark.parametrize("name", ["samples", "chains", "threads", "fantasies", "candidates"])
def test_counts_must_be_at_least_one(name: str) -> None:
    with pytest.raises(SpearmintError, match=f"{name} must be at least 1, got 0"):
        replace(QUICK, **{name: 0})  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["3", 2.5, True, None], ids=repr)
@pytest.mark.parametrize("name", ["samples", "burn_in", "spray", "candidates_seed"])
def test_counts_must_be_whole_numbers(name: str, given: Any) -> None:
    with pytest.raises(SpearmintError, match=f"{name} must be a whole number, got {given!r}"):
        replace(QUICK, **{name: given})


@pytest.mark.parametrize("given", ["0.1", 0.0, float("nan"), True], ids=repr)
def test_a_spread_must_be_a_number_above_zero(given: Any) -> None:
    with pytest.raises(SpearmintError, match="spray_std must be"):
        replace(QUICK, spray_std=given)


def test_what_is_neither_true_nor_false_is_told() -> None:
    with pytest.raises(SpearmintError, match="trend must be true or false, got 'no'"):
        ChooserOptions(trend="no")  # type: ignore[arg-type]
    with pytest.raises(SpearmintError, match="initial_points must be at least 0, got -3"):
        ChooserOptions(initial_points=-3)


def test_an_unknown_chooser_lists_the_names_there_are() -> None:
    with pytest.raises(UnknownNameError, match="default_chooser, random_chooser, sequential"):
        chooser_named("annealing")
