"""The priors' compiled densities against scipy, and how they are described."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.sampling import PRIORS, Prior, PriorError, Priors, prior_from_dict
from spearmint_int.sampling.priors import (
    LEAST_NOISE,
    gamma,
    horseshoe,
    lognormal,
    mixture,
    normal,
    prior_to_dict,
    uniform,
)
from tests.sampling.posteriors import log_density

EXAMPLES = [
    normal(0.3, 2.0),
    normal(0.0, 1.0, lower=-0.5, upper=0.5),
    lognormal(-1.0, 0.7),
    lognormal(0.0, 1.0, upper=3.0),
    horseshoe(0.1),
    gamma(2.5, 3.0),
    gamma(0.5, 1.0, lower=0.1),
    uniform(0.0, 10.0),
    uniform(-2.0, -1.0),
    mixture(-1.0, 1.0, 1.0, 2.0),
    mixture(0.5, 0.3, -2.0, 0.1, lower=0.01, upper=7.0),
]
EACH = pytest.mark.parametrize("prior", EXAMPLES, ids=lambda p: p.family.name.lower())


@EACH
def test_a_density_is_scipys_up_to_a_constant(prior: Prior) -> None:
    inside = [x for x in np.linspace(-3.0, 12.0, 400) if prior.lower < x < prior.upper and x != 0.0]
    ours = np.array([prior.log_density(x) for x in inside])
    expected = np.array([log_density(prior, x) for x in inside])
    assert np.allclose(ours - ours[0], expected - expected[0], rtol=1e-11, atol=1e-11)


@EACH
def test_a_density_is_zero_outside_of_its_interval(prior: Prior) -> None:
    for outside in (prior.lower - 1e-9, prior.upper + 1e-9):
        if math.isfinite(outside):
            assert prior.log_density(outside) == -math.inf


@EACH
def test_a_chain_may_start_where_the_density_is_not_zero(prior: Prior) -> None:
    assert math.isfinite(prior.log_density(prior.start))


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ({"type": "lognormal", "mu": 0, "sigma": 1}, lognormal(0.0, 1.0)),
        ({"type": "Normal", "mu": 1, "sigma": 2, "upper": 3}, normal(1.0, 2.0, upper=3.0)),
        ({"type": "horseshoe", "scale": 0.2}, horseshoe(0.2)),
        ({"type": "gamma", "shape": 2, "rate": 3.5}, gamma(2.0, 3.5)),
        ({"type": "uniform", "lower": 0, "upper": 2}, uniform(0.0, 2.0)),
        (
            {"type": "mixture", "mu": -1, "sigma": 1, "other_mu": 1, "other_sigma": 2, "upper": 9},
            mixture(-1.0, 1.0, 1.0, 2.0, upper=9.0),
        ),
    ],
)
def test_a_description_gives_its_prior(description: dict[str, Any], expected: Prior) -> None:
    assert prior_from_dict(description) == expected


@pytest.mark.parametrize(
    ("description", "text"),
    [
        ({"type": "normal", "mu": 0, "sigma": 0}, "scale must be above 0"),
        ({"type": "lognormal", "mu": 0, "sigma": -1}, "scale must be above 0"),
        ({"type": "horseshoe", "scale": -0.1}, "above 0"),
        (
            {"type": "mixture", "mu": 0, "sigma": 1, "other_mu": 0, "other_sigma": 0},
            "the other scale must be above 0, got 0",
        ),
        ({"type": "gamma", "shape": 0, "rate": 1}, "above 0"),
        ({"type": "uniform", "lower": 2, "upper": 1}, r"lower \(2\) must be below upper \(1\)"),
        ({"type": "uniform", "lower": 0, "upper": math.inf}, "finite bounds"),
        ({"type": "normal", "mu": "0", "sigma": 1}, "normal.mu: must be a number, got '0'"),
        ({"type": "normal", "mu": 0}, "normal: .*sigma"),
        ({"type": "normal", "mu": 0, "sigma": 1, "sd": 2}, "normal: .*sd"),
    ],
)
def test_an_impossible_prior_is_refused_with_the_reason(
    description: dict[str, Any], text: str
) -> None:
    with pytest.raises(PriorError, match=text) as caught:
        prior_from_dict(description)
    assert isinstance(caught.value, SpearmintError)


@EACH
def test_a_prior_is_described_so_that_it_can_be_read_again(prior: Prior) -> None:
    description = prior_to_dict(prior)
    assert prior_from_dict(description) == prior
    assert all(math.isfinite(x) for name, x in description.items() if name != "type")


@pytest.mark.parametrize("name", ["cauchy", "", None])
def test_an_unknown_family_lists_the_names_there_are(name: Any) -> None:
    with pytest.raises(UnknownNameError, match=", ".join(sorted(PRIORS))):
        prior_from_dict({"type": name})


def test_priors_are_replaced_by_the_name_of_the_hyperparameter() -> None:
    changed = Priors().with_({"amplitude": lognormal(-3.0, 1.0)})
    assert changed.amplitude == lognormal(-3.0, 1.0)
    assert changed.mean == Priors().mean


def test_an_unknown_hyperparameter_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'noise'"):
        Priors().with_({"nosie": lognormal(0.0, 1.0)})


def test_a_horseshoe_is_finite_as_near_to_zero_as_doubles_go() -> None:
    """Its square overflows there: +∞ would hold a chain for ever."""
    near = [horseshoe(0.1).log_density(x) for x in (1e-90, 1e-101, 1e-160, 1e-300)]
    assert np.all(np.isfinite(near))
    assert np.all(np.diff(near) > 0)


def test_a_prior_of_the_noise_that_may_be_zero_is_cut_where_the_default_is() -> None:
    assert Priors().with_({"noise": horseshoe(0.1)}).noise.lower == LEAST_NOISE
    assert Priors().with_({"noise": lognormal(0, 1, lower=1e-12)}).noise.lower == 1e-12


@pytest.mark.parametrize("name", ["amplitude", "length_scale", "trend", "input_warp"])
def test_a_prior_of_what_is_positive_is_cut_at_zero(name: str) -> None:
    cut = getattr(Priors().with_({name: normal(0.0, 1.0)}), name)
    assert cut == normal(0.0, 1.0, lower=0.0)
    assert cut.start > 0.0
    assert Priors().with_({"mean": normal(0.0, 1.0)}).mean.lower == -math.inf


@pytest.mark.parametrize(
    ("name", "prior", "reason"),
    [
        ("length_scale", uniform(-2.0, -1.0), "the length scale must be above 0, and upper is -1"),
        ("noise", uniform(0.0, 1e-11), "the noise must be above 1e-10, and upper is 1e-11"),
        ("amplitude", uniform(0.0, 1e-199), "the amplitude must be typically between .*, got 5e-2"),
        ("trend", uniform(1e160, 3e160), "the trend must be typically between .*, got 2e.160"),
        ("length_scale", horseshoe(1e-300), "the length scale must be typically .*, got 1e-301"),
    ],
)
def test_a_prior_that_leaves_nothing_to_compute_with_is_refused(
    name: str, prior: Prior, reason: str
) -> None:
    with pytest.raises(PriorError, match=reason):
        Priors().with_({name: prior})


def test_a_prior_that_is_none_is_told_where_they_are() -> None:
    with pytest.raises(PriorError, match=r"of noise must be one of .*priors, such as .*, got 3"):
        Priors().with_({"noise": 3})  # type: ignore[dict-item]
