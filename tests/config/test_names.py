"""The names in a config are those of the engine's registries, and its options reach the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spearmint_int.config import config_from
from spearmint_int.config.consistency import PRIOR_NAMES
from spearmint_int.registry import ACQUISITIONS, CHOOSERS, KERNELS, Registry
from spearmint_int.sampling import Priors
from spearmint_int.sampling.priors import prior_from_dict

GOOD: dict[str, Any] = {
    "main-file": "m",
    "variables": {"depth": {"type": "INT", "min": 1, "max": 5}},
}


@pytest.mark.parametrize("registry", [CHOOSERS, ACQUISITIONS, KERNELS], ids=lambda r: r.kind)
def test_every_name_of_a_registry_may_stand_in_a_config(registry: Registry[Any]) -> None:
    for name in registry:
        assert getattr(config_from(GOOD | {registry.kind: name}, Path("e")), registry.kind) == name


@pytest.mark.parametrize("name", PRIOR_NAMES)
def test_every_prior_of_a_config_is_one_of_the_models(name: str) -> None:
    Priors().with_({name: prior_from_dict({"type": "lognormal", "mu": 0, "sigma": 1})})


def test_every_option_of_a_config_reaches_the_chooser() -> None:
    keys = {
        "integer-treatment": "naive", "likelihood": "NOISELESS", "acquisition": "lcb",
        "kernel": "squared_exponential", "mcmc-iters": 3, "burnin": 4, "thinning": 5,
        "num-fantasies": 6, "grid-size": 7, "grid-seed": 8, "num-spray": 9, "spray-std": 0.5,
        "priors": {"length-scale": {"type": "lognormal", "mu": 0, "sigma": 1}},
    }  # fmt: skip
    options = config_from(GOOD | keys, Path("e")).chooser_options()
    assert (options.treatment, options.likelihood) == ("naive", "NOISELESS")
    assert (options.acquisition, options.kernel) == ("lcb", "squared_exponential")
    assert (options.samples, options.burn_in, options.thinning, options.fantasies) == (3, 4, 5, 6)
    assert (options.candidates, options.candidates_seed) == (7, 8)
    assert (options.spray, options.spray_std) == (9, 0.5)
    assert list(options.priors) == ["length_scale"]
